import type { AddressPort, Config, TlsFiles } from '../../config/config.ts';
import { Listener } from '../../envoy-api/envoy/config/listener/v3/listener.ts';
import { Route } from '../../envoy-api/envoy/config/route/v3/route_components.ts';
import { Router } from '../../envoy-api/envoy/extensions/filters/http/router/v3/router.ts';
import { HttpConnectionManager } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { TlsParameters_TlsProtocol } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/common.ts';
import { DownstreamTlsContext } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/tls.ts';
import { socketAddress } from '../addresses.ts';
import type { SourceKind } from '../config-source.ts';
import { configSource } from '../config-source.ts';
import { httpFilter } from '../filters/http-filter.ts';
import { packed } from '../protobuf.ts';
import { statsSecretNames } from '../secret/stats-secrets.ts';
import { tlsSocket } from './downstream-tls.ts';
import { networkFilter } from './network-filter.ts';

/** The static cluster of every bootstrap that is Envoy's own admin interface. */
export const adminClusterName = 'envoy-admin';

const statsPaths = ['/stats', '/stats/prometheus'];
const healthPaths = ['/ready'];
const adminPaths = [
  '/certs',
  '/clusters',
  '/listeners',
  '/config_dump',
  '/memory',
  '/ready',
  '/runtime',
  '/server_info',
  '/stats',
  '/stats/prometheus',
  '/stats/recentlookups',
];

interface FixedListener {
  readonly name: string;
  readonly at: AddressPort;
  readonly statPrefix: string;
  readonly paths: readonly string[];
  readonly tls?: TlsFiles;
  /** Whether the limit of downstream connections counts here too. */
  readonly limited?: true;
}

type SecretNames = ReturnType<typeof statsSecretNames>;

/** The listeners that show some paths of the admin interface, for GET alone (reference §8.11), in order of name. */
export function fixedListeners(config: Config, source: SourceKind): readonly Listener[] {
  const { stats, health, statsTls, omEnforcedHealth, adminPort } = config;
  const listeners: FixedListener[] = [];
  if (adminPort !== 0) {
    listeners.push({ name: 'envoy-admin', at: { address: '127.0.0.1', port: adminPort }, statPrefix: 'envoy-admin', paths: adminPaths });
  }
  if (omEnforcedHealth) {
    listeners.push({ name: 'health-om-enforced', at: omEnforcedHealth, statPrefix: 'stats', paths: healthPaths, limited: true });
  }
  const together = statsTls === undefined && stats.address === health.address && stats.port === health.port;
  if (together) {
    listeners.push({ name: 'stats-health', at: stats, statPrefix: 'stats', paths: [...statsPaths, ...healthPaths] });
  } else {
    listeners.push({ name: 'health', at: health, statPrefix: 'stats', paths: healthPaths });
    listeners.push({ name: 'stats', at: stats, statPrefix: 'stats', paths: statsPaths, ...(statsTls && { tls: statsTls }) });
  }
  const names = statsSecretNames(config);
  return listeners.map((listener) => fixedListener(listener, names, source));
}

function fixedListener({ name, at, statPrefix, paths, tls, limited }: FixedListener, names: SecretNames, source: SourceKind): Listener {
  const manager = HttpConnectionManager.fromPartial({
    statPrefix,
    routeSpecifier: { $case: 'routeConfig', value: { virtualHosts: [{ name: 'backend', domains: ['*'], routes: paths.map(adminRoute) }] } },
    httpFilters: [httpFilter('envoy.filters.http.router', packed(Router, Router.fromPartial({})))],
    normalizePath: true,
  });
  return Listener.fromPartial({
    name,
    address: socketAddress(at.address, at.port),
    ignoreGlobalConnLimit: limited !== true,
    filterChains: [
      {
        filters: [networkFilter('envoy.filters.network.http_connection_manager', packed(HttpConnectionManager, manager))],
        ...(tls && { transportSocket: statsTlsSocket(tls, names, source) }),
      },
    ],
  });
}

function adminRoute(path: string): Route {
  return Route.fromPartial({
    match: {
      pathSpecifier: { $case: 'path', value: path },
      headers: [
        { name: ':method', headerMatchSpecifier: { $case: 'stringMatch', value: { matchPattern: { $case: 'exact', value: 'GET' } } } },
      ],
    },
    action: { $case: 'route', value: { clusterSpecifier: { $case: 'cluster', value: adminClusterName } } },
  });
}

/** TLS 1.3, with a certificate that follows its files; a CA asks clients for a certificate. */
function statsTlsSocket(files: TlsFiles, names: SecretNames, source: SourceKind): ReturnType<typeof tlsSocket> {
  const { TLSv1_3 } = TlsParameters_TlsProtocol;
  const secret = (name: string) => ({ name, sdsConfig: configSource(source) });
  const context = DownstreamTlsContext.fromPartial({
    commonTlsContext: {
      tlsParams: { tlsMinimumProtocolVersion: TLSv1_3, tlsMaximumProtocolVersion: TLSv1_3 },
      tlsCertificateSdsSecretConfigs: [secret(names.certificate)],
      ...(files.caFile !== undefined && {
        validationContextType: { $case: 'validationContextSdsSecretConfig', value: secret(names.ca) },
      }),
    },
    ...(files.caFile !== undefined && { requireClientCertificate: true }),
  });
  return tlsSocket(context);
}
