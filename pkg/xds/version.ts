import type { SentResource } from './type-stream.ts';

/**
 * A version for a set of resources: the same names with the same versions give the same, in any order, on every replica.
 * It is 64 bits long and no proof against intent; Envoy shows it and never decides by it.
 */
export function setVersion(resources: Iterable<SentResource>): string {
  let high = 0;
  let low = 0;
  for (const { name, encoded } of resources) {
    const text = `${name}\n${encoded.version}`;
    high = (high + fnv1a(text, 0x811c9dc5)) >>> 0;
    low = (low + fnv1a(text, 0x01234567)) >>> 0;
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

function fnv1a(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  // The last step of MurmurHash3: without it sums of such hashes cancel out for names that differ in one place.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
