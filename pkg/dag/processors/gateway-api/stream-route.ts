import type { BackendRef } from '../../../apis/gateway/common.ts';
import type { TCPRoute } from '../../../apis/gateway/tcp-route.ts';
import type { TLSRoute } from '../../../apis/gateway/tls-route.ts';
import { refOf } from '../../../apis/meta.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import type { Contribution } from '../../contribution.ts';
import type { WeightedCluster } from '../../model/cluster.ts';
import type { TcpProxy, VirtualHostPart } from '../../model/virtual-host.ts';
import { backendCluster, type RouteContext, weightOf } from './backends.ts';
import { type Finding, fault } from './findings.ts';
import { attachRoute, type RouteProgram, type RouteTarget } from './route-attachment.ts';

/** A TLSRoute: connections by SNI, ended or passed through as the listener says. Of several rules the last one holds. */
export function processTlsRoute(route: TLSRoute, reader: Reader, config: Config): Contribution {
  const streams = route.spec.rules.map(({ backendRefs = [] }, index) => stream(backendRefs, index, { ref: refOf(route), reader, config }));
  const proxy = streams.findLast((one) => one.proxy !== undefined)?.proxy;
  const findings = streams.flatMap((one) => one.findings);
  return attachRoute(route, streamProgram(route, proxy, findings), reader, config);
}

/** A TCPRoute: everything that comes to the listener, by exactly one rule. */
export function processTcpRoute(route: TCPRoute, reader: Reader, config: Config): Contribution {
  const [rule] = route.spec.rules;
  if (rule === undefined || route.spec.rules.length > 1) {
    const finding = fault('Accepted', 'InvalidRouteRules', 'TCPRoute must have only a single rule defined');
    return attachRoute(route, streamProgram(route, undefined, [finding]), reader, config);
  }
  const { proxy, findings } = stream(rule.backendRefs ?? [], 0, { ref: refOf(route), reader, config });
  return attachRoute(route, streamProgram(route, proxy, findings), reader, config);
}

function streamProgram(route: TLSRoute | TCPRoute, tcpProxy: TcpProxy | undefined, findings: readonly Finding[]): RouteProgram {
  return {
    kind: route.kind,
    check: () => findings,
    attach: (target) => ({
      findings,
      parts: tcpProxy === undefined ? [] : target.hosts.map((host) => ({ ...partOf(route, target, host), tcpProxy })),
    }),
  };
}

function partOf(route: TLSRoute | TCPRoute, { served, place }: RouteTarget, host: string): VirtualHostPart {
  return {
    listener: place.name,
    // A TCP listener cannot tell hosts apart.
    host: place.protocol === 'tcp' ? '*' : host,
    source: 'GatewayAPI',
    createdAt: route.metadata.creationTimestamp ?? '',
    routes: [],
    ...(served.tls !== undefined && { tls: served.tls }),
    origin: { ...refOf(route), path: '' },
  };
}

/** Where the bytes of a rule go. There is no proxy where no backend can take any. */
function stream(
  backendRefs: readonly BackendRef[],
  index: number,
  context: RouteContext,
): { proxy?: TcpProxy; findings: readonly Finding[] } {
  const path = `spec.rules[${index}]`;
  if (backendRefs.length === 0)
    return { findings: [fault('ResolvedRefs', 'Degraded', `At least one ${path}.backendRefs must be specified.`)] };
  const findings: Finding[] = [];
  const clusters: WeightedCluster[] = [];
  for (const [i, backend] of backendRefs.entries()) {
    const cluster = backendCluster(backend, `${path}.backendRefs[${i}]`, context);
    if (cluster.ok) clusters.push({ cluster: cluster.value, weight: weightOf(backend) });
    else findings.push(fault(cluster.problem.type, cluster.problem.reason, cluster.problem.message));
  }
  const weighty = clusters.filter(({ weight }) => weight > 0);
  if (clusters.length > 0 && weighty.length === 0) {
    findings.push(
      fault('ValidBackendRefs', 'AllBackendRefsHaveZeroWeights', `${path}.backendRefs: at least one must have a weight above 0`),
    );
  }
  return weighty.length === 0 ? { findings } : { findings, proxy: { clusters: weighty, origin: { ...context.ref, path } } };
}
