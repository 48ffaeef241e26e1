import { TransportSocket } from '../../envoy-api/envoy/config/core/v3/base.ts';
import { ApiVersion, ConfigSource } from '../../envoy-api/envoy/config/core/v3/config_source.ts';
import {
  CertificateValidationContext,
  SubjectAltNameMatcher_SanType,
  TlsParameters_TlsProtocol,
} from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/common.ts';
import { Secret } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { UpstreamTlsContext } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/tls.ts';
import { packed } from '../protobuf.ts';
import type { XdsTlsFiles } from './options.ts';

const certificateName = 'contour_xds_tls_certificate';
const validationName = 'contour_xds_tls_validation_context';

/** The name that the control plane's certificate must have. */
const serverName = 'contour';

/** Listed, because Envoy's default has neither P-521 nor RSA with SHA-1, which control planes with old certificates need. */
const signatureAlgorithms = [
  'ecdsa_secp256r1_sha256',
  'ecdsa_secp384r1_sha384',
  'ecdsa_secp521r1_sha512',
  'rsa_pss_rsae_sha256',
  'rsa_pss_rsae_sha384',
  'rsa_pss_rsae_sha512',
  'rsa_pkcs1_sha256',
  'rsa_pkcs1_sha384',
  'rsa_pkcs1_sha512',
  'rsa_pkcs1_sha1',
];

/** How Envoy speaks TLS to the control plane: with the files themselves, or by way of the SDS files in the resources folder. */
export function xdsTlsSocket(files: XdsTlsFiles): TransportSocket {
  const { resourcesDir } = files;
  const context = UpstreamTlsContext.fromPartial({
    commonTlsContext: {
      tlsParams: {
        tlsMaximumProtocolVersion: TlsParameters_TlsProtocol.TLSv1_3,
        signatureAlgorithms: resourcesDir === undefined ? [] : signatureAlgorithms,
      },
      ...(resourcesDir === undefined
        ? {
            tlsCertificates: [tlsCertificate(files)],
            validationContextType: { $case: 'validationContext', value: validationContext(files) },
          }
        : {
            tlsCertificateSdsSecretConfigs: [{ name: certificateName, sdsConfig: fileSource(sdsPaths(resourcesDir).certificate) }],
            validationContextType: {
              $case: 'validationContextSdsSecretConfig',
              value: { name: validationName, sdsConfig: fileSource(sdsPaths(resourcesDir).validation) },
            },
          }),
    },
  });
  return TransportSocket.fromPartial({
    name: 'envoy.transport_sockets.tls',
    configType: { $case: 'typedConfig', value: packed(UpstreamTlsContext, context) },
  });
}

/** A file to write beside the bootstrap: a DiscoveryResponse with one Secret. */
export interface SdsFile {
  readonly path: string;
  readonly secret: Secret;
}

/** The SDS files for a resources folder; its folder `sds` has mode 0777, so that a container of another user can read it. */
export function sdsFiles(files: XdsTlsFiles & { readonly resourcesDir: string }): readonly SdsFile[] {
  const { certificate, validation } = sdsPaths(files.resourcesDir);
  return [
    {
      path: certificate,
      secret: Secret.fromPartial({ name: certificateName, type: { $case: 'tlsCertificate', value: tlsCertificate(files) } }),
    },
    {
      path: validation,
      secret: Secret.fromPartial({ name: validationName, type: { $case: 'validationContext', value: validationContext(files) } }),
    },
  ];
}

function sdsPaths(resourcesDir: string): { readonly certificate: string; readonly validation: string } {
  const folder = `${resourcesDir.replace(/\/+$/, '')}/sds`;
  return { certificate: `${folder}/xds-tls-certificate.json`, validation: `${folder}/xds-validation-context.json` };
}

function fileSource(path: string): ConfigSource {
  return ConfigSource.fromPartial({
    configSourceSpecifier: { $case: 'pathConfigSource', value: { path } },
    resourceApiVersion: ApiVersion.V3,
  });
}

function tlsCertificate({ certFile, keyFile }: XdsTlsFiles) {
  return { certificateChain: file(certFile), privateKey: file(keyFile) };
}

function validationContext({ caFile }: XdsTlsFiles): CertificateValidationContext {
  return CertificateValidationContext.fromPartial({
    trustedCa: file(caFile),
    matchTypedSubjectAltNames: [
      { sanType: SubjectAltNameMatcher_SanType.DNS, matcher: { matchPattern: { $case: 'exact', value: serverName } } },
    ],
  });
}

function file(path: string) {
  return { specifier: { $case: 'filename' as const, value: path } };
}
