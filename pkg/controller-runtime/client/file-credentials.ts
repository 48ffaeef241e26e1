import { readFileSync } from 'node:fs';
import type { Clock } from '../clock/clock.ts';
import type { Authorization, Credentials, TlsOptions } from './credentials.ts';
import { CredentialsError } from './errors.ts';

/** Text that is known, or that is in a file which may change. */
export type Material = { readonly value: string } | { readonly file: string };

/** Where the parts of plain credentials are. */
export interface CredentialSources {
  readonly server: string;
  readonly namespace?: string;
  readonly ca?: Material;
  readonly cert?: Material;
  readonly key?: Material;
  /** Bearer token. */
  readonly token?: Material;
  /** `user:password`. */
  readonly basic?: string;
  /** User to act as. */
  readonly impersonate?: string;
  readonly servername?: string;
  readonly skipVerify?: boolean;
}

/** Tokens in files are renewed by the kubelet long before they end: reading them once a minute is enough. */
const rereadMs = 60_000;

/** Credentials that need no plugin. Files are read again every minute, and at once after a refusal. */
export function fileCredentials(sources: CredentialSources, clock: Clock): Credentials {
  let remembered: Authorization | undefined;
  let readMs = 0;
  return {
    server: sources.server,
    ...(sources.namespace !== undefined && { namespace: sources.namespace }),
    authorize: async (refused) => {
      const nowMs = clock.monotonicMs();
      if (remembered !== undefined && !refused && nowMs - readMs < rereadMs) return remembered;
      const fresh = readAll(sources);
      // Connections are kept as long as what they were made with is the same.
      const tls = remembered !== undefined && sameTls(remembered.tls, fresh.tls) ? remembered.tls : fresh.tls;
      remembered = { headers: fresh.headers, tls };
      readMs = nowMs;
      return remembered;
    },
  };
}

function readAll(sources: CredentialSources): Authorization {
  const token = read(sources.token)?.trim();
  const authorization =
    token !== undefined
      ? `Bearer ${token}`
      : sources.basic !== undefined
        ? `Basic ${Buffer.from(sources.basic).toString('base64')}`
        : undefined;
  return {
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(sources.impersonate !== undefined && { 'impersonate-user': sources.impersonate }),
    },
    tls: readTls(sources),
  };
}

function readTls(sources: CredentialSources): TlsOptions {
  const ca = read(sources.ca);
  const cert = read(sources.cert);
  const key = read(sources.key);
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(sources.servername !== undefined && { servername: sources.servername }),
    ...(sources.skipVerify === true && { rejectUnauthorized: false }),
  };
}

function read(material: Material | undefined): string | undefined {
  if (material === undefined) return undefined;
  if ('value' in material) return material.value;
  try {
    return readFileSync(material.file, 'utf8');
  } catch (cause) {
    throw new CredentialsError(`credentials in ${material.file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function sameTls(a: TlsOptions, b: TlsOptions): boolean {
  return a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}
