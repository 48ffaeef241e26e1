import type { NamespacedName } from './config.ts';
import { integer, refined, shape, text, type ValueType } from './value-type.ts';

/** Counts and sizes that Envoy keeps in 32 bits. */
export const limit = integer(0, 4_294_967_295);

/** A limit that cannot be 0. */
export const positiveLimit = integer(1, 4_294_967_295);

/** A name with its namespace: both or none. */
export const namePair: ValueType<NamespacedName | undefined> = refined(shape({ namespace: text, name: text }), ({ namespace, name }) => {
  if (namespace === undefined && name === undefined) return undefined;
  if (namespace === undefined) throw new RangeError('namespace: must be given with the name');
  if (name === undefined) throw new RangeError('name: must be given with the namespace');
  return { namespace, name };
});
