import type { ClusterConfig } from '../../config/config.ts';
import type { Cluster } from '../../dag/model/cluster.ts';
import { UpstreamCodec } from '../../envoy-api/envoy/extensions/filters/http/upstream_codec/v3/upstream_codec.ts';
import type { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { HttpProtocolOptions } from '../../envoy-api/envoy/extensions/upstreams/http/v3/http_protocol_options.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { cookieRewriteFilter } from '../filters/cookie-rewrite.ts';
import { httpFilter } from '../filters/http-filter.ts';
import { redirectScopeFilter } from '../filters/redirect-scope.ts';
import { packed, timeout } from '../protobuf.ts';

const optionsName = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/** The HTTP version and limits for an upstream; `undefined` where Envoy's default, HTTP/1.1, will do. */
export function protocolOptions(cluster: Cluster, config: ClusterConfig): { readonly [name: string]: Any } | undefined {
  const http2 = cluster.protocol === 'h2' || cluster.protocol === 'h2c';
  const idleTimeout = timeout(cluster.idleConnectionTimeoutMs);
  const maxRequestsPerConnection = cluster.maxRequestsPerConnection ?? config.maxRequestsPerConnection;
  const limited = idleTimeout !== undefined || maxRequestsPerConnection !== undefined;
  const filters = upstreamFilters(cluster);
  if (!http2 && !limited && filters.length === 0) return undefined;

  const options = HttpProtocolOptions.fromPartial({
    upstreamProtocolOptions: {
      $case: 'explicitHttpConfig',
      value: { protocolConfig: http2 ? { $case: 'http2ProtocolOptions', value: {} } : { $case: 'httpProtocolOptions', value: {} } },
    },
    httpFilters: [...filters],
    ...(limited && { commonHttpProtocolOptions: { idleTimeout, maxRequestsPerConnection } }),
  });
  return { [optionsName]: packed(HttpProtocolOptions, options) };
}

/** What responses go through before anything else sees them; only clusters of routes that need it have such filters. */
function upstreamFilters({ rewritesCookies, followsRedirects }: Cluster): readonly HttpFilter[] {
  const filters = [...(followsRedirects === true ? [redirectScopeFilter] : []), ...(rewritesCookies === true ? [cookieRewriteFilter] : [])];
  return filters.length === 0 ? [] : [...filters, upstreamCodec];
}

const upstreamCodec = httpFilter('envoy.filters.http.upstream_codec', packed(UpstreamCodec, UpstreamCodec.fromPartial({})));
