import type { CommonRouteSpec, ParentReference } from '../../../apis/gateway/common.ts';
import { type KubeObject, refOf } from '../../../apis/meta.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import type { Contribution, RouteParentStatus } from '../../contribution.ts';
import { emptyContribution } from '../../contribution.ts';
import type { VirtualHostPart } from '../../model/virtual-host.ts';
import { gatewayGroup, hostnameProblem, type ListenerPlace } from '../../policy/gateway-listeners.ts';
import { conditionsOf, type Finding, fault, withDefaults } from './findings.ts';
import { servedHosts } from './hostnames.ts';
import { type ServedGateway, servedGateway } from './served-gateway.ts';
import { allowsNamespace, type RouteKind, type ServedListener } from './served-listener.ts';

/** What all kinds of routes have. */
export interface RouteObject extends KubeObject {
  readonly spec: CommonRouteSpec & { readonly hostnames?: readonly string[] };
}

/** A listener that takes the route, with the hosts that the route serves on it. Never without a host. */
export interface RouteTarget {
  readonly served: ServedListener;
  readonly place: ListenerPlace;
  readonly hosts: readonly string[];
}

/** What a kind of route does with its place in the Gateway. */
export interface RouteProgram {
  readonly kind: RouteKind;
  /** The parts on one listener, and what is wrong with the rules. */
  readonly attach: (target: RouteTarget) => { readonly parts: readonly VirtualHostPart[]; readonly findings: readonly Finding[] };
  /** What is wrong with the rules, for a route that no listener takes. */
  readonly check: () => readonly Finding[];
}

/** A route while it is attached. */
interface Attaching {
  readonly route: RouteObject;
  readonly gateway: ServedGateway;
  readonly program: RouteProgram;
  readonly reader: Reader;
}

/** What one parentRef came to. */
interface ParentOutcome {
  readonly parentRef: ParentReference;
  readonly findings: readonly Finding[];
  readonly parts: readonly VirtualHostPart[];
  /** Names of the listeners that count the route. */
  readonly listeners: readonly string[];
}

/**
 * Attaches a route to the configured Gateway by each of its parentRefs that names it. Its status has an entry for each of
 * these, in their order, and none where there is none: then an entry that we wrote before is to go.
 */
export function attachRoute(route: RouteObject, program: RouteProgram, reader: Reader, config: Config): Contribution {
  if (config.gatewayRef === undefined) return emptyContribution;
  const gateway = servedGateway(reader, config);
  const outcomes = gateway === undefined ? [] : attachToGateway({ route, gateway, program, reader });
  const generation = route.metadata.generation ?? 0;
  const listeners = new Set(outcomes.flatMap((outcome) => outcome.listeners));
  return {
    ...emptyContribution,
    virtualHosts: onePerHost(outcomes.flatMap((outcome) => outcome.parts)),
    statuses: [
      {
        type: 'route',
        object: refOf(route),
        generation,
        parents: outcomes.map((outcome) => parentStatus(outcome, gateway?.controllerName ?? '', program.kind, generation)),
      },
    ],
    attachments: gateway === undefined ? [] : [...listeners].map((listener) => ({ gateway: gateway.ref, listener })),
  };
}

function parentStatus(
  { parentRef, findings }: ParentOutcome,
  controllerName: string,
  kind: RouteKind,
  generation: number,
): RouteParentStatus {
  const accepted: Finding = { type: 'Accepted', status: 'True', reason: 'Accepted', message: `Accepted ${kind}` };
  const resolved: Finding = { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'References resolved' };
  return {
    parentRef: { ...parentRef },
    controllerName,
    conditions: conditionsOf(withDefaults(findings, [accepted, resolved]), generation),
  };
}

