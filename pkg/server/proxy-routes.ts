import type { LiveReport, LiveStream } from '../xds/live.ts';
import type { DistrustedProxy, QuarantineEntry } from '../xdscache/quarantine/refusal.ts';
import type { TypeUrl } from '../xdscache/resource.ts';
import type { Reply, Routes } from './http-server.ts';

/** The kinds that an object may be named by, in lower case, to their spelling. */
const kinds = new Map(
  ['HTTPProxy', 'Ingress', 'HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'Gateway', 'Service', 'Secret', 'ExtensionService'].map(
    (kind) => [kind.toLowerCase(), kind],
  ),
);

/** An object as a query names it. */
export interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What `/debug/live` answers. */
export interface LiveAnswer extends LiveReport {
  /** `kind/namespace/name`. */
  readonly object: string;
  /** The generation that the last build knew; absent for an object that has none, or is not there. */
  readonly observedGeneration?: number;
  /** How many Envoy resources the object is in. */
  readonly resources: number;
  /** What proxies refuse of the object, and what they get in its place. */
  readonly refused: readonly QuarantineEntry[];
}

/** An open stream. */
export interface ProxyStream extends LiveStream {
  readonly peer: string;
  readonly method: { readonly path: string };
}

export interface ProxyRoutesDeps {
  readonly streams: () => Iterable<ProxyStream>;
  readonly quarantine: () => { readonly entries: readonly QuarantineEntry[]; readonly distrusted: readonly DistrustedProxy[] };
  readonly live: (object: NamedObject) => LiveReport & { readonly resources: number };
  /** The generation of an object that the last build knew. */
  readonly generation: (object: NamedObject) => number | undefined;
}

/**
 * Pages about proxies, in JSON: `/debug/proxies` has each stream with what its proxy accepted and refused, `/debug/quarantine` what is kept
 * from proxies because one refused it, and `/debug/live?object=httpproxy/ns/name` which proxies have the newest version of an object.
 */
export function proxyRoutes(deps: ProxyRoutesDeps): Routes {
  return {
    '/debug/proxies': (query) => json(Array.from(deps.streams(), (stream) => proxyPage(stream, query.get('versions') === 'true'))),
    '/debug/quarantine': () => {
      const { entries, distrusted } = deps.quarantine();
      return json({ entries, distrusted });
    },
    '/debug/live': (query) => {
      const object = parseObject(query.get('object') ?? '');
      if (object !== undefined) return json(livePage(deps, object));
      return { status: 400, body: `object must be kind/namespace/name with one of the kinds ${[...kinds.keys()].join(', ')}\n` };
    },
  };
}

/** Reads `kind/namespace/name`; the kind in any case. */
export function parseObject(text: string): NamedObject | undefined {
  const [kind = '', namespace = '', name = '', ...rest] = text.split('/');
  const spelled = kinds.get(kind.toLowerCase());
  if (spelled === undefined || namespace === '' || name === '' || rest.length > 0) return undefined;
  return { kind: spelled, namespace, name };
}

function livePage({ live, generation, quarantine }: ProxyRoutesDeps, object: NamedObject): LiveAnswer {
  const observedGeneration = generation(object);
  const isOf = (origin: NamedObject): boolean =>
    origin.kind === object.kind && origin.namespace === object.namespace && origin.name === object.name;
  return {
    object: `${object.kind.toLowerCase()}/${object.namespace}/${object.name}`,
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...live(object),
    refused: quarantine().entries.filter(({ origins }) => origins.some(isOf)),
  };
}

function proxyPage({ node, peer, method, types }: ProxyStream, versions: boolean): object {
  const byType = Array.from(types, ([type, { acknowledgements, subscription }]): readonly [TypeUrl, object] => [
    type,
    {
      wildcard: subscription.wildcard,
      accepted: versions ? Object.fromEntries(acknowledgements.accepted) : acknowledgements.accepted.size,
      refused: Object.fromEntries(acknowledgements.refused),
      pending: acknowledgements.pending !== undefined,
    },
  ]);
  return { node: node?.id ?? '', peer, method: method.path, types: Object.fromEntries(byType) };
}

function json(value: unknown): Reply {
  return { contentType: 'application/json', body: `${JSON.stringify(value, undefined, 2)}\n` };
}
