import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { KindMap } from '../apis/kinds.ts';
import { keyOf, objectKey } from '../apis/meta.ts';
import type { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import type { WantedStatus } from '../status/wanted.ts';
import { RecentSummary } from './recent-summary.ts';

const buildQuantiles = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1];

/** A registry with the figures of the process and `contour_build_info`. */
export function createRegistry(build: { readonly branch: string; readonly revision: string; readonly version: string }): Registry {
  const registry = new Registry();
  // Watching the event loop's delay wakes the process once in each period; its default, 10 ms, is most of what an idle process costs.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1_000 });
  const info = new Gauge({
    name: 'contour_build_info',
    help: 'Constant 1, labelled with the version that runs.',
    labelNames: ['branch', 'revision', 'version'] as const,
    registers: [registry],
  });
  info.set(build, 1);
  return registry;
}

/** What rebuilds do. The names are Contour's, so that its dashboards go on working. */
export function buildMetrics(registry: Registry) {
  const registers = [registry];
  const timestamp = new Gauge({
    name: 'contour_dagrebuild_timestamp',
    help: 'Time of the last rebuild, in seconds since 1970.',
    registers,
  });
  const total = new Counter({ name: 'contour_dagrebuild_total', help: 'Rebuilds since the start.', registers });
  const seconds = new RecentSummary({
    name: 'contour_dagrebuild_seconds',
    help: 'Duration of rebuilds.',
    quantiles: buildQuantiles,
    register: registry,
  });
  const roots = new Counter({ name: 'isoline_dagrebuild_roots_total', help: 'Roots that rebuilds built again.', registers });
  const faults = new Counter({
    name: 'isoline_dagrebuild_faults_total',
    help: 'Roots whose build failed by a bug of ours; each keeps what it had.',
    registers,
  });
  const unguarded = new Counter({
    name: 'isoline_unguarded_routes_total',
    help: 'Routes that a bug of ours would have served without their authorization, limits or client validation; each answers 503.',
    registers,
  });
  const differences = new Counter({
    name: 'isoline_dagrebuild_differences_total',
    help: 'Differences between an incremental and a full build, where both are done.',
    registers,
  });
  return {
    /** @param nowMs since 1970. */
    rebuilt({
      nowMs,
      tookMs,
      dirty,
      faulty,
      unguarded: withheld,
    }: {
      readonly nowMs: number;
      readonly tookMs: number;
      readonly dirty: number;
      readonly faulty: number;
      /** Routes withheld since the build before. */
      readonly unguarded: number;
    }): void {
      timestamp.set(nowMs / 1000);
      total.inc();
      seconds.observe({}, tookMs / 1000);
      roots.inc(dirty);
      faults.inc(faulty);
      unguarded.inc(withheld);
    },
    differed: (count: number): void => differences.inc(count),
  } as const;
}

export type BuildMetrics = ReturnType<typeof buildMetrics>;

