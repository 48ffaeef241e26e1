import 'reflect-metadata';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  AuthorityKeyIdentifierExtension,
  X509Certificate as Certificate,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectKeyIdentifierExtension,
} from '@peculiar/x509';
import { parse } from 'yaml';
import { silentLogger } from '../util/logger.ts';
import { type GeneratedCertificates, generateCertificates } from './certgen.ts';
import { type CertgenOptions, certgenOutputs, type SecretManifest } from './certgen-outputs.ts';

const now = new Date('2026-03-01T12:00:00Z');
const criticalOf = (extensions: readonly Extension[]) => extensions.filter(({ critical }) => critical).map(({ type }) => type);

describe('generateCertificates', () => {
  let made: GeneratedCertificates;
  let authority: X509Certificate;
  beforeAll(async () => {
    made = await generateCertificates({ namespace: 'ingress', lifetimeDays: 30, now });
    authority = new X509Certificate(made.ca);
  });

  test('the authority is one, and signs itself', () => {
    expect(authority.ca).toBe(true);
    expect(authority.subject).toBe('CN=Project Contour');
    expect(authority.verify(authority.publicKey)).toBe(true);
  });

  test.each(['contour', 'envoy'] as const)('%s has a certificate by the authority for the names of its service', (service) => {
    const leaf = new X509Certificate(made[service].cert);
    expect(leaf.subject).toBe(`CN=${service}`);
    expect(leaf.checkIssued(authority)).toBe(true);
    expect(leaf.verify(authority.publicKey)).toBe(true);
    expect(leaf.ca).toBe(false);
    const names = [service, `${service}.ingress`, `${service}.ingress.svc`, `${service}.ingress.svc.cluster.local`];
    expect(leaf.subjectAltName).toBe(names.map((name) => `DNS:${name}`).join(', '));
  });

  test('usages are those of Contour, none is an extended one, and what is critical says so', () => {
    const usages = (pem: string) => {
      const { extensions } = new Certificate(pem);
      return { usages: extensions.find((one) => one instanceof KeyUsagesExtension)?.usages, critical: criticalOf(extensions) };
    };
    const { digitalSignature, nonRepudiation, keyEncipherment, dataEncipherment, keyCertSign } = KeyUsageFlags;
    const leaf = { usages: digitalSignature | nonRepudiation | keyEncipherment | dataEncipherment, critical: ['2.5.29.15'] };
    expect(usages(made.ca)).toEqual({ usages: keyCertSign, critical: ['2.5.29.19', '2.5.29.15'] });
    expect(usages(made.contour.cert)).toEqual(leaf);
    expect(usages(made.envoy.cert)).toEqual(leaf);
    expect(new X509Certificate(made.envoy.cert).keyUsage).toBeUndefined(); // Node shows the extended usages here
  });

  test('a leaf names the key that signed it', () => {
    const leaf = new Certificate(made.envoy.cert).getExtension(AuthorityKeyIdentifierExtension);
    expect(leaf?.keyId).toBe(new Certificate(made.ca).getExtension(SubjectKeyIdentifierExtension)?.keyId);
  });

  test.each(['contour', 'envoy'] as const)('the key of %s belongs to it, is RSA-2048, and is in PKCS#1', (service) => {
    expect(made[service].key).toContain('BEGIN RSA PRIVATE KEY');
    const key = createPrivateKey(made[service].key);
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(new X509Certificate(made[service].cert).checkPrivateKey(key)).toBe(true);
  });

  test('certificates hold from a day ago for the lifetime', () => {
    for (const cert of [made.ca, made.contour.cert, made.envoy.cert]) {
      const { validFromDate, validToDate } = new X509Certificate(cert);
      expect(validFromDate.toISOString()).toBe('2026-02-28T12:00:00.000Z');
      expect(validToDate.toISOString()).toBe('2026-03-31T12:00:00.000Z');
    }
  });

  test('no serial number is given twice', () => {
    const serials = [made.ca, made.contour.cert, made.envoy.cert].map((cert) => new X509Certificate(cert).serialNumber);
    expect(new Set(serials).size).toBe(3);
    expect(BigInt(`0x${serials[0]}`)).toBe(BigInt(now.getTime()) * 1_000_000n);
  });

  test.each([0, -1, 1.5, Number.NaN, 1e9])('a lifetime of %d days is refused', async (lifetimeDays) => {
    await expect(generateCertificates({ namespace: 'x', lifetimeDays, now })).rejects.toThrow(RangeError);
  });
});

