import type { Origin } from '../dag/model/origin.ts';
import { type ConfigSourceKind, type SnapshotUpdate, type SnapshotView, type TypeUrl, typeUrls } from '../xdscache/resource.ts';
import type { TypeStream } from './type-stream.ts';

/** A stream of a proxy, as far as it says what the proxy has. */
export interface LiveStream {
  readonly source: ConfigSourceKind;
  /** Who is on the other end; `undefined` before it said so. */
  readonly node: { readonly id: string } | undefined;
  readonly types: ReadonlyMap<TypeUrl, TypeStream>;
}

/** What proxies have of some resources. */
export interface LiveReport {
  /** How many of the connected proxies have the newest version of all of them. */
  readonly live: number;
  readonly of: number;
  readonly nodes: readonly LiveNode[];
}

export interface LiveNode {
  readonly node: string;
  readonly live: boolean;
  /** Resources that it has not accepted in their newest version. */
  readonly waitsFor: readonly { readonly type: TypeUrl; readonly name: string; readonly refused?: string }[];
}

export interface LiveOptions {
  readonly snapshot: SnapshotView;
  /** The open streams. */
  readonly streams: () => Iterable<LiveStream>;
  /** Told when all proxies have what an update brought. @param tookMs since the time given to `changed`. */
  readonly onLive?: (tookMs: number) => void;
}

export interface ResourceName {
  readonly type: TypeUrl;
  readonly name: string;
}

/** An update that some proxies have not accepted yet. */
interface Flight {
  readonly sinceMs: number;
  readonly names: readonly ResourceName[];
  readonly waiting: Set<LiveStream>;
}

/** Updates that are followed at once; with more on their way the oldest are given up. */
const maxFlights = 256;

/**
 * Which proxies have accepted the newest version of what is served. A proxy that wants no resource of a name has nothing to accept. What
 * is kept is what is on its way: an update and who has not accepted it; an answer costs a look at those, an update one at each proxy.
 */
export class Live {
  readonly #options: LiveOptions;
  #flights: Flight[] = [];
  #index: { readonly sequence: number; readonly names: ReadonlyMap<string, readonly ResourceName[]> } | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  /** How many updates are on their way to proxies. */
  get inFlight(): number {
    return this.#flights.length;
  }

  /** Takes in an update that was applied. @param sinceMs when the first of what it is made from was known. */
  changed(update: SnapshotUpdate, sinceMs: number): void {
    // Tables and certificates come last, so what a proxy lacks is found at once.
    const names = [...update].reverse().flatMap(([type, changes]) => Array.from(changes.keys(), (name) => ({ type, name })));
    if (names.length === 0) return;
    const waiting = new Set([...this.#options.streams()].filter((stream) => !this.#has(stream, names)));
    if (waiting.size === 0) return;
    this.#flights.push({ sinceMs, names, waiting });
    if (this.#flights.length > maxFlights) this.#flights.shift();
  }

  /** A proxy answered, or its stream has ended (`gone`). */
  answered(stream: LiveStream, nowMs: number, gone = false): void {
    for (const { waiting, names } of this.#flights) {
      if (waiting.has(stream) && (gone || this.#has(stream, names))) waiting.delete(stream);
    }
    if (this.#flights.every(({ waiting }) => waiting.size > 0)) return;
    for (const { waiting, sinceMs } of this.#flights) if (waiting.size === 0) this.#options.onLive?.(nowMs - sinceMs);
    this.#flights = this.#flights.filter(({ waiting }) => waiting.size > 0);
  }

  /** Whether every proxy that wants these resources has them. True where no proxy is connected. */
  everywhere(names: readonly ResourceName[]): boolean {
    for (const stream of this.#options.streams()) if (!this.#has(stream, names)) return false;
    return true;
  }

  /** What proxies have of the resources that an object is in. Costs a look at everything that is served, once for each update. */
  report({ kind, namespace, name }: Pick<Origin, 'kind' | 'namespace' | 'name'>): LiveReport & { readonly resources: number } {
    const names = this.#names().get(objectText(kind, namespace, name)) ?? [];
    const byNode = new Map<string, LiveNode['waitsFor'][number][]>();
    for (const stream of this.#options.streams()) {
      if (stream.node === undefined) continue;
      const waitsFor = names
        .filter((resource) => !this.#has(stream, [resource]))
        .map((resource) => ({ ...resource, ...refusalOf(stream, resource) }));
      byNode.getOrInsertComputed(stream.node.id, () => []).push(...waitsFor);
    }
    const nodes = Array.from(byNode, ([node, waitsFor]) => ({ node, live: waitsFor.length === 0, waitsFor }));
    return { resources: names.length, live: nodes.filter(({ live }) => live).length, of: nodes.length, nodes };
  }

  #has({ types, source }: LiveStream, names: readonly ResourceName[]): boolean {
    return names.every(({ type, name }) => {
      const stream = types.get(type);
      if (stream === undefined || !stream.subscription.wants(name)) return true;
      return stream.acknowledgements.accepted.get(name) === this.#options.snapshot.get(type, name)?.encoded(source).version;
    });
  }

  #names(): ReadonlyMap<string, readonly ResourceName[]> {
    const { snapshot } = this.#options;
    if (this.#index?.sequence === snapshot.sequence) return this.#index.names;
    const names = new Map<string, ResourceName[]>();
    for (const type of Object.values(typeUrls)) {
      for (const resource of snapshot.all(type).values()) {
        const objects = new Set(resource.origins.map((origin) => objectText(origin.kind, origin.namespace, origin.name)));
        for (const object of objects) names.getOrInsertComputed(object, () => []).push({ type, name: resource.name });
      }
    }
    this.#index = { sequence: snapshot.sequence, names };
    return names;
  }
}

function refusalOf({ types }: LiveStream, { type, name }: ResourceName): { readonly refused?: string } {
  const refusal = types.get(type)?.acknowledgements.refused.get(name);
  return refusal === undefined ? {} : { refused: refusal.detail };
}

function objectText(kind: string, namespace: string, name: string): string {
  return `${kind.toLowerCase()}/${namespace}/${name}`;
}
