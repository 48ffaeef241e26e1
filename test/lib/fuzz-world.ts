/** What random objects refer to, so that Envoy gets every feature: Services, Secrets, extensions, and two configurations. */
import 'reflect-metadata'; // @peculiar/x509 does not load without it
import { webcrypto } from 'node:crypto';
import { PemConverter, X509CrlGenerator } from '@peculiar/x509';
import type { Config } from '../../pkg/config/config.ts';
import { selfSigned } from './certificates.ts';
import type { ControlPlaneOptions } from './control-plane.ts';
import { endpointSlice, manifest, service, tlsSecret } from './manifests.ts';

/** Whether the configuration has an authorization server for all hosts. */
export type FuzzVariant = 'plain' | 'authorized';

/** Options of a control plane for `fuzzWorld`. */
export async function fuzzOptions(variant: FuzzVariant): Promise<ControlPlaneOptions> {
  const leaf = await selfSigned({ commonName: 'app.example.com', dnsNames: ['*.example.com'] });
  const values = { 'leaf-a.crt': leaf.certificate, 'leaf-a.key': leaf.privateKey, 'crl.pem': await emptyRevocationList() };
  return { values, config: () => (variant === 'plain' ? services : { ...services, ...authorization }) };
}

const services: Partial<Config> = {
  enableExternalNameService: true,
  fallbackCertificate: { namespace: 'demo', name: 'tls-a' },
  clientCertificate: { namespace: 'demo', name: 'tls-a' },
  rateLimitService: {
    extensionService: { namespace: 'demo', name: 'limits' },
    domain: 'fuzz',
    failOpen: false,
    enableXRateLimitHeaders: true,
    enableResourceExhaustedCode: true,
    defaultPolicy: { descriptors: [{ entries: [{ remoteAddress: {} }] }] },
  },
};

const authorization: Partial<Config> = {
  globalExtAuth: {
    extensionService: { namespace: 'demo', name: 'ext' },
    serviceType: 'grpc',
    responseTimeoutMs: 500,
    failOpen: false,
    authPolicy: { context: { from: 'configuration' } },
    withRequestBody: { maxRequestBytes: 1024, allowPartialMessage: true, packAsBytes: false },
  },
};

async function emptyRevocationList(): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const { privateKey } = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const list = await X509CrlGenerator.create({
    issuer: 'CN=app.example.com',
    thisUpdate: new Date('2020-01-01T00:00:00Z'),
    nextUpdate: new Date('2100-01-01T00:00:00Z'),
    entries: [],
    signingAlgorithm: algorithm,
    signingKey: privateKey,
  });
  return `${PemConverter.encode(list.rawData, 'X509 CRL')}\n`;
}

const keySet = '{"keys":[{"kty":"oct","kid":"a","k":"AAAA"}]}';

const extension = (name: string): string =>
  manifest('projectcontour.io/v1alpha1', 'ExtensionService', name, 'spec: {protocol: h2c, services: [{name: web, port: 80}]}');

const delegations = '[{secretName: tls-b, targetNamespaces: ["*"]}]';

/** In YAML: what is meant to be there, in `demo` and `other`. */
export const fuzzWorld = [
  manifest('v1', 'Namespace', '/demo', ''),
  manifest('v1', 'Namespace', '/other', ''),
  ...['web', 'api', 'named'].map((name, index) => service(name) + endpointSlice(name, index + 1)),
  ...['h2c', 'tls'].map(
    (name, index) => service(name, `[{name: http, port: 80, appProtocol: ${protocols(name)}}]`) + endpointSlice(name, index + 4),
  ),
  manifest('v1', 'Service', 'outside', 'spec: {type: ExternalName, externalName: outside.example.com, ports: [{name: http, port: 80}]}'),
  tlsSecret('tls-a', 'leaf-a'),
  tlsSecret('other/tls-b', 'leaf-a'),
  manifest('v1', 'Secret', 'garbage', 'type: kubernetes.io/tls, stringData: {tls.crt: garbage, tls.key: garbage, ca.crt: garbage}'),
  ...['ca', 'other/ca'].map((id) => manifest('v1', 'Secret', id, 'type: Opaque, stringData: {ca.crt: "${leaf-a.crt}"}')),
  manifest('v1', 'Secret', 'crl', 'type: Opaque, stringData: {crl.pem: "${crl.pem}"}'),
  manifest('v1', 'Secret', 'jwks', `type: Opaque, stringData: {keys: '${keySet}'}`),
  ...['ext', 'limits'].map(extension),
  manifest('projectcontour.io/v1', 'TLSCertificateDelegation', 'other/all', `spec: {delegations: ${delegations}}`),
].join('');

function protocols(name: string): string {
  return name === 'tls' ? 'https' : 'kubernetes.io/h2c';
}
