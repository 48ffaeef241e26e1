/** Changes to the headers of a request or response; names are canonical (`X-Foo`), values already escaped for Envoy. */
export interface HeadersPolicy {
  readonly set: readonly HeaderValue[];
  readonly add: readonly HeaderValue[];
  readonly remove: readonly string[];
  readonly hostRewrite?: string;
  readonly hostRewriteHeader?: string;
}

export interface HeaderValue {
  readonly name: string;
  readonly value: string;
}
