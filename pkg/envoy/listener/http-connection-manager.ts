import type { Config, ListenerConfig } from '../../config/config.ts';
import type { Listener } from '../../dag/model/listener.ts';
import type { ChainGuards, ClientCertificateDetails } from '../../dag/model/virtual-host.ts';
import type { Filter } from '../../envoy-api/envoy/config/listener/v3/listener_components.ts';
import {
  HttpConnectionManager,
  HttpConnectionManager_CodecType,
  HttpConnectionManager_ForwardClientCertDetails,
  HttpConnectionManager_ServerHeaderTransformation,
} from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import type { SourceKind } from '../config-source.ts';
import { configSource } from '../config-source.ts';
import { httpFilters } from '../filters/http-filters.ts';
import { type ScopedManager, scopeMutation } from '../filters/scope-filters.ts';
import { duration, packed, timeout } from '../protobuf.ts';
import { scopeKeyBuilder } from '../route/scopes.ts';
import { accessLogs } from './access-log.ts';
import { networkFilter } from './network-filter.ts';

const serverHeaders = {
  overwrite: HttpConnectionManager_ServerHeaderTransformation.OVERWRITE,
  append_if_absent: HttpConnectionManager_ServerHeaderTransformation.APPEND_IF_ABSENT,
  pass_through: HttpConnectionManager_ServerHeaderTransformation.PASS_THROUGH,
} as const;

/** Where a connection manager finds its routes: by scope, with that for hosts without one, or in one named RouteConfiguration. */
export type RouteSource = { readonly type: 'scoped'; readonly rest: string } | { readonly type: 'named'; readonly name: string };

/** What one connection manager is made from. */
export interface HttpSettings {
  readonly listener: Listener;
  readonly routes: RouteSource;
  readonly config: Config;
  readonly source: SourceKind;
  /** What the backend gets of client certificates; what clients say of them is taken away in any case. */
  readonly clientCertificate?: ClientCertificateDetails | undefined;
  /** What the filters of a host's own chain enforce. */
  readonly guards?: ChainGuards | undefined;
}

type Fields = Parameters<typeof HttpConnectionManager.fromPartial>[0];

/** The network filter that serves HTTP (reference §8.2). */
export function httpConnectionManager(settings: HttpSettings): Filter {
  const { listener, config } = settings;
  const { accessLog } = listener.protocol === 'https' ? config.listener.https : config.listener.http;
  const manager = HttpConnectionManager.fromPartial({
    statPrefix: listener.name,
    ...routeSpecifier(settings),
    ...protocols(config),
    ...timeouts(config),
    httpFilters: [...httpFilters({ config, listener, guards: settings.guards, scoped: scopedManager(settings) })],
    ...forwardedDetails(settings.clientCertificate),
    useRemoteAddress: true,
    xffNumTrustedHops: config.listener.numTrustedHops,
    normalizePath: true,
    mergeSlashes: !config.listener.disableMergeSlashes,
    preserveExternalRequestId: true,
    stripTrailingHostDot: config.listener.stripTrailingHostDot,
    serverHeaderTransformation: serverHeaders[config.listener.serverHeaderTransformation],
    accessLog: [...accessLogs(config.logging, accessLog)],
  });
  return networkFilter('envoy.filters.network.http_connection_manager', packed(HttpConnectionManager, manager));
}

function forwardedDetails(details: ClientCertificateDetails | undefined): Fields {
  if (details === undefined) return {};
  return {
    forwardClientCertDetails: HttpConnectionManager_ForwardClientCertDetails.SANITIZE_SET,
    setCurrentClientCertDetails: { ...details },
  };
}

function scopedManager({ listener, routes }: HttpSettings): ScopedManager | undefined {
  return routes.type === 'scoped' ? { listener: listener.name, rest: routes.rest, tls: listener.protocol === 'https' } : undefined;
}

function routeSpecifier(settings: HttpSettings): Fields {
  const { routes } = settings;
  const from = configSource(settings.source);
  if (routes.type === 'named') {
    return { routeSpecifier: { $case: 'rds', value: { routeConfigName: routes.name, configSource: from } } };
  }
  return {
    earlyHeaderMutationExtensions: [scopeMutation(scopedManager(settings)!)],
    routeSpecifier: {
      $case: 'scopedRoutes',
      value: {
        // One name for all connection managers: they share one subscription.
        name: 'scopes',
        scopeKeyBuilder,
        rdsConfigSource: from,
        configSpecifier: { $case: 'scopedRds', value: { scopedRdsConfigSource: from } },
      },
    },
  };
}

function protocols({ listener }: Config): Fields {
  const maxConcurrentStreams = listener.http2MaxConcurrentStreams;
  return {
    codecType: codecType(listener.httpVersions),
    httpProtocolOptions: { acceptHttp10: true, allowChunkedLength: !listener.disableAllowChunkedLength },
    ...(maxConcurrentStreams !== undefined && { http2ProtocolOptions: { maxConcurrentStreams } }),
  };
}

function codecType(versions: ListenerConfig['httpVersions']): HttpConnectionManager_CodecType {
  const [only] = versions;
  if (versions.length !== 1) return HttpConnectionManager_CodecType.AUTO;
  return only === 'HTTP/2' ? HttpConnectionManager_CodecType.HTTP2 : HttpConnectionManager_CodecType.HTTP1;
}

function timeouts({ timeouts: settings, listener }: Config): Fields {
  const { maxConnectionDurationMs, connectionIdleMs } = settings;
  return {
    commonHttpProtocolOptions: {
      idleTimeout: timeout(connectionIdleMs),
      // A connection has no limit by default, so only a real duration says something.
      ...(typeof maxConnectionDurationMs === 'number' && { maxConnectionDuration: duration(maxConnectionDurationMs) }),
      maxRequestsPerConnection: listener.maxRequestsPerConnection,
    },
    requestTimeout: timeout(settings.requestMs),
    streamIdleTimeout: timeout(settings.streamIdleMs),
    drainTimeout: timeout(settings.connectionShutdownGracePeriodMs),
    delayedCloseTimeout: timeout(settings.delayedCloseMs),
  };
}
