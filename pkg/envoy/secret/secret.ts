import type { SecretNode } from '../../dag/model/cluster.ts';
import { SdsSecretConfig, Secret } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import type { SourceKind } from '../config-source.ts';
import { configSource } from '../config-source.ts';
import { secretName } from '../names.ts';

/** The SDS resource of a certificate with its key. */
export function tlsSecret(secret: SecretNode): Secret {
  const bytes = (text: string) => ({ specifier: { $case: 'inlineBytes' as const, value: new TextEncoder().encode(text) } });
  return Secret.fromPartial({
    name: secretName(secret),
    type: {
      $case: 'tlsCertificate',
      value: { certificateChain: bytes(secret.certificate), privateKey: bytes(secret.privateKey) },
    },
  });
}

/** How a TLS context refers to a certificate. */
export function sdsSecret(secret: SecretNode, source: SourceKind): SdsSecretConfig {
  return SdsSecretConfig.fromPartial({ name: secretName(secret), sdsConfig: configSource(source) });
}
