/** The ways in which an API server refuses, by the reason of its Status answer or else by the HTTP status. */
export type ApiErrorReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'TooManyRequests'
  | 'Timeout'
  | 'ServerError'
  | 'Unknown';

/** What a request asked for, for messages and metrics. */
export interface RequestInfo {
  /** As RBAC has it: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`. */
  readonly verb: string;
  /** As RBAC has it, such as `httpproxies/status`. */
  readonly resource: string;
  /** `''` for the core group. */
  readonly group: string;
}

/** One field that the API server did not like. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  /** Path, such as `spec.virtualhost.fqdn`. */
  readonly field?: string;
}

/** `meta/v1` Status as far as it is read. */
export interface ApiStatus {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly StatusCause[]; readonly retryAfterSeconds?: number };
}

/** The API server answered, and refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly reason: ApiErrorReason;
  /** The HTTP status. */
  readonly status: number;
  readonly request: RequestInfo;
  readonly causes: readonly StatusCause[];
  /** How long the server asks us to wait; `undefined` if it does not. */
  readonly retryAfterMs: number | undefined;

  constructor(request: RequestInfo, status: number, answer: ApiStatus, retryAfterMs?: number) {
    const reason = reasonOf(status, answer.reason);
    super(messageOf(request, reason, status, answer));
    this.reason = reason;
    this.status = status;
    // No more than this: the rest of a request may hold secrets, and errors are logged whole.
    this.request = { verb: request.verb, resource: request.resource, group: request.group };
    this.causes = answer.details?.causes ?? [];
    const seconds = answer.details?.retryAfterSeconds;
    this.retryAfterMs = retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000);
  }
}

/** No answer came: connection refused or cut, name not found, certificate not trusted, time-out. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly server: string;

  constructor(server: string, cause: unknown) {
    super(`no answer from the API server at ${server}: ${describe(cause)}`, { cause });
    this.server = server;
  }
}

/** A kubeconfig, or the credentials that it names, cannot be used. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/** Whether an error is the API server's refusal for one of the reasons. */
export function isApiError(error: unknown, ...reasons: readonly ApiErrorReason[]): error is ApiError {
  return error instanceof ApiError && (reasons.length === 0 || reasons.includes(error.reason));
}

const reasonsByStatus: ReadonlyMap<number, ApiErrorReason> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [504, 'Timeout'],
]);

function reasonOf(status: number, reason: string | undefined): ApiErrorReason {
  // These two share their HTTP status with another reason.
  if (reason === 'AlreadyExists' || reason === 'Expired') return reason;
  return reasonsByStatus.get(status) ?? (status >= 500 ? 'ServerError' : 'Unknown');
}

function messageOf(request: RequestInfo, reason: ApiErrorReason, status: number, answer: ApiStatus): string {
  const { verb, resource, group } = request;
  const target = group === '' ? resource : `${resource}.${group}`;
  const said = answer.message ?? `HTTP status ${status}`;
  if (reason !== 'Forbidden') return `${verb} ${target}: ${reason}: ${said}`;
  const refused = `no permission for verb "${verb}" on resource "${resource}" of API group "${group}": ${said}`;
  return `${refused}; this line under the rules of a Role gives it: ${roleRuleFor(request)}`;
}

/** The line under `rules` of a Role or ClusterRole that allows a request, as YAML. */
export function roleRuleFor({ verb, resource, group }: RequestInfo): string {
  return `- {apiGroups: [${JSON.stringify(group)}], resources: [${JSON.stringify(resource)}], verbs: [${JSON.stringify(verb)}]}`;
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // An AggregateError of several addresses has no message of its own.
  const code = (cause as { readonly code?: unknown }).code;
  return cause.message !== '' ? cause.message : typeof code === 'string' ? code : cause.name;
}
