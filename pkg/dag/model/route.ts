import type { WeightedCluster } from './cluster.ts';
import type { RouteAuthorization, RouteRateLimit } from './guards.ts';
import type { HeaderMatch } from './header-match.ts';
import type { HeadersPolicy } from './headers.ts';
import type { CookieRewrite, InternalRedirect, IpFilter, LocalRateLimit } from './host-policies.ts';
import type { RouteJwt } from './jwt.ts';
import type { Origin } from './origin.ts';

export type { HeaderMatch } from './header-match.ts';

export type PathMatch =
  | {
      readonly type: 'prefix';
      readonly prefix: string /** `segment`: `/foo` matches `/foo` and `/foo/x`, not `/foox`. */;
      readonly by: 'string' | 'segment';
    }
  | { readonly type: 'exact'; readonly path: string }
  | { readonly type: 'regex'; readonly regex: string };

export interface QueryParameterMatch {
  readonly name: string;
  readonly type: 'exact' | 'prefix' | 'suffix' | 'regex' | 'contains' | 'present';
  readonly value: string;
  readonly ignoreCase: boolean;
}

export interface RouteMatch {
  readonly path: PathMatch;
  /** In canonical order (`compareHeaderMatches`). */
  readonly headers: readonly HeaderMatch[];
  /** In canonical order. */
  readonly queryParameters: readonly QueryParameterMatch[];
}

/** What a route does with a request that it matches. */
export type RouteAction =
  | {
      readonly type: 'forward';
      /** Never empty. */
      readonly clusters: readonly WeightedCluster[];
      readonly forward?: ForwardPolicy;
      /**
       * The weight, beside those of the clusters, of backends that do not exist: their share of the requests is answered 500
       * (Gateway API, `backendRefs`). In Envoy: a route before this one with the same match, a `runtime_fraction` of
       * errorWeight / (errorWeight + sum of weights), and a direct response. Absent is 0; the weights of the clusters are
       * then not all 0.
       */
      readonly errorWeight?: number;
    }
  | { readonly type: 'direct-response'; readonly status: number; readonly body?: string }
  | { readonly type: 'redirect'; readonly redirect: Redirect };

/** Settings of forwarding; the place of what later policies add. */
export interface ForwardPolicy {
  /** The whole response; `'disabled'` is no limit; absent is Envoy's default (15 s). */
  readonly responseTimeoutMs?: number | 'disabled';
  readonly idleTimeoutMs?: number | 'disabled';
  readonly retry?: RetryPolicy;
  readonly pathRewrite?: PathRewrite;
  readonly websocket?: boolean;
  /** What the strategies Cookie and RequestHash choose an endpoint by, in order. Never empty. */
  readonly hashPolicies?: readonly HashPolicy[];
  readonly internalRedirect?: InternalRedirect;
  /** By name. Those of a cluster stand in their place. Never empty. */
  readonly cookieRewrites?: readonly CookieRewrite[];
  readonly mirrors?: readonly { readonly cluster: WeightedCluster['cluster'] /** Percent, 0 to 100. */; readonly percent: number }[];
}

/** One thing that makes requests alike for a load balancer. `terminal`: where it gives a hash, those after it do not count. */
export type HashPolicy =
  | { readonly type: 'source-ip'; readonly terminal: boolean }
  | { readonly type: 'header'; readonly header: string; readonly terminal: boolean }
  | { readonly type: 'query-parameter'; readonly parameter: string; readonly terminal: boolean }
  /** A session cookie for `/` that Envoy makes where the client has none. `secure`: only for TLS, and not for other sites. */
  | { readonly type: 'cookie'; readonly cookie: string; readonly secure: boolean; readonly terminal: boolean };

export interface RetryPolicy {
  /** Envoy's `retry_on`. */
  readonly retryOn: string;
  readonly numRetries: number;
  readonly perTryTimeoutMs?: number | 'disabled';
  readonly retriableStatusCodes: readonly number[];
}

export type PathRewrite =
  | { readonly type: 'prefix'; readonly replacement: string }
  | { readonly type: 'full-path'; readonly path: string }
  /** Removes the matched prefix: what is left begins with one `/`. */
  | { readonly type: 'remove-prefix'; readonly prefix: string };

export interface Redirect {
  readonly scheme?: 'http' | 'https';
  readonly hostname?: string;
  readonly port?: number;
  readonly statusCode: 301 | 302 | 303 | 307 | 308;
  readonly path?:
    | { readonly type: 'full-path'; readonly path: string }
    | { readonly type: 'prefix'; readonly replacement: string }
    | { readonly type: 'remove-prefix'; readonly prefix: string };
}

/** One route of a virtual host. Its place among the others is decided by `compareRoutes`, not by the order of insertion. */
export interface Route {
  readonly match: RouteMatch;
  readonly action: RouteAction;
  /** On a plaintext virtual host: answer 301 to https in place of the action. */
  readonly httpsRedirect: boolean;
  /** Among routes with equal matches the lower goes first (Gateway API: the index of the rule). 0 to 255. */
  readonly priority: number;
  readonly requestHeaders?: HeadersPolicy;
  readonly responseHeaders?: HeadersPolicy;
  readonly authorization?: RouteAuthorization;
  readonly globalRateLimit?: RouteRateLimit;
  /** In place of that of the virtual host. */
  readonly ipFilter?: IpFilter;
  /** In place of that of the virtual host. */
  readonly localRateLimit?: LocalRateLimit;
  /** The provider, of those of its host, whose token a request must have. */
  readonly jwt?: RouteJwt;
  readonly origin: Origin;
}
