import type { TlsFiles } from '../../config/config.ts';
import { Secret } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';

/** The SDS names of what the stats listener serves with, as Contour's. */
export const statsCertificateName = 'metrics-tls-certificate';
export const statsCaName = 'metrics-ca-certificate';

/** The SDS resources of the stats listener: files of Envoy's container, which Envoy reads and watches. */
export function statsSecrets({ certFile, keyFile, caFile }: TlsFiles): readonly Secret[] {
  const file = (path: string) => ({ specifier: { $case: 'filename' as const, value: path } });
  const certificate = Secret.fromPartial({
    name: statsCertificateName,
    type: { $case: 'tlsCertificate', value: { certificateChain: file(certFile), privateKey: file(keyFile) } },
  });
  if (caFile === undefined) return [certificate];
  const ca = Secret.fromPartial({
    name: statsCaName,
    type: { $case: 'validationContext', value: { trustedCa: file(caFile) } },
  });
  return [ca, certificate];
}
