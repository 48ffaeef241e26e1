import type { KindMap, KindName } from '../apis/kinds.ts';
import { type KubeObject, keyOf, type ObjectKey, type ObjectRef, objectKey, parseObjectKey } from '../apis/meta.ts';
import { compareStrings } from '../util/compare.ts';
import { Changes } from './changes.ts';
import { indexEntries } from './indexes.ts';
import { type IndexName, indexKey, type Key, type Reader } from './reader.ts';
import { sameForBuild } from './relevance.ts';
import type { SecretInspector } from './secret-inspector.ts';

export interface KubernetesCacheOptions {
  /** Says which objects matter at all, such as the ingress class; one that stops to matter is removed. */
  readonly keeps: (object: KubeObject) => boolean;
  readonly secrets: SecretInspector;
}

/**
 * Every object that matters, with indexes. Objects are kept as they were given and never mutated. A write that
 * makes no difference to a build replaces the object (its status and resource version may be newer) and tells nobody.
 */
export class KubernetesCache {
  readonly #options: KubernetesCacheOptions;
  readonly #byKind = new Map<string, Map<ObjectKey, KubeObject>>();
  readonly #indexes = new Map<Key, Set<ObjectKey>>();
  readonly #changes = new Changes();
  /** Moments that a reader asked for and that have not passed. */
  readonly #awaited = new Set<number>();
  /** Moments that a reader asked for and that have passed: a date that was wrong may be set back. */
  readonly #passed = new Set<number>();
  #nowMs = 0;

  constructor(options: KubernetesCacheOptions) {
    this.#options = options;
  }

  /** Changes that matter to a build, told synchronously after the cache has them. */
  get changes(): Changes['observable'] {
    return this.#changes.observable;
  }

  /** Adds or replaces an object. */
  apply(object: KubeObject): void {
    if (!this.#options.keeps(object)) {
      this.remove(object.kind, object.metadata.namespace ?? '', object.metadata.name);
      return;
    }
    const key = keyOf(object);
    const before = this.#byKind.get(object.kind)?.get(key);
    this.#store(object.kind).set(key, object);
    if (before !== undefined && sameForBuild(before, object)) return;
    const touched = [key, ...this.#reindex(key, before, object)];
    const change = { object: parseObjectKey(key), after: object, touched };
    this.#changes.emit(before === undefined ? { op: 'add', ...change } : { op: 'update', before, ...change });
  }

  /** Removes an object; nothing happens where it is not there. */
  remove(kind: string, namespace: string, name: string): void {
    const key = objectKey(kind, namespace, name);
    const before = this.#byKind.get(kind)?.get(key);
    if (before === undefined) return;
    this.#store(kind).delete(key);
    const touched = [key, ...this.#reindex(key, before, undefined)];
    this.#changes.emit({ op: 'delete', object: { kind, namespace, name }, before, touched });
  }

  /**
   * Tells the time, in milliseconds since 1970. What waited for a moment that has passed now is touched, and so is, where the date was
   * set back, what knows a moment as passed that is to come again.
   */
  advance(nowMs: number): void {
    this.#nowMs = nowMs;
    const passed = [...this.#awaited].filter((moment) => moment <= nowMs);
    const toCome = [...this.#passed].filter((moment) => moment > nowMs);
    for (const moment of passed) this.#awaited.delete(moment);
    for (const moment of toCome) this.#passed.delete(moment);
    const touched = [...passed, ...toCome];
    if (touched.length > 0) this.#changes.emit({ op: 'time', touched: touched.map(momentKey) });
  }

  /** Tells that roots waited long enough for what they refer to. */
  graceOver(roots: readonly ObjectKey[]): void {
    this.#changes.emit({ op: 'time', touched: roots.map((root) => `grace:${root}` as const) });
  }

  /** The next moment that a build waits for; `undefined` where there is none. */
  nextMoment(): number | undefined {
    return this.#awaited.size === 0 ? undefined : Math.min(...this.#awaited);
  }

  get<K extends KindName>(kind: K, namespace: string, name: string): KindMap[K] | undefined {
    return this.#byKind.get(kind)?.get(objectKey(kind, namespace, name)) as KindMap[K] | undefined;
  }

  /** Whether there is an object of that key. */
  has(key: Key): boolean {
    return this.#byKind.get(key.slice(0, key.indexOf('/')))?.has(key) === true;
  }

  /** All objects of a kind, in no particular order. */
  objects<K extends KindName>(kind: K): Iterable<KindMap[K]> {
    return (this.#byKind.get(kind)?.values() ?? []) as Iterable<KindMap[K]>;
  }

  /** How many objects of each kind there are. */
  counts(): ReadonlyMap<string, number> {
    return new Map([...this.#byKind].map(([kind, objects]) => [kind, objects.size]));
  }

  /** A reader that tells `record` every key it is asked for. */
  reader(record: (key: Key) => void): Reader {
    return {
      get: (kind, namespace, name) => {
        record(objectKey(kind, namespace, name));
        return this.get(kind, namespace, name);
      },
      list: (index, value) => {
        record(indexKey(index, value));
        return this.#members(index, value);
      },
      secrets: this.#options.secrets,
      hasPassed: (moment) => {
        record(momentKey(moment));
        (moment > this.#nowMs ? this.#awaited : this.#passed).add(moment);
        return moment <= this.#nowMs;
      },
    };
  }

  #store(kind: string): Map<ObjectKey, KubeObject> {
    let store = this.#byKind.get(kind);
    if (store === undefined) {
      store = new Map();
      this.#byKind.set(kind, store);
    }
    return store;
  }

  #members(index: IndexName, value: string): readonly ObjectRef[] {
    const members = this.#indexes.get(indexKey(index, value));
    return members === undefined ? [] : [...members].sort(compareStrings).map(parseObjectKey);
  }

  /** Moves an object between index entries; gives those that it entered or left. */
  #reindex(key: ObjectKey, before: KubeObject | undefined, after: KubeObject | undefined): readonly Key[] {
    const old = new Set(before === undefined ? [] : indexEntries(before));
    const now = new Set(after === undefined ? [] : indexEntries(after));
    const left = [...old].filter((entry) => !now.has(entry));
    const entered = [...now].filter((entry) => !old.has(entry));
    for (const entry of left) this.#leave(entry, key);
    for (const entry of entered) this.#enter(entry, key);
    return [...left, ...entered];
  }

  #enter(entry: Key, key: ObjectKey): void {
    const members = this.#indexes.get(entry);
    if (members === undefined) this.#indexes.set(entry, new Set([key]));
    else members.add(key);
  }

  #leave(entry: Key, key: ObjectKey): void {
    const members = this.#indexes.get(entry);
    members?.delete(key);
    if (members?.size === 0) this.#indexes.delete(entry);
  }
}

function momentKey(moment: number): Key {
  return `time:${moment}`;
}
