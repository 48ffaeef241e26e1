import type { Config, TlsFiles } from '../../config/config.ts';
import { Secret } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { sealedName } from '../names.ts';

/** The SDS names of what the stats listener serves with: Contour's, or such as no server name can be. */
export function statsSecretNames({ listener }: Config): { readonly certificate: string; readonly ca: string } {
  const named = (name: string) => (listener.tls.certificates === 'on-demand' ? sealedName(name) : name);
  return { certificate: named('metrics-tls-certificate'), ca: named('metrics-ca-certificate') };
}

/** The SDS resources of the stats listener: files of Envoy's container, which Envoy reads and watches. */
export function statsSecrets(config: Config, { certFile, keyFile, caFile }: TlsFiles): readonly Secret[] {
  const names = statsSecretNames(config);
  const file = (path: string) => ({ specifier: { $case: 'filename' as const, value: path } });
  const certificate = Secret.fromPartial({
    name: names.certificate,
    type: { $case: 'tlsCertificate', value: { certificateChain: file(certFile), privateKey: file(keyFile) } },
  });
  if (caFile === undefined) return [certificate];
  const ca = Secret.fromPartial({
    name: names.ca,
    type: { $case: 'validationContext', value: { trustedCa: file(caFile) } },
  });
  return [ca, certificate];
}
