import type { KubeObject } from '../meta.ts';
import type {
  BackendRef,
  CommonRouteSpec,
  HTTPHeaderFilter,
  HTTPHeaderMatch,
  HTTPRequestMirrorFilter,
  LocalObjectReference,
  RouteStatus,
} from './common.ts';

export interface HTTPRoute extends KubeObject {
  readonly kind: 'HTTPRoute';
  readonly spec: HTTPRouteSpec;
  readonly status?: RouteStatus;
}

export interface HTTPRouteSpec extends CommonRouteSpec {
  readonly hostnames?: readonly string[];
  /** Default: one rule that matches the prefix `/`. */
  readonly rules?: readonly HTTPRouteRule[];
}

export interface HTTPRouteRule {
  readonly name?: string;
  /** Any of them. Default: the prefix `/`. */
  readonly matches?: readonly HTTPRouteMatch[];
  readonly filters?: readonly HTTPRouteFilter[];
  readonly backendRefs?: readonly HTTPBackendRef[];
  readonly timeouts?: HTTPRouteTimeouts;
}

/** Gateway API durations, such as `10s`; `0s` disables. */
export interface HTTPRouteTimeouts {
  readonly request?: string;
  readonly backendRequest?: string;
}

/** All of its parts. */
export interface HTTPRouteMatch {
  /** Default: the prefix `/`. */
  readonly path?: HTTPPathMatch;
  readonly headers?: readonly HTTPHeaderMatch[];
  readonly queryParams?: readonly HTTPQueryParamMatch[];
  readonly method?: HTTPMethod;
}

export type HTTPMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'CONNECT' | 'OPTIONS' | 'TRACE' | 'PATCH';

export interface HTTPPathMatch {
  /** Default `PathPrefix`. */
  readonly type?: 'Exact' | 'PathPrefix' | 'RegularExpression';
  /** Default `/`. */
  readonly value?: string;
}

export interface HTTPQueryParamMatch {
  /** Default `Exact`. */
  readonly type?: 'Exact' | 'RegularExpression';
  readonly name: string;
  readonly value: string;
}

export interface HTTPBackendRef extends BackendRef {
  readonly filters?: readonly HTTPRouteFilter[];
}

/** `type` says which of the other fields is set. */
export interface HTTPRouteFilter {
  readonly type:
    | 'RequestHeaderModifier'
    | 'ResponseHeaderModifier'
    | 'RequestMirror'
    | 'RequestRedirect'
    | 'URLRewrite'
    | 'ExtensionRef'
    | 'CORS';
  readonly requestHeaderModifier?: HTTPHeaderFilter;
  readonly responseHeaderModifier?: HTTPHeaderFilter;
  readonly requestMirror?: HTTPRequestMirrorFilter;
  readonly requestRedirect?: HTTPRequestRedirectFilter;
  readonly urlRewrite?: HTTPURLRewriteFilter;
  readonly cors?: HTTPCORSFilter;
  readonly extensionRef?: LocalObjectReference;
}

export interface HTTPRequestRedirectFilter {
  readonly scheme?: 'http' | 'https';
  readonly hostname?: string;
  readonly path?: HTTPPathModifier;
  readonly port?: number;
  /** Default 302. */
  readonly statusCode?: 301 | 302 | 303 | 307 | 308;
}

export interface HTTPURLRewriteFilter {
  readonly hostname?: string;
  readonly path?: HTTPPathModifier;
}

export interface HTTPPathModifier {
  readonly type: 'ReplaceFullPath' | 'ReplacePrefixMatch';
  readonly replaceFullPath?: string;
  readonly replacePrefixMatch?: string;
}

export interface HTTPCORSFilter {
  readonly allowOrigins?: readonly string[];
  readonly allowCredentials?: boolean;
  readonly allowMethods?: readonly (HTTPMethod | '*')[];
  readonly allowHeaders?: readonly string[];
  readonly exposeHeaders?: readonly string[];
  /** Seconds. Default 5. */
  readonly maxAge?: number;
}
