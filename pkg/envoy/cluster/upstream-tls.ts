import type { ClusterConfig } from '../../config/config.ts';
import type { Cluster, UpstreamValidation } from '../../dag/model/cluster.ts';
import { TransportSocket } from '../../envoy-api/envoy/config/core/v3/base.ts';
import {
  CertificateValidationContext,
  SubjectAltNameMatcher_SanType,
} from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/common.ts';
import { UpstreamTlsContext } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/tls.ts';
import type { SourceKind } from '../config-source.ts';
import { packed } from '../protobuf.ts';
import { sdsSecret } from '../secret/secret.ts';
import { tlsParameters } from '../tls-parameters.ts';
import { usesTls } from './cluster-name.ts';

/** How Envoy speaks TLS to an upstream (reference §8.7); `undefined` in the clear. */
export function upstreamTlsSocket(cluster: Cluster, config: ClusterConfig, source: SourceKind): TransportSocket | undefined {
  if (!usesTls(cluster)) return undefined;
  const { clientCertificate, upstreamValidation } = cluster;
  const context = UpstreamTlsContext.fromPartial({
    sni: cluster.sni ?? '',
    commonTlsContext: {
      tlsParams: tlsParameters(config.upstreamTls),
      alpnProtocols: cluster.protocol === 'h2' ? ['h2'] : [],
      tlsCertificateSdsSecretConfigs: clientCertificate ? [sdsSecret(clientCertificate, source)] : [],
      ...(upstreamValidation &&
        isComplete(upstreamValidation) && {
          validationContextType: { $case: 'validationContext', value: validationContext(upstreamValidation) },
        }),
    },
  });
  return TransportSocket.fromPartial({
    name: 'envoy.transport_sockets.tls',
    configType: { $case: 'typedConfig', value: packed(UpstreamTlsContext, context) },
  });
}

/** Without a CA, or without a name to look for, nothing can be verified. */
function isComplete(validation: UpstreamValidation): boolean {
  return validation.caCertificates !== '' && validation.subjectNames.length > 0;
}

function validationContext(validation: UpstreamValidation): CertificateValidationContext {
  return CertificateValidationContext.fromPartial({
    trustedCa: { specifier: { $case: 'inlineBytes', value: new TextEncoder().encode(validation.caCertificates) } },
    matchTypedSubjectAltNames: validation.subjectNames.map((name) => ({
      sanType: SubjectAltNameMatcher_SanType.DNS,
      matcher: { matchPattern: { $case: 'exact' as const, value: name } },
    })),
  });
}
