import { bootstrap } from '../../pkg/envoy/bootstrap/bootstrap.ts';
import { toJson } from '../../pkg/envoy/json.ts';
import { Bootstrap } from '../../pkg/envoy-api/envoy/config/bootstrap/v3/bootstrap.ts';

/** The bootstrap with every setting at its default, as JSON. */
export function printBootstrap(namespace: string): unknown {
  const message = bootstrap({
    namespace,
    xdsAddress: '127.0.0.1',
    xdsPort: 8001,
    adminAddress: '/admin/admin.sock',
    adminPort: 9001,
    dnsLookupFamily: 'auto',
    maximumHeapSizeBytes: 0,
    maximumDownstreamConnections: 0,
  });
  return toJson('envoy.config.bootstrap.v3.Bootstrap', Bootstrap.encode(message).finish());
}
