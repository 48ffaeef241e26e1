const c1 = 0x239b961b;
const c2 = 0xab0e9789;
const c3 = 0x38b34ae5;
const c4 = 0xa1e38b93;

/**
 * MurmurHash3 (x86, 128 bits, seed 0) of some bytes, as 32 hexadecimal digits. Fast and well spread, and the same on
 * every machine; it does not withstand someone who looks for collisions, so it may name versions, not identities.
 */
export function murmur3(bytes: Uint8Array): string {
  const state = new Uint32Array(4);
  const whole = bytes.length & ~15;
  for (let at = 0; at < whole; at += 16) mixBlock(state, bytes, at);
  mixTail(state, bytes, whole);
  return finish(state, bytes.length);
}

function word(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

function mixBlock(state: Uint32Array, bytes: Uint8Array, at: number): void {
  let [h1, h2, h3, h4] = [state[0]!, state[1]!, state[2]!, state[3]!];
  h1 ^= Math.imul(rotate(Math.imul(word(bytes, at), c1), 15), c2);
  h1 = (Math.imul(rotate(h1, 19) + h2, 5) + 0x561ccd1b) | 0;
  h2 ^= Math.imul(rotate(Math.imul(word(bytes, at + 4), c2), 16), c3);
  h2 = (Math.imul(rotate(h2, 17) + h3, 5) + 0x0bcaa747) | 0;
  h3 ^= Math.imul(rotate(Math.imul(word(bytes, at + 8), c3), 17), c4);
  h3 = (Math.imul(rotate(h3, 15) + h4, 5) + 0x96cd1c35) | 0;
  h4 ^= Math.imul(rotate(Math.imul(word(bytes, at + 12), c4), 18), c1);
  h4 = (Math.imul(rotate(h4, 13) + h1, 5) + 0x32ac3b17) | 0;
  state[0] = h1;
  state[1] = h2;
  state[2] = h3;
  state[3] = h4;
}

function mixTail(state: Uint32Array, bytes: Uint8Array, from: number): void {
  const tail = new Uint8Array(16);
  tail.set(bytes.subarray(from));
  state[0]! ^= Math.imul(rotate(Math.imul(word(tail, 0), c1), 15), c2);
  state[1]! ^= Math.imul(rotate(Math.imul(word(tail, 4), c2), 16), c3);
  state[2]! ^= Math.imul(rotate(Math.imul(word(tail, 8), c3), 17), c4);
  state[3]! ^= Math.imul(rotate(Math.imul(word(tail, 12), c4), 18), c1);
}

function finish(state: Uint32Array, length: number): string {
  for (let lane = 0; lane < 4; lane++) state[lane]! ^= length;
  spread(state);
  for (let lane = 0; lane < 4; lane++) state[lane] = finalMix(state[lane]!);
  spread(state);
  return Array.from(state, (lane) => lane.toString(16).padStart(8, '0')).join('');
}

function spread(state: Uint32Array): void {
  state[0] = state[0]! + state[1]! + state[2]! + state[3]!;
  for (let lane = 1; lane < 4; lane++) state[lane] = state[lane]! + state[0]!;
}

function finalMix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
