import type { TlsVersion } from '../../config/config.ts';
import type { SecretNode, WeightedCluster } from './cluster.ts';
import type { ExternalAuthorization, GlobalRateLimit } from './guards.ts';
import type { CorsPolicy, IpFilter, LocalRateLimit } from './host-policies.ts';
import type { JwtVerification } from './jwt.ts';
import type { Origin } from './origin.ts';
import type { Route } from './route.ts';

/** How a secure virtual host ends TLS. */
export interface TlsTermination {
  readonly type: 'terminate';
  /** More than one only where a Gateway listener names several. Never empty. */
  readonly secrets: readonly SecretNode[];
  readonly minVersion: TlsVersion;
  readonly maxVersion: TlsVersion;
  /** Set where clients are asked for certificates. */
  readonly clientValidation?: ClientValidation;
  /**
   * The certificate that the host is also served with to clients whose server name is that of no host, or who give none. Never beside
   * what guards a host: client validation, authorization or JWT verification.
   */
  readonly fallback?: SecretNode;
}

/** Which certificates clients must show, and what the backend is told of them. */
export interface ClientValidation {
  /** PEM of the authorities whose certificates are good. Absent only with `skipVerification`. */
  readonly caCertificates?: string;
  /** Every certificate is taken; it is the backend, or the authorization server, that looks at it. */
  readonly skipVerification: boolean;
  /** Clients without a certificate are served too. */
  readonly optional: boolean;
  /** Revoked certificates are refused. Only with `caCertificates`. */
  readonly revocation?: {
    /** PEM of one or more lists. */
    readonly crl: string;
    /** The lists are for the client's own certificate alone, not for the authorities between. */
    readonly leafOnly: boolean;
  };
  /** The details that the backend gets in `x-forwarded-client-cert`. Absent: none, and the header of a client is taken away. */
  readonly forward?: ClientCertificateDetails;
}

export interface ClientCertificateDetails {
  readonly subject: boolean;
  readonly cert: boolean;
  readonly chain: boolean;
  readonly dns: boolean;
  readonly uri: boolean;
}

/** The TLS stream goes on as it is; needs a tcpProxy. */
export interface TlsPassthrough {
  readonly type: 'passthrough';
}

/**
 * Bytes go to the clusters as they are. On a listener of protocol `tcp` it is the whole listener's and stands on the
 * virtual host `*`, which has no `tls`.
 */
export interface TcpProxy {
  /** Clusters of weight 0 are left out; when all are 0, all count 1. Never empty. */
  readonly clusters: readonly WeightedCluster[];
  readonly origin: Origin;
}

/** Which front end a part comes from; a later one wins where two claim the same (Ingress < HTTPProxy < GatewayAPI). */
export type Source = 'Ingress' | 'HTTPProxy' | 'GatewayAPI';

/**
 * A root's share in one virtual host of one listener. Parts of all roots on one (listener, host) are merged
 * by `mergeVirtualHost` in an order that depends on the parts alone.
 */
export interface VirtualHostPart {
  readonly listener: string;
  /** Lower case: a host, `*.suffix`, or `*`. */
  readonly host: string;
  readonly source: Source;
  /** For precedence within a source: the older wins; RFC 3339 or `''`. */
  readonly createdAt: string;
  readonly routes: readonly Route[];
  /** On HTTPS listeners. A part without it adds routes to a host that another part of the same source secures. */
  readonly tls?: TlsTermination | TlsPassthrough;
  readonly tcpProxy?: TcpProxy;
  /** Who is asked about requests, in place of what the listener has. Only on a host with a filter chain of its own. */
  readonly authorization?: ExternalAuthorization;
  /** What the rate limit service is asked about every request. */
  readonly globalRateLimit?: GlobalRateLimit;
  readonly cors?: CorsPolicy;
  /** Whose requests come through, on routes without a filter of their own. */
  readonly ipFilter?: IpFilter;
  /** How many requests come through, on routes without a limit of their own. */
  readonly localRateLimit?: LocalRateLimit;
  /** What tokens are checked by. Only on a host with a filter chain of its own. */
  readonly jwt?: JwtVerification;
  readonly origin: Origin;
}

/** One host of one listener, merged. A value that did not change keeps its identity from build to build. */
export interface VirtualHost {
  readonly listener: string;
  readonly host: string;
  /** Sorted by `compareRoutes`; no two have the same match. */
  readonly routes: readonly Route[];
  readonly tls?: TlsTermination | TlsPassthrough;
  readonly tcpProxy?: TcpProxy;
  /** Who is asked about requests, in place of what the listener has. Only on a host with a filter chain of its own. */
  readonly authorization?: ExternalAuthorization;
  /** What the rate limit service is asked about every request. */
  readonly globalRateLimit?: GlobalRateLimit;
  readonly cors?: CorsPolicy;
  /** Whose requests come through, on routes without a filter of their own. */
  readonly ipFilter?: IpFilter;
  /** How many requests come through, on routes without a limit of their own. */
  readonly localRateLimit?: LocalRateLimit;
  /** What tokens are checked by. Only on a host with a filter chain of its own. */
  readonly jwt?: JwtVerification;
  /** The objects that the host is made of, in order of precedence. */
  readonly origins: readonly Origin[];
  /** Routes that lost to another part's equal match, for the status of who lost. */
  readonly dropped: readonly DroppedRoute[];
  /** Routes that answer 503, since they would be served without what they ask for: for the status of who has them. Absent: none. */
  readonly withheld?: readonly WithheldRoute[];
}

/** What the filters of a host's own chain enforce, and the fields that they may depend on: none that its routes change. */
export type ChainGuards = Pick<VirtualHost, 'authorization' | 'jwt'>;

/** A route that is not served since a filter chain would not enforce what it asks for. It takes a bug to bring one about. */
export interface WithheldRoute {
  readonly origin: Origin;
  /** Such as `external authorization`. */
  readonly missing: string;
}

/** A route that is not served because an equal match of a part with precedence is. */
export interface DroppedRoute {
  readonly route: Route;
  readonly winner: Origin;
}
