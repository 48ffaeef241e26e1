import type { TlsParameters as TlsConfig, TlsVersion } from '../config/config.ts';
import { TlsParameters, TlsParameters_TlsProtocol } from '../envoy-api/envoy/extensions/transport_sockets/tls/v3/common.ts';

const protocols = { '1.2': TlsParameters_TlsProtocol.TLSv1_2, '1.3': TlsParameters_TlsProtocol.TLSv1_3 } as const;

/** TLS versions, ciphers and curves. */
export function tlsParameters(config: TlsConfig): TlsParameters {
  return TlsParameters.fromPartial({
    tlsMinimumProtocolVersion: protocols[config.minVersion],
    tlsMaximumProtocolVersion: protocols[config.maxVersion],
    cipherSuites: [...config.cipherSuites],
    ecdhCurves: [...config.ecdhCurves],
  });
}

/** The higher of two versions. */
export function higherVersion(a: TlsVersion, b: TlsVersion): TlsVersion {
  return a > b ? a : b;
}

/** The lower of two versions. */
export function lowerVersion(a: TlsVersion, b: TlsVersion): TlsVersion {
  return a < b ? a : b;
}
