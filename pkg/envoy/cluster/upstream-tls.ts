import type { ClusterConfig } from '../../config/config.ts';
import type { Cluster, UpstreamValidation } from '../../dag/model/cluster.ts';
import { TransportSocket } from '../../envoy-api/envoy/config/core/v3/base.ts';
import {
  CertificateValidationContext,
  SubjectAltNameMatcher_SanType,
} from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/common.ts';
import { UpstreamTlsContext } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/tls.ts';
import { StringMatcher } from '../../envoy-api/envoy/type/matcher/v3/string.ts';
import { quoteRegex } from '../../util/quote-regex.ts';
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
function isComplete({ caCertificates, subjectNames, subjectUris = [] }: UpstreamValidation): boolean {
  return caCertificates !== '' && subjectNames.length + subjectUris.length > 0;
}

function validationContext({ caCertificates, subjectNames, subjectUris = [] }: UpstreamValidation): CertificateValidationContext {
  const { DNS, URI } = SubjectAltNameMatcher_SanType;
  return CertificateValidationContext.fromPartial({
    trustedCa: { specifier: { $case: 'inlineBytes', value: new TextEncoder().encode(caCertificates) } },
    matchTypedSubjectAltNames: [
      ...subjectNames.map((name) => ({ sanType: DNS, matcher: nameMatcher(name) })),
      ...subjectUris.map((uri) => ({ sanType: URI, matcher: exactly(uri) })),
    ],
  });
}

/** Envoy's exact matcher knows wildcards in certificates, but not in what it looks for. */
function nameMatcher(name: string): StringMatcher {
  if (!name.startsWith('*.')) return exactly(name);
  return StringMatcher.fromPartial({ matchPattern: { $case: 'safeRegex', value: { regex: `[^.]+${quoteRegex(name.slice(1))}` } } });
}

function exactly(value: string): StringMatcher {
  return StringMatcher.fromPartial({ matchPattern: { $case: 'exact', value } });
}
