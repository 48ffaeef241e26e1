import type { ObjectRef } from '../../../apis/meta.ts';
import type { Ingress } from '../../../apis/networking/v1/ingress.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import type { Outcome, Problem } from '../../../util/outcome.ts';
import type { Contribution } from '../../contribution.ts';
import { emptyContribution } from '../../contribution.ts';
import type { Listener } from '../../model/listener.ts';
import type { VirtualHostPart } from '../../model/virtual-host.ts';
import { httpListener, httpsListener } from '../../policy/listeners.ts';
import type { Processor } from '../../processor.ts';
import { type IngressSettings, ingressSettings } from './ingress-annotations.ts';
import { type IngressHost, ingressHosts } from './ingress-routes.ts';
import { type IngressTls, ingressTls } from './ingress-tls.ts';

/**
 * The front end for Ingress v1. Only Ingresses of our class are kept, so each one is ours. The API has no status for
 * faults: they go out as notices.
 */
export const ingressProcessor: Processor = { kinds: ['Ingress'], process: processIngress };

function processIngress(root: ObjectRef, reader: Reader, config: Config): Contribution {
  const ingress = reader.get('Ingress', root.namespace, root.name);
  if (ingress === undefined) return emptyContribution;
  const settings = ingressSettings(ingress);
  const http = httpListener(reader, config);
  const https = httpsListener(reader, config);
  const { hosts, problems: routeProblems } = ingressHosts(ingress, { ref: root, settings, reader, config });
  const tls: IngressTls = https.ok ? ingressTls(ingress, settings, reader, config) : { byHost: new Map(), problems: [] };
  const problems = [...settings.problems, ...listenerProblems(ingress, http, https), ...tls.problems, ...routeProblems];
  const sources: Sources = { ingress, root, settings, hosts };
  return {
    ...emptyContribution,
    virtualHosts: [
      ...(http.ok ? plaintextParts(http.value, sources) : []),
      ...(https.ok ? secureParts(https.value, tls, sources, reader) : []),
    ],
    statuses: [{ type: 'load-balancer', object: root, generation: ingress.metadata.generation ?? 0 }],
    ...(problems.length > 0 && { notices: problems.map((problem) => ({ object: root, problem })) }),
  };
}

/** What the virtual hosts of an Ingress are made of. */
interface Sources {
  readonly ingress: Ingress;
  readonly root: ObjectRef;
  readonly settings: IngressSettings;
  readonly hosts: readonly IngressHost[];
}

function listenerProblems({ spec }: Ingress, http: Outcome<Listener>, https: Outcome<Listener>): readonly Problem[] {
  const needsTls = (spec.tls ?? []).length > 0;
  return [...(http.ok ? [] : [http.problem]), ...(https.ok || !needsTls ? [] : [https.problem])];
}

function plaintextParts(listener: Listener, sources: Sources): readonly VirtualHostPart[] {
  const { allowHttp, forceSslRedirect } = sources.settings;
  if (!allowHttp) return [];
  return sources.hosts
    .filter(({ routes }) => routes.length > 0)
    .map(({ host, path, routes }) => ({
      ...partOf(listener, host, path, sources),
      routes: forceSslRedirect ? routes.map((route) => ({ ...route, httpsRedirect: true })) : routes,
    }));
}

/**
 * The routes on TLS: of the hosts that the Ingress secures itself, and of those that another Ingress names in its `tls`, which
 * the merge keeps if that one does secure the host. A rule without a host is never served on TLS.
 */
function secureParts(listener: Listener, { byHost }: IngressTls, sources: Sources, reader: Reader): readonly VirtualHostPart[] {
  const routesOf = new Map(sources.hosts.filter(({ host }) => host !== '*').map((entry) => [entry.host, entry]));
  const own = [...byHost]
    .filter(([host]) => host !== '*' && host !== '')
    .map(([host, { tls, path }]) => ({
      ...partOf(listener, host, path, sources),
      routes: routesOf.get(host)?.routes ?? [],
      tls,
    }));
  const shared = [...routesOf.values()]
    .filter(({ host, routes }) => !byHost.has(host) && routes.length > 0 && reader.list('ingresses-by-tls-host', host).length > 0)
    .map(({ host, path, routes }) => ({ ...partOf(listener, host, path, sources), routes }));
  return [...own, ...shared];
}

function partOf(listener: Listener, host: string, path: string, { ingress, root }: Sources): Omit<VirtualHostPart, 'routes'> {
  return {
    listener: listener.name,
    host,
    source: 'Ingress',
    createdAt: ingress.metadata.creationTimestamp ?? '',
    origin: { ...root, path },
  };
}
