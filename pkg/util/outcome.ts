/** A fault of a user's object. It is gathered and shown as a status condition; it is never thrown. */
export interface Problem {
  /** The group of the fault, such as `TLSError` or `ServiceError`. */
  readonly type: string;
  /** The machine-readable reason within the group, such as `SecretNotValid`. */
  readonly reason: string;
  /** For people; the wording may change. */
  readonly message: string;
}

/** Either a value or the problem that prevents it. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

/** A successful outcome. */
export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });

/** A failed outcome. */
export const fail = (type: string, reason: string, message: string): Outcome<never> => failed({ type, reason, message });

/** A failed outcome, of a problem that there is. */
export const failed = (problem: Problem): Outcome<never> => ({ ok: false, problem });
