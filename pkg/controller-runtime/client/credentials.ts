import type { RequestOptions } from 'node:https';

/** The TLS side of a connection. Values are PEM. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  /** False accepts any server certificate. Default: true. */
  readonly rejectUnauthorized?: boolean;
}

/** What one request needs to be accepted. */
export interface Authorization {
  readonly headers: Readonly<Record<string, string>>;
  /** The same object as long as the connections made with it may be used. */
  readonly tls: TlsOptions;
  /** An agent to use instead of one made from `tls`, such as one that goes through a proxy. */
  readonly agent?: RequestOptions['agent'];
}

/** Who we are, at which server. */
export interface Credentials {
  /** URL of the API server, without a slash at its end. */
  readonly server: string;
  /** The namespace that the context names, if it names one. */
  readonly namespace?: string;
  /**
   * What the next request needs. Tokens and certificates in files are read again from time to time.
   * @param refused true: the server refused the last answer (401), so nothing that is remembered is good
   * @throws {CredentialsError} where a file is missing or a plugin failed
   */
  authorize(refused: boolean): Promise<Authorization>;
}
