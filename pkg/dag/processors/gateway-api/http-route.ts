import type { GRPCRoute } from '../../../apis/gateway/grpc-route.ts';
import type { HTTPRoute } from '../../../apis/gateway/http-route.ts';
import { refOf } from '../../../apis/meta.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import type { Outcome } from '../../../util/outcome.ts';
import type { Contribution } from '../../contribution.ts';
import type { UpstreamProtocol } from '../../model/cluster.ts';
import type { ListenerProtocol } from '../../model/listener.ts';
import type { RouteMatch } from '../../model/route.ts';
import type { VirtualHostPart } from '../../model/virtual-host.ts';
import { type Finding, fault } from './findings.ts';
import { withPolicies } from './policy-status.ts';
import { attachRoute, type RouteProgram, type RouteTarget } from './route-attachment.ts';
import { type RouteDraft, type RuleRoutes, routesOfRule } from './route-rule.ts';
import { grpcRuleFilters, httpRuleFilters } from './rule-filters.ts';
import { grpcMatch, httpMatch } from './rule-matches.ts';

/** An HTTPRoute: its rules on every listener that takes it. */
export function processHttpRoute(route: HTTPRoute, reader: Reader, config: Config): Contribution {
  const drafts = (route.spec.rules ?? [{}]).map(
    ({ matches = [{}], filters = [], backendRefs = [], timeouts = {} }, index): RouteDraft => ({
      index,
      ...draftMatches(matches, httpMatch, index),
      filters,
      supportedFilters: httpRuleFilters,
      backendRefs,
      timeouts,
      // The API has no field to ask for it, so it is always allowed.
      websocket: true,
    }),
  );
  const attached = attachRoute(route, ruleProgram(route, drafts, { reader, config, protocols: {} }), reader, config);
  return withPolicies(attached, route, reader, config);
}

/** A GRPCRoute: as an HTTPRoute, but a backend that does not say what it speaks is spoken to in HTTP/2. */
export function processGrpcRoute(route: GRPCRoute, reader: Reader, config: Config): Contribution {
  const drafts = (route.spec.rules ?? []).map(
    ({ matches = [], filters = [], backendRefs = [] }, index): RouteDraft => ({
      index,
      ...draftMatches(matches.length === 0 ? [{}] : matches, grpcMatch, index),
      filters,
      supportedFilters: grpcRuleFilters,
      backendRefs,
      timeouts: {},
      websocket: false,
    }),
  );
  const protocols = { http: 'h2c', https: 'h2' } as const;
  const attached = attachRoute(route, ruleProgram(route, drafts, { reader, config, protocols }), reader, config);
  return withPolicies(attached, route, reader, config);
}

/** The matches of a rule that can be done, and what is wrong with the others. */
function draftMatches<M>(
  matches: readonly M[],
  read: (match: M, path: string) => Outcome<RouteMatch>,
  index: number,
): Pick<RouteDraft, 'matches' | 'findings'> {
  const findings: Finding[] = [];
  const good = matches.flatMap((match, i) => {
    const path = `spec.rules[${index}].matches[${i}]`;
    const outcome = read(match, path);
    if (outcome.ok) return [{ match: outcome.value, path }];
    findings.push(fault(outcome.problem.type, outcome.problem.reason, outcome.problem.message));
    return [];
  });
  return { matches: good, findings };
}

interface ProgramOptions {
  readonly reader: Reader;
  readonly config: Config;
  /** What backends are spoken to in when they do not say, by the protocol of the listener. */
  readonly protocols: Readonly<Partial<Record<ListenerProtocol, UpstreamProtocol>>>;
}

function ruleProgram(
  route: HTTPRoute | GRPCRoute,
  drafts: readonly RouteDraft[],
  { reader, config, protocols }: ProgramOptions,
): RouteProgram {
  const ref = refOf(route);
  const made = new Map<UpstreamProtocol | undefined, RuleRoutes>();
  /** The rules do not depend on the listener but for the protocol, so they are read once for each. */
  const rules = (protocol: ListenerProtocol): RuleRoutes => {
    const defaultProtocol = protocols[protocol];
    const known = made.get(defaultProtocol);
    if (known !== undefined) return known;
    const context = { ref, reader, config, ...(defaultProtocol !== undefined && { defaultProtocol }) };
    const all = drafts.map((draft) => routesOfRule(draft, context));
    const result = { routes: all.flatMap(({ routes }) => routes), findings: all.flatMap(({ findings }) => findings) };
    made.set(defaultProtocol, result);
    return result;
  };
  return {
    kind: route.kind,
    check: () => rules('http').findings,
    attach: (target) => {
      const { routes, findings } = rules(target.place.protocol);
      return { findings, parts: target.hosts.map((host) => ({ ...partOf(route, target, host), routes })) };
    },
  };
}

function partOf(route: HTTPRoute | GRPCRoute, { served, place }: RouteTarget, host: string): Omit<VirtualHostPart, 'routes'> {
  return {
    listener: place.name,
    host,
    source: 'GatewayAPI',
    createdAt: route.metadata.creationTimestamp ?? '',
    ...(served.tls !== undefined && { tls: served.tls }),
    origin: { ...refOf(route), path: '' },
  };
}