/** How fast changes arrive at proxies, and what proxies refuse. */
export function liveMetrics(
  registry: Registry,
  now: () => { readonly quarantined: number; readonly distrusted: number; readonly inFlight: number },
) {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'isoline_propagation_seconds',
    help: 'Time from the first change of a batch, as it came from the API server, until it was built, and until all connected proxies had accepted it.',
    labelNames: ['stage'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const gauge = (name: string, help: string, value: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  };
  gauge(
    'isoline_quarantine_entries',
    'Hosts and resources that are not served as they are wanted because a proxy refused them.',
    () => now().quarantined,
  );
  gauge('isoline_distrusted_proxies', 'Connected proxies whose refusals count for themselves only.', () => now().distrusted);
  gauge('isoline_updates_in_flight', 'Updates that not all connected proxies have accepted.', () => now().inFlight);
  return {
    built: (tookMs: number): void => seconds.observe({ stage: 'built' }, tookMs / 1000),
    accepted: (tookMs: number): void => seconds.observe({ stage: 'accepted' }, tookMs / 1000),
  } as const;
}

/** Hashes of what is served, by which replicas that have gone apart are found. They are made when they are asked for. */
export function snapshotMetrics(registry: Registry, hashes: () => ReadonlyMap<string, number>): void {
  new Gauge({
    name: 'isoline_snapshot_hash',
    help: 'Hash of all resources of a type that are served, from 0 (there are none) up to 2^48. Replicas with the same objects have the same.',
    labelNames: ['type_url'] as const,
    registers: [registry],
    collect() {
      for (const [type_url, hash] of hashes()) this.set({ type_url }, hash);
    },
  });
}

/** Changes that reach the event handler. */
export function eventMetrics(registry: Registry) {
  const operations = new Counter({
    name: 'contour_eventhandler_operation_total',
    help: 'Changes of objects, by operation and kind.',
    labelNames: ['op', 'kind'] as const,
    registers: [registry],
  });
  return { changed: (op: 'add' | 'update' | 'delete', kind: string): void => operations.inc({ op, kind }) } as const;
}

/** How a status write ended. A conflict is tried again; its last try counts as well. */
export type StatusWriteResult = 'success' | 'noop' | 'failed' | 'conflict';

/** Writes of status. */
export function statusMetrics(registry: Registry) {
  const registers = [registry];
  const labelNames = ['kind'] as const;
  const total = new Counter({ name: 'contour_status_update_total', help: 'Status writes.', labelNames, registers });
  const byResult = {
    success: new Counter({ name: 'contour_status_update_success_total', help: 'Status writes that succeeded.', labelNames, registers }),
    noop: new Counter({ name: 'contour_status_update_noop_total', help: 'Status writes that were not needed.', labelNames, registers }),
    failed: new Counter({ name: 'contour_status_update_failed_total', help: 'Status writes that failed.', labelNames, registers }),
    conflict: new Counter({
      name: 'contour_status_update_conflict_total',
      help: 'Status writes that met a newer object.',
      labelNames,
      registers,
    }),
  };
  const duration = new RecentSummary<'kind' | 'error'>({
    name: 'contour_status_update_duration_seconds',
    help: 'Duration of status writes.',
    quantiles: buildQuantiles,
    register: registry,
  });
  const refused = new Counter({
    name: 'isoline_status_update_refused_total',
    help: 'Status writes that the API server refused, by its reason (Forbidden, Invalid, ServerError, ...; Unreachable: no answer).',
    labelNames: ['kind', 'reason'] as const,
    registers,
  });
  const lag = new Histogram({
    name: 'isoline_status_update_lag_seconds',
    help: 'Time from the build that wanted a status, or from becoming the leader, to its successful write.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  return {
    refused: (kind: string, reason: string): void => refused.inc({ kind, reason }),
    arrived: (lagMs: number): void => lag.observe(lagMs / 1000),
    wrote(kind: string, result: StatusWriteResult, tookMs: number): void {
      total.inc({ kind });
      byResult[result].inc({ kind });
      // Nothing was sent, and a new leader has thousands of these.
      if (result === 'noop') return;
      duration.observe({ kind, error: String(result !== 'success') }, tookMs / 1000);
    },
  } as const;
}

export type StatusMetrics = ReturnType<typeof statusMetrics>;

/** What the xDS server does. It is given to the server as its `metrics`. */
export function xdsMetrics(registry: Registry) {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name, help, labelNames, registers });
  const streams = new Gauge({
    name: 'isoline_xds_streams',
    help: 'Open streams of proxies.',
    labelNames: ['protocol'] as const,
    registers,
  });
  const requests = counter('isoline_xds_requests_total', 'Requests of proxies, by resource type.', 'type_url');
  const responses = counter('isoline_xds_responses_total', 'Responses sent, by resource type.', 'type_url');
  const bytes = counter('isoline_xds_response_bytes_total', 'Bytes of the responses sent, by resource type.', 'type_url');
  const resources = counter('isoline_xds_response_resources_total', 'Resources in the responses sent, by resource type.', 'type_url');
  const nacks = counter(
    'isoline_xds_nack_total',
    'Responses that an Envoy refused, by resource type. It goes on serving its last good configuration.',
    'type_url',
  );
  const malformed = counter('isoline_xds_malformed_requests_total', 'Requests that broke the protocol; each ended its stream.');
  const handshakes = counter('isoline_xds_handshake_failures_total', 'Connections that were refused, such as for their certificate.');
  const acknowledged = new Histogram({
    name: 'isoline_xds_acknowledgement_seconds',
    help: 'Time from a response to its acknowledgement.',
    labelNames: ['type_url'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  return {
    streamOpened: (protocol: string): void => streams.inc({ protocol }),
    streamClosed: (protocol: string): void => streams.dec({ protocol }),
    requestReceived: (type_url: string): void => requests.inc({ type_url }),
    responseSent(type_url: string, size: { readonly bytes: number; readonly resources: number }): void {
      responses.inc({ type_url });
      bytes.inc({ type_url }, size.bytes);
      resources.inc({ type_url }, size.resources);
    },
    responseAccepted: (type_url: string, delayMs: number): void => acknowledged.observe({ type_url }, delayMs / 1000),
    responseRefused: (type_url: string): void => nacks.inc({ type_url }),
    requestMalformed: (): void => malformed.inc(),
    handshakeFailed: (): void => handshakes.inc(),
  } as const;
}

/** Counts of objects and of HTTPProxies by state. They are counted when asked for, so a change costs nothing. */
export function objectMetrics(
  registry: Registry,
  source: { readonly cache: KubernetesCache; readonly statuses: () => readonly WantedStatus[] },
): void {
  const registers = [registry];
  const byNamespace = ['namespace'] as const;
  const byHost = ['namespace', 'vhost'] as const;
  const collect = (objects: Gauge<'kind'>): void => {
    for (const gauge of [objects, ...Object.values(gauges)]) gauge.reset();
    for (const [kind, count] of source.cache.counts()) objects.set({ kind }, count);
    const states = new Map(
      source.statuses().map(({ object: { kind, namespace, name }, status }) => [objectKey(kind, namespace, name), status['currentStatus']]),
    );
    for (const proxy of source.cache.objects('HTTPProxy')) countProxy(gauges, proxy, states.get(keyOf(proxy)));
  };
  // A registry shows its metrics in the order in which they were registered: this one first, for it sets the others.
  new Gauge({
    name: 'contour_dag_cache_object',
    help: 'Objects in the cache, by kind.',
    labelNames: ['kind'] as const,
    registers,
    collect() {
      collect(this);
    },
  });
  const gauges: ProxyGauges = {
    total: new Gauge({ name: 'contour_httpproxy', help: 'HTTPProxies.', labelNames: byNamespace, registers }),
    root: new Gauge({ name: 'contour_httpproxy_root', help: 'HTTPProxies with a virtual host.', labelNames: byNamespace, registers }),
    orphaned: new Gauge({
      name: 'contour_httpproxy_orphaned',
      help: 'HTTPProxies that no root includes.',
      labelNames: byNamespace,
      registers,
    }),
    valid: new Gauge({ name: 'contour_httpproxy_valid', help: 'Valid HTTPProxies.', labelNames: byHost, registers }),
    invalid: new Gauge({ name: 'contour_httpproxy_invalid', help: 'Invalid HTTPProxies.', labelNames: byHost, registers }),
  };
}

type ProxyGauges = Readonly<Record<'total' | 'root' | 'orphaned', Gauge<'namespace'>>> &
  Readonly<Record<'valid' | 'invalid', Gauge<'namespace' | 'vhost'>>>;

function countProxy(gauges: ProxyGauges, proxy: KindMap['HTTPProxy'], status: unknown): void {
  const { namespace = '' } = proxy.metadata;
  const vhost = proxy.spec.virtualhost?.fqdn ?? '';
  gauges.total.inc({ namespace });
  if (proxy.spec.virtualhost !== undefined) gauges.root.inc({ namespace });
  if (status === 'orphaned') gauges.orphaned.inc({ namespace });
  if (status === 'valid' || status === 'invalid') gauges[status].inc({ namespace, vhost });
}
