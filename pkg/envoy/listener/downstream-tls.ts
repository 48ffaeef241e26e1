import type { ListenerConfig } from '../../config/config.ts';
import type { ClientValidation, TlsTermination } from '../../dag/model/virtual-host.ts';
import { TransportSocket } from '../../envoy-api/envoy/config/core/v3/base.ts';
import {
  CertificateValidationContext,
  CertificateValidationContext_TrustChainVerification,
} from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/common.ts';
import { type CommonTlsContext, DownstreamTlsContext } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/tls.ts';
import type { SourceKind } from '../config-source.ts';
import { packed } from '../protobuf.ts';
import { sdsSecret } from '../secret/secret.ts';
import { higherVersion, lowerVersion, tlsParameters } from '../tls-parameters.ts';

const alpnNames = { 'HTTP/1.1': 'http/1.1', 'HTTP/2': 'h2' } as const;

/** How Envoy ends TLS for one host (reference §8.3): the bounds of the virtual host and the configuration both hold. */
export function downstreamTlsSocket(
  tls: TlsTermination,
  alpn: readonly string[],
  config: ListenerConfig,
  source: SourceKind,
): TransportSocket {
  const tlsParams = tlsParameters({
    ...config.tls,
    minVersion: higherVersion(tls.minVersion, config.tls.minVersion),
    maxVersion: lowerVersion(tls.maxVersion, config.tls.maxVersion),
  });
  const context = DownstreamTlsContext.fromPartial({
    ...clientValidationFields(tls.clientValidation),
    commonTlsContext: {
      ...validationContextOf(tls.clientValidation),
      tlsParams,
      alpnProtocols: [...alpn],
      tlsCertificateSdsSecretConfigs: tls.secrets.map((secret) => sdsSecret(secret, source)),
    },
  });
  return tlsSocket(context);
}

function clientValidationFields(validation: ClientValidation | undefined): Pick<Partial<DownstreamTlsContext>, 'requireClientCertificate'> {
  return validation === undefined ? {} : { requireClientCertificate: !validation.optional };
}

/** Without authorities Envoy would verify nothing and say nothing of it; that is only what `skipVerification` asks for. */
function validationContextOf(validation: ClientValidation | undefined): Pick<Partial<CommonTlsContext>, 'validationContextType'> {
  if (validation === undefined) return {};
  const { caCertificates, skipVerification, revocation } = validation;
  const bytes = (text: string) => ({ specifier: { $case: 'inlineBytes' as const, value: new TextEncoder().encode(text) } });
  const { ACCEPT_UNTRUSTED, VERIFY_TRUST_CHAIN } = CertificateValidationContext_TrustChainVerification;
  const value = CertificateValidationContext.fromPartial({
    ...(caCertificates !== undefined && { trustedCa: bytes(caCertificates) }),
    ...(revocation && { crl: bytes(revocation.crl), onlyVerifyLeafCertCrl: revocation.leafOnly }),
    trustChainVerification: skipVerification ? ACCEPT_UNTRUSTED : VERIFY_TRUST_CHAIN,
  });
  return { validationContextType: { $case: 'validationContext', value } };
}

/** A transport socket for a TLS context. */
export function tlsSocket(context: DownstreamTlsContext): TransportSocket {
  return TransportSocket.fromPartial({
    name: 'envoy.transport_sockets.tls',
    configType: { $case: 'typedConfig', value: packed(DownstreamTlsContext, context) },
  });
}

/** The protocols that clients may choose from, the better first. */
export function httpAlpn({ httpVersions }: ListenerConfig): readonly string[] {
  return (['HTTP/2', 'HTTP/1.1'] as const).filter((version) => httpVersions.includes(version)).map((version) => alpnNames[version]);
}
