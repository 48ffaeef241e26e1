type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether two JSON-like values (plain objects, arrays, Uint8Arrays, primitives) are equal. A field that is
 * `undefined` equals an absent one. Shared parts are compared by identity first, so unchanged trees cost little.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalArrays(a, b);
  if (Array.isArray(b)) return false;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && equalArrays(a, b);
  return equalFields(a as Fields, b as Fields);
}

function equalArrays(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
  return true;
}

function equalFields(a: Fields, b: Fields): boolean {
  for (const key in a) if (!deepEqual(a[key], own(b, key))) return false;
  for (const key in b) if (b[key] !== undefined && own(a, key) === undefined) return false;
  return true;
}

/** A field of the object itself: users may name one `constructor`. */
function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/**
 * Gives `next` with every part that equals its counterpart in `previous` replaced by that counterpart, and
 * `previous` itself where all is equal. Later comparisons by identity, and memos by node, then hit. Neither
 * argument is changed; `next` must be JSON-like.
 */
export function shareUnchanged<T>(previous: T | undefined, next: T): T {
  if (Object.is(previous, next)) return next;
  if (typeof previous !== 'object' || typeof next !== 'object' || previous === null || next === null) return next;
  if (next instanceof Uint8Array) return deepEqual(previous, next) ? previous : next;
  if (Array.isArray(next)) return Array.isArray(previous) ? (shareArray(previous, next) as T) : next;
  return Array.isArray(previous) ? next : (shareFields(previous as Fields, next as Fields) as T);
}

function shareArray(previous: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  let same = previous.length === next.length;
  const shared = next.map((item, i) => {
    const kept = shareUnchanged(previous[i], item);
    same &&= Object.is(kept, previous[i]);
    return kept;
  });
  return same ? previous : shared;
}

function shareFields(previous: Fields, next: Fields): Fields {
  let same = true;
  const shared: Record<string, unknown> = {};
  for (const key in next) {
    const before = own(previous, key);
    const kept = shareUnchanged(before, next[key]);
    define(shared, key, kept);
    same &&= Object.is(kept, before);
  }
  for (const key in previous) same &&= previous[key] === undefined || own(next, key) !== undefined;
  return same ? previous : shared;
}

/** Sets a field, even one named `__proto__`, which an assignment would take for the prototype. */
function define(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  else fields[key] = value;
}
