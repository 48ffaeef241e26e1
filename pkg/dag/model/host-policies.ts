import type { HeaderValue } from './headers.ts';

/** Which pages of other origins may call. @see reference 3.4 */
export interface CorsPolicy {
  /** Never empty. */
  readonly origins: readonly CorsOrigin[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly exposeHeaders: readonly string[];
  /** How long the answer to a preflight may be kept, in whole seconds; 0 is not at all; absent: as the browser likes. */
  readonly maxAgeSeconds?: number;
  readonly allowCredentials: boolean;
  readonly allowPrivateNetwork: boolean;
}

/** `any` is every origin; `exact` ignores case; a `regex` stands for the whole origin. */
export type CorsOrigin =
  | { readonly type: 'any' }
  | { readonly type: 'exact'; readonly origin: string }
  | { readonly type: 'regex'; readonly regex: string };

/** Whose requests are let through (`allow`), or are not (`deny`). @see reference 3.7 */
export interface IpFilter {
  readonly action: 'allow' | 'deny';
  /** Never empty. */
  readonly ranges: readonly IpRange[];
}

export interface IpRange {
  /** `peer` is the address of the connection, `remote` that of the client as trusted proxies tell it. */
  readonly source: 'peer' | 'remote';
  /** An IPv4 or IPv6 address. */
  readonly address: string;
  readonly prefixLength: number;
}

/** How many requests each proxy lets through by itself. @see reference 3.5 */
export interface LocalRateLimit {
  /** The most tokens that there are at a time. */
  readonly maxTokens: number;
  readonly tokensPerFill: number;
  readonly fillIntervalMs: number;
  /** The status of the answer to what is over the limit; absent is Envoy's default, 429. */
  readonly status?: number;
  /** Headers of that answer; values already escaped for Envoy. */
  readonly responseHeaders: readonly HeaderValue[];
}

/** Redirects of the backend that the proxy follows by itself. */
export interface InternalRedirect {
  /** How many of one request are followed; absent is Envoy's default, 1. */
  readonly maxRedirects?: number;
  /** Which are followed; empty is Envoy's default, 302. */
  readonly statusCodes: readonly number[];
  /** Whether a redirect may change the scheme; `safe-only`: not from https to http. */
  readonly crossScheme: 'always' | 'never' | 'safe-only';
  /** Whether a redirect to a route that was gone through before goes to the client. */
  readonly denyRepeatedRoute: boolean;
}

/** Changes to the attributes of a cookie that backends set. What is absent stays as it is; one at least is there. */
export interface CookieRewrite {
  readonly name: string;
  readonly path?: string;
  readonly domain?: string;
  /** Adds the attribute, or takes it away. */
  readonly secure?: boolean;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
}
