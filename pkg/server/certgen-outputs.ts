import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Logger } from '../util/logger.ts';
import { type CertificateOptions, type GeneratedCertificates, generateCertificates } from './certgen.ts';

/** How the material is spread over Secrets: `compact` puts the authority into each, `legacy` into one of its own. */
export type SecretsFormat = 'legacy' | 'compact';

/** A Secret as it is written, apart from what the API server adds. */
export interface SecretManifest {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
  readonly type: string;
  /** Base64. */
  readonly data: Readonly<Record<string, string>>;
}

/** Writes Secrets to an API server. */
export interface SecretWriter {
  /** Gives `false`, and changes nothing, if there is such a Secret already. */
  create(secret: SecretManifest): Promise<boolean>;
  /** Overwrites the Secret that there is. */
  replace(secret: SecretManifest): Promise<void>;
}

export interface CertgenOptions extends CertificateOptions {
  /** Where files go. It is made if it is missing. Default of the command: `certs`. */
  readonly outputDir: string;
  /** Write PEM files. */
  readonly pem: boolean;
  /** Write Secret manifests. */
  readonly yaml: boolean;
  /** Write Secrets here. Absent: to no API server. */
  readonly kube?: SecretWriter;
  /** Replace files and Secrets that exist. Otherwise a file that exists is an error, and a Secret that exists is kept. */
  readonly overwrite: boolean;
  /** Checked here, because it is a user's text. */
  readonly secretsFormat: string;
  /** Goes at the end of each Secret's name. */
  readonly secretsNameSuffix: string;
  readonly logger: Logger;
}

interface OutputFile {
  readonly name: string;
  readonly content: string;
}

/**
 * Makes certificates and writes them wherever the options say. All options are checked, and files that are in the way found,
 * before anything is written.
 *
 * @throws {RangeError} for a wrong namespace, name, lifetime or format.
 * @throws {Error} if a file is in the way or cannot be written, or the API server refuses.
 */
export async function certgenOutputs(options: CertgenOptions): Promise<void> {
  checkNames(options);
  const certificates = await generateCertificates(options);
  const secrets = certificateSecrets(certificates, options);
  const files = [...(options.pem ? pemFiles(certificates) : []), ...(options.yaml ? manifestFiles(secrets) : [])];
  writeFiles(files, options);
  if (options.kube !== undefined) await writeSecrets(secrets, options.kube, options);
}

/** The PEM files, by Contour's names. */
export function pemFiles({ ca, contour, envoy }: GeneratedCertificates): readonly OutputFile[] {
  return [
    { name: 'cacert.pem', content: ca },
    { name: 'contourcert.pem', content: contour.cert },
    { name: 'contourkey.pem', content: contour.key },
    { name: 'envoycert.pem', content: envoy.cert },
    { name: 'envoykey.pem', content: envoy.key },
  ];
}

/** The Secrets of a format. @throws {RangeError} if the format is unknown. */
export function certificateSecrets(certificates: GeneratedCertificates, options: SecretOptions): readonly SecretManifest[] {
  const { ca, contour, envoy } = certificates;
  const authority = parseSecretsFormat(options.secretsFormat) === 'compact' ? { 'ca.crt': ca } : {};
  const pairs = [
    secret('contourcert', 'kubernetes.io/tls', { ...authority, 'tls.crt': contour.cert, 'tls.key': contour.key }, options),
    secret('envoycert', 'kubernetes.io/tls', { ...authority, 'tls.crt': envoy.cert, 'tls.key': envoy.key }, options),
  ];
  return 'ca.crt' in authority ? pairs : [secret('cacert', 'Opaque', { 'cacert.pem': ca }, options), ...pairs];
}

type SecretOptions = Pick<CertgenOptions, 'namespace' | 'secretsFormat' | 'secretsNameSuffix'>;

function secret(name: string, type: string, content: Readonly<Record<string, string>>, options: SecretOptions): SecretManifest {
  const data = Object.fromEntries(Object.entries(content).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  const metadata = { name: `${name}${options.secretsNameSuffix}`, namespace: options.namespace, labels: { app: 'contour' } };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type, data };
}

function manifestFiles(secrets: readonly SecretManifest[]): readonly OutputFile[] {
  return secrets.map((manifest) => ({ name: `${manifest.metadata.name}.yaml`, content: stringify(manifest) }));
}

function writeFiles(files: readonly OutputFile[], { outputDir, overwrite, logger }: CertgenOptions): void {
  if (files.length === 0) return;
  const inTheWay = files.map(({ name }) => join(outputDir, name)).filter((path) => existsSync(path));
  if (!overwrite && inTheWay.length > 0) throw new Error(`these files exist, and --overwrite is not given: ${inTheWay.join(', ')}`);
  mkdirSync(outputDir, { recursive: true, mode: 0o755 });
  for (const { name, content } of files) {
    const path = join(outputDir, name);
    writeFileSync(path, content, { mode: 0o600 });
    // The mode above counts for new files only.
    chmodSync(path, 0o600);
    logger.info({ path }, 'file written');
  }
}

async function writeSecrets(
  secrets: readonly SecretManifest[],
  writer: SecretWriter,
  { overwrite, logger }: CertgenOptions,
): Promise<void> {
  for (const manifest of secrets) {
    const { name, namespace } = manifest.metadata;
    if (await writer.create(manifest)) {
      logger.info({ namespace, name }, 'Secret created');
    } else if (overwrite) {
      await writer.replace(manifest);
      logger.info({ namespace, name }, 'Secret replaced');
    } else {
      logger.info({ namespace, name }, 'the Secret exists and is kept; --overwrite would replace it');
    }
  }
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const maxSubdomainLength = 253;

function checkNames(options: CertgenOptions): void {
  parseSecretsFormat(options.secretsFormat);
  if (!dnsLabel.test(options.namespace)) {
    throw new RangeError(`the namespace ${JSON.stringify(options.namespace)} is not a DNS label`);
  }
  for (const name of ['contourcert', 'envoycert', 'cacert'].map((name) => `${name}${options.secretsNameSuffix}`)) {
    const isSubdomain = name.length <= maxSubdomainLength && name.split('.').every((label) => dnsLabel.test(label));
    if (!isSubdomain) throw new RangeError(`the Secret name ${JSON.stringify(name)} is not a DNS subdomain; look at --secrets-name-suffix`);
  }
}

function parseSecretsFormat(text: string): SecretsFormat {
  if (text === 'legacy' || text === 'compact') return text;
  throw new RangeError(`the Secrets format ${JSON.stringify(text)} is neither "legacy" nor "compact"`);
}
