import type { AuthRequestBody, HttpAuthSettings } from '../../config/config.ts';
import type { HeaderMatch } from './header-match.ts';

/** A service that Envoy itself asks. Where there is no such cluster, asking fails. */
export interface ExtensionTarget {
  /** The ExtensionService. */
  readonly namespace: string;
  readonly name: string;
  /** What its certificate is checked for, if it is. */
  readonly sni?: string;
  /** How long an answer may take; `'disabled'` is no limit; absent is Envoy's default. */
  readonly timeoutMs?: number | 'disabled';
}

/** Who is asked about each request. @see reference 3.3 */
export interface ExternalAuthorization {
  readonly target: ExtensionTarget;
  readonly serviceType: 'grpc' | 'http';
  /** Only for `http`. */
  readonly http?: HttpAuthSettings;
  /** Whether requests go through while nobody answers. */
  readonly failOpen: boolean;
  readonly requestBody?: AuthRequestBody;
}

/**
 * What a route says of authorization. `required` by the authorization of its `host`, or by that of the whole `listener`; absent: nobody
 * asks for it.
 */
export type RouteAuthorization =
  | { readonly type: 'disabled' }
  | {
      readonly type: 'required';
      readonly by: 'host' | 'listener';
      /** What the authorization server is told. */
      readonly context: Readonly<Record<string, string>>;
    };

/** The rate limit service of the configuration. @see reference 8.12 */
export interface RateLimitService {
  readonly target: ExtensionTarget;
  readonly domain: string;
  readonly failOpen: boolean;
  readonly enableXRateLimitHeaders: boolean;
  readonly enableResourceExhaustedCode: boolean;
}

/** What the rate limit service is asked about a request. Of a descriptor with an entry that a request has nothing for, it is not asked. */
export interface RateLimitDescriptor {
  /** Never empty. */
  readonly entries: readonly RateLimitEntry[];
}

export type RateLimitEntry =
  | { readonly type: 'generic-key'; readonly key: string; readonly value: string }
  | { readonly type: 'request-header'; readonly header: string; readonly key: string }
  | { readonly type: 'remote-address' }
  | { readonly type: 'header-match'; readonly headers: readonly HeaderMatch[]; readonly expectMatch: boolean; readonly value: string };

/** The limits of a virtual host. */
export interface GlobalRateLimit {
  /** Never empty. */
  readonly descriptors: readonly RateLimitDescriptor[];
}

/** The limits of a route, beside those of its virtual host. */
export interface RouteRateLimit {
  readonly descriptors: readonly RateLimitDescriptor[];
  /** Whether those of the virtual host do not count. */
  readonly ignoreHost: boolean;
}

/** What holds for every request to a listener. */
export interface ListenerGuards {
  /** Whoever is asked where a host has no authorization of its own. */
  readonly authorization?: ExternalAuthorization;
  readonly rateLimit?: RateLimitService;
}
