import type { ObjectRef } from '../../../apis/meta.ts';
import type { Ingress, IngressBackend, IngressPath } from '../../../apis/networking/v1/ingress.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import type { Outcome, Problem } from '../../../util/outcome.ts';
import { fail, ok } from '../../../util/outcome.ts';
import type { Cluster } from '../../model/cluster.ts';
import type { ForwardPolicy, PathMatch, Route, RouteAction } from '../../model/route.ts';
import { defaultRouteAuthorization } from '../../policy/authorization.ts';
import { clientCertificate, serviceCluster } from '../../policy/cluster.ts';
import { hostnameProblem } from '../../policy/gateway-listeners.ts';
import { regexError } from '../../policy/regex.ts';
import { routeMatch } from '../../policy/route-order.ts';
import { resolveService } from '../../policy/service.ts';
import { oneLabelMatch } from '../../policy/wildcard-host.ts';
import type { IngressSettings } from './ingress-annotations.ts';

/** The routes of one host of an Ingress. */
export interface IngressHost {
  /** Lower case; `*` for a rule without a host. */
  readonly host: string;
  /** None of them redirects to https. */
  readonly routes: readonly Route[];
  /** The field of the first rule of the host. */
  readonly path: string;
}

/** What the routes of an Ingress are read with. */
export interface IngressContext {
  readonly ref: ObjectRef;
  readonly settings: IngressSettings;
  readonly reader: Reader;
  readonly config: Config;
}

interface Rule {
  readonly host: string;
  readonly path: string;
  readonly paths: readonly { readonly path: IngressPath; readonly at: string }[];
}

/**
 * The routes of an Ingress by host, in the order of its rules. A path that cannot be read is left out; one whose
 * backend cannot be found answers 503, lest its requests go to a broader path. Two paths may have the same match: the
 * merge takes the later one, so a rule may replace the default backend.
 */
export function ingressHosts({ spec }: Ingress, context: IngressContext): { hosts: readonly IngressHost[]; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const hosts = new Map<string, IngressHost & { readonly routes: Route[] }>();
  for (const { host, path, paths } of rulesOf(spec)) {
    const problem = host === '*' ? undefined : hostnameProblem(host);
    if (problem !== undefined) {
      problems.push({ type: 'RuleError', reason: 'HostNotValid', message: `${path}.host: ${problem}` });
      continue;
    }
    const entry = hosts.get(host) ?? { host, path, routes: [] };
    hosts.set(host, entry);
    for (const one of paths) {
      const route = routeOf(one.path, one.at, host, { ...context, problems });
      if (route !== undefined) entry.routes.push(route);
    }
  }
  return { hosts: [...hosts.values()], problems };
}

/** The rules with paths; the default backend is the first, for every host and path. */
function rulesOf({ defaultBackend, rules = [] }: Ingress['spec']): readonly Rule[] {
  const own = rules.flatMap(({ host = '', http }, i): readonly Rule[] => {
    if (http === undefined) return [];
    const paths = http.paths.map((path, j) => ({ path, at: `spec.rules[${i}].http.paths[${j}]` }));
    return [{ host: host === '' ? '*' : host.toLowerCase(), path: `spec.rules[${i}]`, paths }];
  });
  if (defaultBackend === undefined) return own;
  const path: IngressPath = { path: '/', pathType: 'ImplementationSpecific', backend: defaultBackend };
  return [{ host: '*', path: 'spec.defaultBackend', paths: [{ path, at: 'spec.defaultBackend' }] }, ...own];
}

type RouteContext = IngressContext & { readonly problems: Problem[] };

function routeOf(path: IngressPath, at: string, host: string, context: RouteContext): Route | undefined {
  const match = pathMatch(path);
  if (!match.ok) {
    context.problems.push({ ...match.problem, message: `${at}.path: ${match.problem.message}` });
    return undefined;
  }
  const authority = oneLabelMatch(host);
  return {
    match: routeMatch(match.value, authority === undefined ? [] : [authority]),
    action: actionOf(path, at, context),
    httpsRedirect: false,
    priority: 0,
    ...defaultRouteAuthorization(context.config),
    origin: { ...context.ref, path: at },
  };
}

/** Characters that make a regular expression of an `ImplementationSpecific` path. */
const regexCharacters = /[\^+*[\]%]/;

function pathMatch({ path: text = '', pathType }: IngressPath): Outcome<PathMatch> {
  const path = text === '' ? '/' : text;
  if (pathType === 'Exact') return ok({ type: 'exact', path });
  if (pathType === 'Prefix') {
    const prefix = path.replace(/\/+$/, '');
    // Envoy refuses the whole route table for it, and no path could match.
    if (/[?#]/.test(prefix)) return fail('RuleError', 'PathNotValid', 'a path of type Prefix has no "?" and no "#"');
    return ok(prefix === '' ? { type: 'prefix', prefix: '/', by: 'string' } : { type: 'prefix', prefix, by: 'segment' });
  }
  if (!regexCharacters.test(path)) return ok({ type: 'prefix', prefix: path, by: 'string' });
  const error = regexError(path);
  return error === undefined
    ? ok({ type: 'regex', regex: path })
    : fail('RuleError', 'PathNotValid', `invalid regular expression: ${error}`);
}

function actionOf({ path, backend }: IngressPath, at: string, context: RouteContext): RouteAction {
  const cluster = backendCluster(backend, at === 'spec.defaultBackend' ? at : `${at}.backend`, context);
  if (!cluster.ok) {
    context.problems.push(cluster.problem);
    return { type: 'direct-response', status: 503 };
  }
  const { responseTimeoutMs, retry, websocketPaths } = context.settings;
  const forward: ForwardPolicy = {
    ...(responseTimeoutMs !== undefined && { responseTimeoutMs }),
    ...(retry !== undefined && { retry }),
    ...(websocketPaths.has(path ?? '') && { websocket: true }),
  };
  return { type: 'forward', clusters: [{ cluster: cluster.value, weight: 1 }], forward };
}

function backendCluster({ service }: IngressBackend, at: string, { ref, reader, config }: RouteContext): Outcome<Cluster> {
  if (service === undefined) return fail('ServiceError', 'ServiceUnresolvedReference', `${at}: only a service backend is supported`);
  const { name, port } = service;
  const resolved = resolveService(reader, config, { namespace: ref.namespace, name, port: port?.name || (port?.number ?? 0) });
  if (!resolved.ok) return fail(resolved.problem.type, resolved.problem.reason, `${at}: ${resolved.problem.message}`);
  const origin = { ...ref, path: `${at}.service` };
  const { protocol } = resolved.value;
  if (protocol !== 'tls' && protocol !== 'h2') return ok(serviceCluster(resolved.value, { origin }, config));
  const certificate = clientCertificate(reader, config);
  if (!certificate.ok) return certificate;
  return ok(serviceCluster(resolved.value, { origin, clientCertificate: certificate.value }, config));
}
