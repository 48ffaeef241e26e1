import type { Cluster } from './cluster.ts';

/** What the tokens of a host's clients are checked by. @see reference 3.6 */
export interface JwtVerification {
  /** By name, in order. Never empty. */
  readonly providers: readonly JwtProvider[];
}

/** Who makes tokens, and how they are told from others. */
export interface JwtProvider {
  readonly name: string;
  /** `''`: anybody. */
  readonly issuer: string;
  /** Of these a token must be for one; empty: for anybody. */
  readonly audiences: readonly string[];
  /** Whether the token goes on to the backend. */
  readonly forward: boolean;
  readonly keys: RemoteKeySet | LocalKeySet;
}

/** A key set that Envoy fetches. */
export interface RemoteKeySet {
  readonly type: 'remote';
  readonly uri: string;
  readonly cluster: Cluster;
  readonly timeoutMs: number;
  /** Absent is Envoy's default, five minutes. */
  readonly cacheDurationMs?: number;
}

export interface LocalKeySet {
  readonly type: 'local';
  /** JSON, checked. */
  readonly keys: string;
}

/** What a route asks of tokens. */
export interface RouteJwt {
  /** The name of a provider of its host. */
  readonly provider: string;
}
