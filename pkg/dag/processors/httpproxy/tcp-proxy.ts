import type { HTTPProxy, HTTPProxyService, TCPProxy, TCPProxyInclude } from '../../../apis/projectcontour/v1/httpproxy.ts';
import { fail, type Outcome, ok, type Problem } from '../../../util/outcome.ts';
import type { HealthCheck, WeightedCluster } from '../../model/cluster.ts';
import type { TcpProxy } from '../../model/virtual-host.ts';
import { serviceCluster } from '../../policy/cluster.ts';
import { tcpHealthCheck } from '../../policy/health-check.ts';
import { loadBalancerPolicy } from '../../policy/load-balancing.ts';
import { slowStartOf } from '../../policy/slow-start.ts';
import { effectiveWeights } from '../../policy/weights.ts';
import { idOf, originOf, problem, type RootBuild, type Visit, visit } from './build.ts';
import { resolve, upstreamTls } from './service.ts';
import { uselessForBytes, uselessServiceFields } from './useless-fields.ts';

/**
 * Where a root's TLS connections go as they are; `undefined` where it has no `tcpproxy`, or the chain of includes
 * ends in a proxy without one. `failed` means that the host is not served.
 */
export function processTcpProxy(build: RootBuild): TcpProxy | undefined | 'failed' {
  const { tcpproxy, virtualhost } = build.root.proxy.spec;
  if (tcpproxy === undefined) return undefined;
  if (virtualhost?.tls !== undefined) return follow(build, build.root, tcpproxy, []);
  return failed(
    build.root,
    problem('TCPProxyError', 'TLSMustBeConfigured', 'Spec.TCPProxy requires Spec.VirtualHost.TLS: the SNI chooses the host'),
  );
}

function failed({ errors }: Visit, found: Problem): 'failed' {
  errors.push(found);
  return 'failed';
}

/** Goes along the chain of includes; the proxy where it breaks off carries the error. */
function follow(build: RootBuild, here: Visit, tcpproxy: TCPProxy, chain: readonly HTTPProxy[]): TcpProxy | undefined | 'failed' {
  // `includes` is the older spelling.
  const include = tcpproxy.include ?? tcpproxy.includes;
  const services = tcpproxy.services ?? [];
  if (services.length > 0 && include !== undefined) {
    return failed(here, problem('TCPProxyError', 'NoServicesAndInclude', 'cannot specify services and include in the same Spec.TCPProxy'));
  }
  if (services.length > 0) {
    const made = proxyTo(build, here, tcpproxy, services);
    return made.ok ? made.value : failed(here, made.problem);
  }
  if (include === undefined) {
    return failed(here, problem('TCPProxyError', 'NothingDefined', 'either services or include must be specified in Spec.TCPProxy'));
  }
  return followInclude(build, here, include, [...chain, here.proxy]);
}

function followInclude(
  build: RootBuild,
  here: Visit,
  include: TCPProxyInclude,
  chain: readonly HTTPProxy[],
): TcpProxy | undefined | 'failed' {
  const namespace = include.namespace || here.namespace;
  const id = `${namespace}/${include.name}`;
  const target = build.reader.get('HTTPProxy', namespace, include.name);
  if (target === undefined) {
    return failed(here, problem('TCPProxyIncludeError', 'IncludeNotFound', `spec.tcpproxy.include: HTTPProxy ${id} not found`));
  }
  if (target.spec.virtualhost !== undefined) {
    return failed(
      here,
      problem(
        'TCPProxyIncludeError',
        'RootIncludesRoot',
        `spec.tcpproxy.include: root httpproxy cannot include another root httpproxy (${id})`,
      ),
    );
  }
  if (chain.includes(target)) {
    const loop = [...chain, target].map(idOf).join(' -> ');
    return failed(here, problem('TCPProxyIncludeError', 'IncludeCreatesCycle', `include creates an include cycle: ${loop}`));
  }
  const there = visit(build, target);
  if (target.spec.tcpproxy !== undefined) return follow(build, there, target.spec.tcpproxy, chain);
  there.errors.push(problem('TCPProxyError', 'NothingDefined', `${idOf(here.proxy)} includes Spec.TCPProxy, which is not there`));
  return undefined;
}

function proxyTo(build: RootBuild, here: Visit, tcpproxy: TCPProxy, services: readonly HTTPProxyService[]): Outcome<TcpProxy> {
  const healthCheck = tcpproxy.healthCheckPolicy && tcpHealthCheck(tcpproxy.healthCheckPolicy, 'Spec.TCPProxy.HealthCheckPolicy');
  if (healthCheck?.ok === false) return healthCheck;
  here.warnings.push(...ignoredFields(tcpproxy));
  const clusters: WeightedCluster[] = [];
  for (const [i, service] of services.entries()) {
    const made = clusterOf(build, here, { service, tcpproxy, healthCheck: healthCheck?.value }, `spec.tcpproxy.services[${i}]`);
    if (!made.ok) return made;
    clusters.push({ cluster: made.value, weight: service.weight ?? 0 });
  }
  const weights = effectiveWeights(clusters.map(({ weight }) => weight));
  const weighted = clusters.map(({ cluster }, i) => ({ cluster, weight: weights[i] ?? 0 }));
  return ok({ clusters: weighted.filter(({ weight }) => weight > 0), origin: originOf(here.proxy, 'spec.tcpproxy') });
}

interface TcpService {
  readonly service: HTTPProxyService;
  readonly tcpproxy: TCPProxy;
  readonly healthCheck: HealthCheck | undefined;
}

function clusterOf(
  build: RootBuild,
  here: Visit,
  { service, tcpproxy, healthCheck }: TcpService,
  path: string,
): Outcome<WeightedCluster['cluster']> {
  const resolved = resolve(build, here, service, { field: 'Spec.TCPProxy', checked: healthCheck !== undefined });
  if (!resolved.ok) {
    const { reason, message } = resolved.problem;
    return reason === 'ServiceUnresolvedReference' ? fail('TCPProxyError', reason, message) : resolved;
  }
  const upstream = upstreamTls(build, here, { service, resolved: resolved.value, path });
  if (!upstream.ok) return upstream;
  here.warnings.push(...uselessServiceFields(service, { path, protocol: upstream.value.protocol, checked: healthCheck !== undefined }));
  here.warnings.push(...uselessForBytes(service, path));
  const policy = loadBalancerPolicy(tcpproxy.loadBalancerPolicy?.strategy);
  const slowStart = service.slowStartPolicy && slowStartOf(service.slowStartPolicy, policy, path);
  if (slowStart?.ok === false) return slowStart;
  const settings = {
    origin: originOf(here.proxy, path),
    ...upstream.value,
    loadBalancerPolicy: policy,
    healthCheck,
    slowStart: slowStart?.value,
    defaultCircuitBreakers: false,
  };
  return ok(serviceCluster(resolved.value, settings, build.config));
}

function ignoredFields({ loadBalancerPolicy: policy }: TCPProxy): readonly Problem[] {
  const { strategy = '' } = policy ?? {};
  if (['', 'RoundRobin', 'WeightedLeastRequest', 'Random'].includes(strategy)) return [];
  const message = `spec.tcpproxy.loadBalancerPolicy: strategy ${strategy} cannot be used for TCP, RoundRobin is used`;
  return [problem('TCPProxyError', 'IgnoredField', message)];
}
