import type { KindName } from '../apis/kinds.ts';
import { keyOf, keyOfRef, type ObjectKey, type ObjectRef, parseObjectKey } from '../apis/meta.ts';
import type { Config } from '../config/config.ts';
import type { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import type { Key } from '../kubernetes-cache/reader.ts';
import { shareUnchanged } from '../util/deep-equal.ts';
import { MultiMap } from '../util/multi-map.ts';
import type { Contribution } from './contribution.ts';
import { configRoot, type Processor } from './processor.ts';
import { awaitedReferences, type Hold, keysOfEndpoints, missedReferences, type Reads } from './reference-grace.ts';

/** A root's contribution before and after a build; `undefined` is absence. */
export interface ContributionChange {
  readonly root: ObjectKey;
  readonly before: Contribution | undefined;
  readonly after: Contribution | undefined;
}

/** A processor that threw: a bug of ours. The root keeps its last good contribution. */
export interface Fault {
  readonly root: ObjectRef;
  readonly error: unknown;
}

export interface ContributionsResult {
  /** Roots whose contribution is another than before, in the order in which they were built. */
  readonly changed: readonly ContributionChange[];
  readonly faults: readonly Fault[];
  /** Roots that wait for what they refer to, and did not before. */
  readonly held: readonly Hold[];
  /** How many roots were built. */
  readonly dirty: number;
}

export interface ContributionsDeps {
  readonly cache: KubernetesCache;
  readonly config: Config;
  readonly processors: readonly Processor[];
  /** Processes `configRoot`. */
  readonly configProcessor: Processor;
  /** What a root had in an earlier life, for one whose first build throws. Default: nothing. */
  readonly lastGood?: (root: ObjectKey) => Contribution | undefined;
  /**
   * Whether a new version of a root waits for what it refers to. What ends a wait that is in vain is a touched key `grace:`.
   * Default: false.
   */
  readonly referenceGrace?: boolean;
  /** Roots that are held from the start. */
  readonly holds?: ReadonlyMap<ObjectKey, Hold>;
}

/** What the builds of some roots came to, while they go on. */
interface Findings {
  readonly faults: Fault[];
  readonly held: Hold[];
  /** Roots that have waited long enough. */
  readonly overdue: ReadonlySet<ObjectKey>;
}

const graceKey = 'grace:';
const nothing: ReadonlySet<Key> = new Set();

/**
 * The contribution of every root, kept up to date: a root is built again when a key that its last build read
 * (found or not) is touched, and what equals the old contribution stops there. A full build is the same with
 * every root dirty.
 */
export class Contributions {
  readonly #cache: KubernetesCache;
  readonly #config: Config;
  readonly #lastGood: (root: ObjectKey) => Contribution | undefined;
  readonly #processors: ReadonlyMap<string, Processor>;
  readonly #contributions = new Map<ObjectKey, Contribution>();
  readonly #reads = new Map<ObjectKey, ReadonlySet<Key>>();
  /** References that lead nowhere, of each root that has some, in the version that counts. */
  readonly #missed = new Map<ObjectKey, ReadonlySet<Key>>();
  readonly #holds: Map<ObjectKey, Hold>;
  readonly #referenceGrace: boolean;
  /** Which roots read a key. */
  readonly #users = new MultiMap<Key, ObjectKey>();

  constructor(deps: ContributionsDeps) {
    const { cache, config, processors, configProcessor, lastGood = () => undefined } = deps;
    this.#cache = cache;
    this.#config = config;
    this.#lastGood = lastGood;
    this.#referenceGrace = deps.referenceGrace ?? false;
    this.#holds = new Map(deps.holds);
    const byKind = processors.flatMap((processor) => processor.kinds.map((kind) => [kind as string, processor] as const));
    this.#processors = new Map<string, Processor>([[configRoot.kind, configProcessor], ...byKind]);
  }

  get(root: ObjectKey): Contribution | undefined {
    return this.#contributions.get(root);
  }

  /** Roots that wait for what they refer to. */
  get holds(): ReadonlyMap<ObjectKey, Hold> {
    return this.#holds;
  }

  /** Every root that exists now. */
  roots(): readonly ObjectKey[] {
    const kinds = [...this.#processors.keys()].filter((kind) => kind !== configRoot.kind);
    return [keyOfRef(configRoot), ...kinds.flatMap((kind) => [...this.#cache.objects(kind as KindName)]).map(keyOf)];
  }

  /** Builds the roots that the touched keys wake. */
  update(touched: Iterable<Key>): ContributionsResult {
    const dirty = new Set<ObjectKey>();
    const overdue = new Set<ObjectKey>();
    for (const key of touched) {
      for (const root of this.#users.get(key)) dirty.add(root);
      if (this.#processors.has(parseObjectKey(key).kind)) dirty.add(key);
      if (key.startsWith(graceKey)) overdue.add(key.slice(graceKey.length));
    }
    for (const root of overdue) if (this.#holds.has(root)) dirty.add(root);
    return this.#build(dirty, overdue);
  }

  /** Builds every root. */
  updateAll(): ContributionsResult {
    return this.#build(new Set([...this.#contributions.keys(), ...this.roots()]), new Set());
  }

  #build(dirty: ReadonlySet<ObjectKey>, overdue: ReadonlySet<ObjectKey>): ContributionsResult {
    const changed: ContributionChange[] = [];
    const findings: Findings = { faults: [], held: [], overdue };
    for (const root of dirty) {
      const before = this.#contributions.get(root);
      const after = this.#process(root, before, findings);
      if (after === before) continue;
      if (after === undefined) this.#contributions.delete(root);
      else this.#contributions.set(root, after);
      changed.push({ root, before, after });
    }
    return { changed, faults: findings.faults, held: findings.held, dirty: dirty.size };
  }

  /** The new contribution: identical with `before` where equal; `undefined` where the root is gone. */
  #process(root: ObjectKey, before: Contribution | undefined, findings: Findings): Contribution | undefined {
    const ref = parseObjectKey(root);
    const processor = this.#processors.get(ref.kind);
    const exists = ref.kind === configRoot.kind || this.#cache.get(ref.kind as KindName, ref.namespace, ref.name) !== undefined;
    if (!exists || processor === undefined) {
      this.#remember(root, nothing);
      this.#show(root, nothing);
      return undefined;
    }
    const reads = new Set<Key>([root]);
    try {
      const contribution = processor.process(
        ref,
        this.#cache.reader((key) => reads.add(key)),
        this.#config,
      );
      return this.#hold(root, reads, before, findings) ?? shareUnchanged(before, contribution);
    } catch (error) {
      findings.faults.push({ root: ref, error });
      return before ?? this.#lastGood(root);
    } finally {
      this.#remember(root, reads);
    }
  }

  /** What counts in place of a new version that has something to wait for; `undefined`: the new version counts. */
  #hold(root: ObjectKey, keys: Set<Key>, before: Contribution | undefined, { held, overdue }: Findings): Contribution | undefined {
    if (!this.#referenceGrace) return undefined;
    const missed = missedReferences(keys, this.#cache);
    const hold = this.#holds.get(root) ?? this.#newHold(root, before);
    const awaited = hold === undefined || overdue.has(root) ? nothing : awaitedReferences({ keys, missed }, hold, this.#cache);
    if (hold === undefined || awaited.size === 0) {
      this.#show(root, missed);
      return undefined;
    }
    for (const service of awaited) for (const key of keysOfEndpoints(service, this.#cache)) keys.add(key);
    const now = { ...hold, awaited };
    if (!this.#holds.has(root)) held.push(now);
    this.#holds.set(root, now);
    return hold.shown;
  }

  /** What would have to be kept up of a root; `undefined`: nothing that was good. */
  #newHold(root: ObjectKey, shown: Contribution | undefined): Hold | undefined {
    const reads: Reads = { keys: this.#reads.get(root) ?? nothing, missed: this.#missed.get(root) ?? nothing };
    if (shown === undefined || (shown.virtualHosts.length === 0 && reads.missed.size > 0)) return undefined;
    return { root, shown, reads, awaited: nothing };
  }

  /** The newest version of a root counts from now on. */
  #show(root: ObjectKey, missed: ReadonlySet<Key>): void {
    this.#holds.delete(root);
    if (missed.size === 0) this.#missed.delete(root);
    else this.#missed.set(root, missed);
  }

  #remember(root: ObjectKey, reads: ReadonlySet<Key>): void {
    const before = this.#reads.get(root);
    if (before !== undefined) for (const key of before) if (!reads.has(key)) this.#users.delete(key, root);
    for (const key of reads) if (before?.has(key) !== true) this.#users.add(key, root);
    if (reads.size === 0) this.#reads.delete(root);
    else this.#reads.set(root, reads);
  }
}
