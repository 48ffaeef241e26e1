import type { KindName } from '../apis/kinds.ts';
import { keyOf, keyOfRef, type ObjectKey, type ObjectRef, parseObjectKey } from '../apis/meta.ts';
import type { Config } from '../config/config.ts';
import type { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import type { Key } from '../kubernetes-cache/reader.ts';
import { shareUnchanged } from '../util/deep-equal.ts';
import { MultiMap } from '../util/multi-map.ts';
import type { Contribution } from './contribution.ts';
import { configRoot, type Processor } from './processor.ts';

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
}

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
  /** Which roots read a key. */
  readonly #users = new MultiMap<Key, ObjectKey>();

  constructor({ cache, config, processors, configProcessor, lastGood = () => undefined }: ContributionsDeps) {
    this.#cache = cache;
    this.#config = config;
    this.#lastGood = lastGood;
    const byKind = processors.flatMap((processor) => processor.kinds.map((kind) => [kind as string, processor] as const));
    this.#processors = new Map<string, Processor>([[configRoot.kind, configProcessor], ...byKind]);
  }

  get(root: ObjectKey): Contribution | undefined {
    return this.#contributions.get(root);
  }

  /** Every root that exists now. */
  roots(): readonly ObjectKey[] {
    const kinds = [...this.#processors.keys()].filter((kind) => kind !== configRoot.kind);
    return [keyOfRef(configRoot), ...kinds.flatMap((kind) => [...this.#cache.objects(kind as KindName)]).map(keyOf)];
  }

  /** Builds the roots that the touched keys wake. */
  update(touched: Iterable<Key>): ContributionsResult {
    const dirty = new Set<ObjectKey>();
    for (const key of touched) {
      for (const root of this.#users.get(key)) dirty.add(root);
      if (this.#processors.has(parseObjectKey(key).kind)) dirty.add(key);
    }
    return this.#build(dirty);
  }

  /** Builds every root. */
  updateAll(): ContributionsResult {
    return this.#build(new Set([...this.#contributions.keys(), ...this.roots()]));
  }

  #build(dirty: ReadonlySet<ObjectKey>): ContributionsResult {
    const changed: ContributionChange[] = [];
    const faults: Fault[] = [];
    for (const root of dirty) {
      const before = this.#contributions.get(root);
      const after = this.#process(root, before, faults);
      if (after === before) continue;
      if (after === undefined) this.#contributions.delete(root);
      else this.#contributions.set(root, after);
      changed.push({ root, before, after });
    }
    return { changed, faults, dirty: dirty.size };
  }

  /** The new contribution: identical with `before` where equal; `undefined` where the root is gone. */
  #process(root: ObjectKey, before: Contribution | undefined, faults: Fault[]): Contribution | undefined {
    const ref = parseObjectKey(root);
    const processor = this.#processors.get(ref.kind);
    const exists = ref.kind === configRoot.kind || this.#cache.get(ref.kind as KindName, ref.namespace, ref.name) !== undefined;
    if (!exists || processor === undefined) {
      this.#remember(root, new Set());
      return undefined;
    }
    const reads = new Set<Key>([root]);
    try {
      const contribution = processor.process(
        ref,
        this.#cache.reader((key) => reads.add(key)),
        this.#config,
      );
      return shareUnchanged(before, contribution);
    } catch (error) {
      faults.push({ root: ref, error });
      return before ?? this.#lastGood(root);
    } finally {
      this.#remember(root, reads);
    }
  }

  #remember(root: ObjectKey, reads: ReadonlySet<Key>): void {
    const before = this.#reads.get(root);
    if (before !== undefined) for (const key of before) if (!reads.has(key)) this.#users.delete(key, root);
    for (const key of reads) if (before?.has(key) !== true) this.#users.add(key, root);
    if (reads.size === 0) this.#reads.delete(root);
    else this.#reads.set(root, reads);
  }
}