describe('certgenOutputs', () => {
  let dir: string;
  let options: CertgenOptions;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'isoline-certgen-'));
    const none = { pem: false, yaml: false, overwrite: false, secretsFormat: 'legacy', secretsNameSuffix: '' };
    options = { ...none, namespace: 'projectcontour', now, outputDir: join(dir, 'certs'), logger: silentLogger };
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const read = (name: string): string => readFileSync(join(options.outputDir, name), 'utf8');
  const decode = (secret: SecretManifest, key: string): string => Buffer.from(secret.data[key] ?? '', 'base64').toString();

  test('PEM files have the names of Contour and are for their owner only', async () => {
    await certgenOutputs({ ...options, pem: true });
    expect(readdirSync(options.outputDir)).toEqual(['cacert.pem', 'contourcert.pem', 'contourkey.pem', 'envoycert.pem', 'envoykey.pem']);
    expect(statSync(join(options.outputDir, 'contourkey.pem')).mode & 0o777).toBe(0o600);
    expect(new X509Certificate(read('envoycert.pem')).checkPrivateKey(createPrivateKey(read('envoykey.pem')))).toBe(true);
  });

  test('legacy manifests: two TLS Secrets and the authority', async () => {
    await certgenOutputs({ ...options, yaml: true, secretsNameSuffix: '-v1' });
    expect(readdirSync(options.outputDir)).toEqual(['cacert-v1.yaml', 'contourcert-v1.yaml', 'envoycert-v1.yaml']);
    const contour = parse(read('contourcert-v1.yaml')) as SecretManifest;
    expect(contour).toMatchObject({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name: 'contourcert-v1', namespace: 'projectcontour', labels: { app: 'contour' } },
    });
    expect(Object.keys(contour.data)).toEqual(['tls.crt', 'tls.key']);
    const authority = parse(read('cacert-v1.yaml')) as SecretManifest;
    expect(authority.type).toBe('Opaque');
    const leaf = new X509Certificate(decode(contour, 'tls.crt'));
    expect(leaf.checkIssued(new X509Certificate(decode(authority, 'cacert.pem')))).toBe(true);
  });

  test('compact manifests: the authority is in each', async () => {
    await certgenOutputs({ ...options, yaml: true, secretsFormat: 'compact' });
    expect(readdirSync(options.outputDir)).toEqual(['contourcert.yaml', 'envoycert.yaml']);
    expect(Object.keys((parse(read('envoycert.yaml')) as SecretManifest).data)).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  });

  test('a file in the way is an error that names it, and nothing is written', async () => {
    await certgenOutputs({ ...options, pem: true });
    rmSync(join(options.outputDir, 'cacert.pem'));
    const before = read('envoykey.pem');
    await expect(certgenOutputs({ ...options, pem: true })).rejects.toThrow('envoykey.pem');
    expect(readdirSync(options.outputDir)).not.toContain('cacert.pem');
    expect(read('envoykey.pem')).toBe(before);
  });

  test('--overwrite replaces files, and narrows their mode', async () => {
    await certgenOutputs({ ...options, pem: true });
    const path = join(options.outputDir, 'envoykey.pem');
    rmSync(path);
    writeFileSync(path, 'old', { mode: 0o644 });
    await certgenOutputs({ ...options, pem: true, overwrite: true });
    expect(read('envoykey.pem')).toContain('BEGIN RSA PRIVATE KEY');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test.each([
    { overwrite: false, replaced: [] },
    { overwrite: true, replaced: ['contourcert'] },
  ])('a Secret that exists with --overwrite=$overwrite', async ({ overwrite, replaced }) => {
    const calls = { created: [] as string[], replaced: [] as string[] };
    const kube = {
      create: async ({ metadata }: SecretManifest) => metadata.name !== 'contourcert' && calls.created.push(metadata.name) > 0,
      replace: async ({ metadata }: SecretManifest) => void calls.replaced.push(metadata.name),
    };
    await certgenOutputs({ ...options, kube, overwrite });
    expect(calls).toEqual({ created: ['cacert', 'envoycert'], replaced });
  });

  const refusals: readonly { readonly wrong: Partial<CertgenOptions>; readonly message: string }[] = [
    { wrong: { namespace: 'Not_A_Label' }, message: 'the namespace "Not_A_Label" is not a DNS label' },
    { wrong: { namespace: '' }, message: 'the namespace "" is not a DNS label' },
    { wrong: { secretsFormat: 'pretty' }, message: '"pretty" is neither "legacy" nor "compact"' },
    { wrong: { secretsNameSuffix: '/../x' }, message: 'not a DNS subdomain' },
    { wrong: { secretsNameSuffix: '-' }, message: 'not a DNS subdomain' },
  ];
  test.each(refusals)('$wrong is refused before anything is written', async ({ wrong, message }) => {
    await expect(certgenOutputs({ ...options, pem: true, yaml: true, ...wrong })).rejects.toThrow(message);
    expect(readdirSync(dir)).toEqual([]);
  });
});
