import type { GatewayListener } from '../../../apis/gateway/gateway.ts';
import type { LabelSelector } from '../../../k8s/label-selector.ts';
import { isEmptySelector, labelSelectorMatches, labelSelectorProblem } from '../../../k8s/label-selector.ts';
import type { TlsPassthrough, TlsTermination } from '../../model/virtual-host.ts';
import type { CheckedListener, ListenerPlace } from '../../policy/gateway-listeners.ts';
import { contourHttpsProtocol, gatewayGroup } from '../../policy/gateway-listeners.ts';
import { type Finding, fault } from './findings.ts';
import { type ListenerContext, listenerTls } from './listener-tls.ts';

/** The kinds of routes that attach to listeners. */
export type RouteKind = 'HTTPRoute' | 'GRPCRoute' | 'TLSRoute' | 'TCPRoute';

/** One listener of the Gateway with all that routes ask of it. */
export interface ServedListener {
  readonly listener: GatewayListener;
  /** Its place in Envoy; absent for a listener that conflicts or cannot be: no route selects it. */
  readonly place?: ListenerPlace;
  /** Whether routes on it are served: it has a place, its namespaces can be read, and so can its certificate. */
  readonly ready: boolean;
  /** How it ends TLS; absent for plaintext, for a listener that is not ready, and for one whose TLS comes from HTTPProxies. */
  readonly tls?: TlsTermination | TlsPassthrough;
  readonly kinds: readonly RouteKind[];
  readonly namespaces: AllowedNamespaces;
  /** What is wrong with it; empty for a good one. */
  readonly findings: readonly Finding[];
  /** What its owner should know although it is served. */
  readonly warnings: readonly Finding[];
}

/** Which namespaces a listener takes routes from. */
export type AllowedNamespaces =
  | { readonly from: 'All' | 'Same' | 'None' }
  | { readonly from: 'Selector'; readonly selector: LabelSelector };

/** Completes a listener: its kinds, namespaces and certificate, each looked at although another is wrong. */
export function servedListener({ listener, index, fault: conflict, place }: CheckedListener, context: ListenerContext): ServedListener {
  const { kinds, findings: kindFindings } = allowedKinds(listener);
  if (place === undefined) {
    const findings = conflict === undefined ? [] : [conflictFinding(conflict)];
    return { listener, ready: false, kinds, namespaces: { from: 'None' }, findings: [...findings, ...kindFindings], warnings: [] };
  }
  const namespaces = allowedNamespaces(listener);
  const tls = listenerTls(listener, index, context);
  const findings = [...kindFindings, ...namespaces.findings, ...tls.findings];
  return {
    listener,
    place,
    ready: namespaces.findings.length === 0 && tls.findings.length === 0,
    ...(tls.tls !== undefined && { tls: tls.tls }),
    kinds,
    namespaces: namespaces.value,
    findings,
    warnings: tls.warnings,
  };
}

/** Whether routes of a namespace may attach. A namespace that is not known has no labels to go by, so no selector takes it. */
export function allowsNamespace(
  { namespaces }: ServedListener,
  namespace: string,
  { ref, reader }: Omit<ListenerContext, 'config'>,
): boolean {
  if (namespaces.from !== 'Selector') return namespaces.from === 'All' || (namespaces.from === 'Same' && namespace === ref.namespace);
  const found = reader.get('Namespace', '', namespace);
  // The API server sets this label; files need not.
  const labels = { 'kubernetes.io/metadata.name': namespace, ...found?.metadata.labels };
  return found !== undefined && labelSelectorMatches(namespaces.selector, labels);
}

/** A conflict as a condition: `Conflicted` is true where others are false. */
function conflictFinding({ type, reason, message }: { type: string; reason: string; message: string }): Finding {
  return { type, status: type === 'Conflicted' ? 'True' : 'False', reason, message };
}

const kindsOfProtocol: Readonly<Record<string, readonly RouteKind[]>> = {
  HTTP: ['HTTPRoute', 'GRPCRoute'],
  HTTPS: ['HTTPRoute', 'GRPCRoute'],
  TLS: ['TLSRoute', 'TCPRoute'],
  TCP: ['TCPRoute'],
  [contourHttpsProtocol]: [],
};

function allowedKinds({ protocol, allowedRoutes }: GatewayListener): { kinds: readonly RouteKind[]; findings: readonly Finding[] } {
  const possible = Object.hasOwn(kindsOfProtocol, protocol) ? kindsOfProtocol[protocol]! : [];
  const asked = allowedRoutes?.kinds ?? [];
  if (asked.length === 0) return { kinds: possible, findings: [] };
  const kinds = new Set<RouteKind>();
  const findings: Finding[] = [];
  for (const { group = gatewayGroup, kind } of asked) {
    const known = group === gatewayGroup ? possible.find((candidate) => candidate === kind) : undefined;
    if (known !== undefined) kinds.add(known);
    else
      findings.push(
        fault('ResolvedRefs', 'InvalidRouteKinds', `Kind "${group}/${kind}" cannot attach to a listener of protocol "${protocol}"`),
      );
  }
  return { kinds: [...kinds], findings };
}

function allowedNamespaces({ allowedRoutes }: GatewayListener): { value: AllowedNamespaces; findings: readonly Finding[] } {
  const { from = 'Same', selector } = allowedRoutes?.namespaces ?? {};
  if (from === 'All' || from === 'Same') return { value: { from }, findings: [] };
  const refused = (message: string) => ({ value: { from: 'None' } as const, findings: [fault('Programmed', 'Invalid', message)] });
  if (from !== 'Selector') return refused(`Listener.AllowedRoutes.Namespaces.From "${from}" is not supported`);
  if (selector === undefined) return refused('Listener.AllowedRoutes.Namespaces.Selector is required when From is "Selector"');
  if (isEmptySelector(selector)) return refused('Listener.AllowedRoutes.Namespaces.Selector must not be empty');
  const problem = labelSelectorProblem(selector);
  if (problem !== undefined) return refused(`Listener.AllowedRoutes.Namespaces.Selector: ${problem}`);
  return { value: { from, selector }, findings: [] };
}
