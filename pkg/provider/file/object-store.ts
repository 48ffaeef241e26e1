import { type KubeObject, keyOf, type ObjectKey, objectKey, parseObjectKey } from '../../apis/meta.ts';
import { compareStrings } from '../../util/compare.ts';
import { deepEqual } from '../../util/deep-equal.ts';
import type { JsonObject } from '../../util/json-object.ts';
import { identify } from './identify.ts';
import { type ManifestObject, parseManifest } from './manifest.ts';

/** What is wrong with a file or with an object in it. */
export interface FileProblem {
  readonly file: string;
  /** From 1; absent where the file as a whole is at fault. */
  readonly line?: number;
  /** `Kind namespace/name`, as far as known. */
  readonly object?: string;
  /** The field at fault, such as `spec.routes[0].services`. */
  readonly field?: string;
  readonly message: string;
  /** Set: nothing is lost by it but what it names, and the object is served. */
  readonly warning?: true;
}

/** What is said of an object before it is served: the objects to serve in its place (itself, and what it implies), or its faults. */
export type Admission =
  | { readonly ok: true; readonly objects: readonly KubeObject[]; readonly warnings: readonly FieldFault[] }
  | { readonly ok: false; readonly faults: readonly FieldFault[] };

export interface FieldFault {
  /** `''`: the object as a whole. */
  readonly field: string;
  readonly message: string;
}

/** Validates, defaults and prunes an object as an API server would. */
export type Admit = (object: JsonObject) => Admission;

/** An object that a file holds. */
interface Held {
  /** As the file has it, for comparison. */
  readonly source: JsonObject;
  readonly key: ObjectKey;
  readonly objects: readonly KubeObject[];
  readonly line: number;
  /** Warnings, kept because an unchanged object is not admitted again. */
  readonly problems: readonly FileProblem[];
}

interface FileState {
  readonly held: ReadonlyMap<ObjectKey, Held>;
  readonly problems: readonly FileProblem[];
}

/** What a change of files does to the objects that are served. */
export interface ServedChange {
  readonly key: ObjectKey;
  /** `undefined`: it is gone. */
  readonly object: KubeObject | undefined;
}

/**
 * The objects of many files. An object that a file holds in two versions, of which the newer is refused, is served in the older
 * one; a file that cannot be read in part keeps the objects that are not seen in the rest. Where two files hold the same
 * object, the first by name wins. No I/O, no clock.
 */
export class ObjectStore {
  readonly #admit: Admit;
  readonly #files = new Map<string, FileState>();
  /** Files that hold a key, with the object for it. */
  readonly #holders = new Map<ObjectKey, Map<string, KubeObject>>();
  readonly #served = new Map<ObjectKey, KubeObject>();

  constructor(admit: Admit) {
    this.#admit = admit;
  }

  /** Takes the new content of a file, or `undefined` where it is gone. Gives the changes, and all problems of the file. */
  update(file: string, text: string | undefined): readonly ServedChange[] {
    const before = this.#files.get(file);
    const after = text === undefined ? undefined : this.#read(file, text, before);
    if (after === undefined) this.#files.delete(file);
    else this.#files.set(file, after);

    const touched = new Set<ObjectKey>();
    for (const { objects } of before?.held.values() ?? []) for (const object of objects) this.#release(keyOf(object), file, touched);
    for (const { objects } of after?.held.values() ?? [])
      for (const object of objects) this.#hold(keyOf(object), file, { object, touched });
    return [...touched].flatMap((key) => this.#settle(key));
  }

  /** Everything that is wrong now, in order of files and lines. */
  problems(): readonly FileProblem[] {
    const own = [...this.#files.values()].flatMap(({ problems, held }) => [
      ...problems,
      ...[...held.values()].flatMap((entry) => entry.problems),
    ]);
    return [...own, ...this.#duplicates()].sort((a, b) => compareStrings(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0));
  }

  #read(file: string, text: string, before: FileState | undefined): FileState {
    const manifest = parseManifest(text);
    const held = new Map<ObjectKey, Held>();
    const problems: FileProblem[] = manifest.problems.map((problem) => ({ file, ...problem }));
    for (const found of manifest.objects) {
      const entry = this.#readObject(found, { file, before, problems });
      if (entry === undefined) continue;
      const first = held.get(entry.key);
      if (first === undefined) held.set(entry.key, entry);
      else
        problems.push({
          file,
          line: entry.line,
          object: showKey(entry.key),
          message: `is in this file twice; the one at line ${first.line} is used`,
        });
    }
    // The part that cannot be read may hold any of the objects that are missing now.
    if (manifest.problems.length > 0) for (const [key, entry] of before?.held ?? []) if (!held.has(key)) held.set(key, entry);
    return { held, problems };
  }

  #readObject(
    found: ManifestObject,
    context: { readonly file: string; readonly before: FileState | undefined; readonly problems: FileProblem[] },
  ): Held | undefined {
    const { file, before, problems } = context;
    const key = sourceKey(found.object);
    const last = before?.held.get(key);
    if (last !== undefined && deepEqual(last.source, found.object)) return { ...last, line: found.lineOf('') };

    const line = found.lineOf('');
    const object = showKey(key);
    const problem = ({ field, message }: FieldFault): FileProblem => ({
      file,
      line: found.lineOf(field),
      object,
      ...(field !== '' && { field }),
      message,
    });
    const admission = this.#admit(found.object);
    if (admission.ok)
      return {
        source: found.object,
        key,
        objects: admission.objects,
        line,
        problems: admission.warnings.map((fault) => ({ ...problem(fault), warning: true })),
      };
    problems.push(...admission.faults.map(problem));
    return last; // as an API server would keep it
  }

  #hold(key: ObjectKey, file: string, { object, touched }: { readonly object: KubeObject; readonly touched: Set<ObjectKey> }): void {
    const holders = this.#holders.get(key) ?? new Map<string, KubeObject>();
    holders.set(file, object);
    this.#holders.set(key, holders);
    touched.add(key);
  }

  #release(key: ObjectKey, file: string, touched: Set<ObjectKey>): void {
    const holders = this.#holders.get(key);
    holders?.delete(file);
    if (holders?.size === 0) this.#holders.delete(key);
    touched.add(key);
  }

  /** Compares what should be served under a key with what is. */
  #settle(key: ObjectKey): readonly ServedChange[] {
    const holders = this.#holders.get(key);
    const file = holders === undefined ? undefined : [...holders.keys()].sort(compareStrings)[0];
    const object = file === undefined ? undefined : holders?.get(file);
    const before = this.#served.get(key);
    if (before === object || (before !== undefined && object !== undefined && deepEqual(before, object))) return [];
    if (object === undefined) this.#served.delete(key);
    else this.#served.set(key, object);
    return [{ key, object }];
  }

  #duplicates(): readonly FileProblem[] {
    return [...this.#holders].flatMap(([key, holders]) => {
      const [first, ...others] = [...holders.keys()].sort(compareStrings);
      return others.map((file) => {
        const line = this.#files.get(file)?.held.get(key)?.line;
        return {
          file,
          ...(line !== undefined && { line }),
          object: showKey(key),
          message: `is in ${first} too, and that one is used`,
          warning: true as const,
        };
      });
    });
  }
}

/** The key of an object that may lack anything. */
function sourceKey(source: JsonObject): ObjectKey {
  const { kind, namespace, name } = identify(source);
  return objectKey(kind, namespace, name);
}

function showKey(key: ObjectKey): string {
  const { kind, namespace, name } = parseObjectKey(key);
  return `${kind === '' ? 'object' : kind} ${namespace === '' ? '' : `${namespace}/`}${name}`.trim();
}