/** The same route may come to a host by two parentRefs; it is served once and does not conflict with itself. */
function onePerHost(parts: readonly VirtualHostPart[]): readonly VirtualHostPart[] {
  const byHost = new Map<string, VirtualHostPart>();
  for (const part of parts) {
    const key = `${part.listener}/${part.host}`;
    if (!byHost.has(key)) byHost.set(key, part);
  }
  return [...byHost.values()];
}

function attachToGateway(attaching: Attaching): readonly ParentOutcome[] {
  const {
    route,
    gateway: { ref },
  } = attaching;
  const namesGateway = ({ group = gatewayGroup, kind = 'Gateway', namespace, name }: ParentReference): boolean =>
    group === gatewayGroup && kind === 'Gateway' && name === ref.name && (namespace ?? route.metadata.namespace ?? '') === ref.namespace;
  return (route.spec.parentRefs ?? []).filter(namesGateway).map((parentRef) => attachToParent(parentRef, attaching));
}

function attachToParent(parentRef: ParentReference, attaching: Attaching): ParentOutcome {
  const { route, gateway, program, reader } = attaching;
  const namespace = route.metadata.namespace ?? '';
  const selected = gateway.listeners.filter((served) => selects(parentRef, served));
  const allowed = selected.filter(
    (served) => served.kinds.includes(program.kind) && allowsNamespace(served, namespace, { ref: gateway.ref, reader }),
  );
  const listeners = allowed.map(({ listener }) => listener.name);
  const refused = (reason: string, message: string): ParentOutcome => {
    const references = program.check().filter(({ type }) => type === 'ResolvedRefs');
    return { parentRef, listeners, parts: [], findings: [fault('Accepted', reason, message), ...references] };
  };

  if (gateway.addressProblem !== undefined) return refused('InvalidGateway', `Gateway is not ready: ${gateway.addressProblem}`);
  if (!selected.some(({ ready }) => ready)) return refused('NoMatchingParent', 'No listeners match this parent ref');
  const ready = allowed.filter((served) => served.ready);
  if (ready.length === 0) return refused('NotAllowedByListeners', 'No listeners included by this parent ref allowed this attachment.');
  const { targets, findings } = targetsOf(ready, attaching);
  if (targets.length === 0) {
    const { findings: others, ...rest } = refused(
      'NoMatchingListenerHostname',
      'No intersecting hostnames were found between the listener and the route.',
    );
    return { ...rest, findings: [...others, ...findings] };
  }
  const attached = targets.map((target) => program.attach(target));
  return {
    parentRef,
    listeners,
    parts: attached.flatMap(({ parts }) => parts),
    findings: [...findings, ...attached.flatMap((one) => one.findings)],
  };
}

function selects({ sectionName, port }: ParentReference, { listener, place }: ServedListener): boolean {
  if (place === undefined) return false;
  return (sectionName === undefined || sectionName === listener.name) && (port === undefined || port === listener.port);
}

function targetsOf(
  ready: readonly ServedListener[],
  { route, gateway, program }: Attaching,
): { targets: readonly RouteTarget[]; findings: readonly Finding[] } {
  // A TCPRoute has no hostnames: bytes have none.
  const hostnames = program.kind === 'TCPRoute' ? [] : (route.spec.hostnames ?? []);
  const problems = hostnames.map((hostname) => hostnameProblem(hostname)).filter((problem) => problem !== undefined);
  const usable = hostnames.filter((hostname) => hostnameProblem(hostname) === undefined);
  const findings = problems.map((problem) => fault('ResolvedRefs', 'Degraded', problem));
  if (hostnames.length > 0 && usable.length === 0) return { targets: [], findings };
  const targets = ready.flatMap((served) => {
    const { listener, place } = served;
    const others = gateway.listeners.filter((other) => other !== served && other.place?.name === place?.name);
    const hosts = servedHosts(
      usable,
      listener.hostname ?? '',
      others.map((other) => other.listener.hostname ?? ''),
    );
    return place === undefined || hosts.length === 0 ? [] : [{ served, place, hosts }];
  });
  return { targets, findings };
}
