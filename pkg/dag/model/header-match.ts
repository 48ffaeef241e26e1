/** A condition on a header. */
export interface HeaderMatch {
  readonly name: string;
  readonly type: 'exact' | 'contains' | 'present' | 'regex';
  /** `''` for `present`. */
  readonly value: string;
  readonly invert: boolean;
  readonly ignoreCase: boolean;
  readonly treatMissingAsEmpty: boolean;
}
