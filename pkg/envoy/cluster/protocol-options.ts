import type { ClusterConfig } from '../../config/config.ts';
import type { Cluster } from '../../dag/model/cluster.ts';
import { HttpProtocolOptions } from '../../envoy-api/envoy/extensions/upstreams/http/v3/http_protocol_options.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { packed, timeout } from '../protobuf.ts';

const optionsName = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/** The HTTP version and limits for an upstream; `undefined` where Envoy's default, HTTP/1.1, will do. */
export function protocolOptions(cluster: Cluster, config: ClusterConfig): { readonly [name: string]: Any } | undefined {
  const http2 = cluster.protocol === 'h2' || cluster.protocol === 'h2c';
  const idleTimeout = timeout(cluster.idleConnectionTimeoutMs);
  const maxRequestsPerConnection = cluster.maxRequestsPerConnection ?? config.maxRequestsPerConnection;
  const limited = idleTimeout !== undefined || maxRequestsPerConnection !== undefined;
  if (!http2 && !limited) return undefined;

  const options = HttpProtocolOptions.fromPartial({
    upstreamProtocolOptions: {
      $case: 'explicitHttpConfig',
      value: { protocolConfig: http2 ? { $case: 'http2ProtocolOptions', value: {} } : { $case: 'httpProtocolOptions', value: {} } },
    },
    ...(limited && { commonHttpProtocolOptions: { idleTimeout, maxRequestsPerConnection } }),
  });
  return { [optionsName]: packed(HttpProtocolOptions, options) };
}
