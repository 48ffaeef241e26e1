import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../util/logger.ts';

/** The files of a server's certificate, PEM. */
export interface CertificatePaths {
  readonly certFile: string;
  readonly keyFile: string;
  /** The authorities that client certificates are verified against. Absent: clients are not asked for one. */
  readonly caFile?: string;
}

/** The files' content: a certificate, the key that belongs to it, and the authorities. */
export interface CertificateMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
}

/**
 * Certificate files that are read again whenever they have changed, so that a certificate is rotated without a restart. It opens no
 * watch: a server asks at each new connection, which costs one `stat` a file. Files that cannot be used are logged once, and the last
 * good ones stay in use.
 */
export class CertificateFiles {
  readonly #paths: CertificatePaths;
  readonly #logger: Logger;
  #fingerprint: string;
  #material: CertificateMaterial;

  /** @throws {Error} naming the file, if one cannot be read or does not hold what it should. */
  constructor(paths: CertificatePaths, logger: Logger) {
    this.#paths = paths;
    this.#logger = logger;
    this.#fingerprint = fingerprint(paths);
    this.#material = readMaterial(paths);
  }

  /** What was read last and is good. */
  get material(): CertificateMaterial {
    return this.#material;
  }

  /** Reads the files again if they have changed. Says whether `material` is new. */
  refresh(): boolean {
    // Taken before the reading: what changes meanwhile is seen the next time.
    const now = fingerprint(this.#paths);
    if (now === this.#fingerprint) return false;
    this.#fingerprint = now;
    try {
      this.#material = readMaterial(this.#paths);
    } catch (error) {
      this.#logger.error({ error, ...this.#paths }, 'the new certificate files cannot be used; the ones before stay in use');
      return false;
    }
    this.#logger.info({ ...this.#paths }, 'certificate files were read again');
    return true;
  }
}

/** Changes with the files, also where they are links that are switched to another folder. */
function fingerprint(paths: CertificatePaths): string {
  return files(paths).map(stamp).join(' ');
}

function stamp(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? 'absent' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}

function files({ certFile, keyFile, caFile }: CertificatePaths): readonly string[] {
  return caFile === undefined ? [certFile, keyFile] : [certFile, keyFile, caFile];
}

function readMaterial({ certFile, keyFile, caFile }: CertificatePaths): CertificateMaterial {
  const cert = readCertificate(certFile);
  const key = readFile(keyFile);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new Error(`${keyFile} is not the private key of the certificate in ${certFile}`, { cause });
  }
  return caFile === undefined ? { cert, key } : { cert, key, ca: readCertificate(caFile) };
}

function readCertificate(path: string): Buffer {
  const pem = readFile(path);
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new Error(`${path} does not begin with a certificate in PEM`, { cause });
  }
  return pem;
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Error(`the certificate file ${path} cannot be read`, { cause });
  }
}
