/**
 * SHA-1 and SHA-256 (FIPS 180-4) in plain code, for the names of resources only: the core has no `node:crypto`. Both give lower-case
 * hexadecimal digits of the UTF-8 form of the text.
 */
const sha256Constants = new Uint32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
  0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
  0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
  0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
  0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
  0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

/** SHA-1 of a text: 40 digits. */
export function sha1(text: string): string {
  const state = new Uint32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const words = new Uint32Array(80);
  forEachBlock(text, words, () => sha1Block(state, words));
  return hex(state);
}

/** SHA-256 of a text: 64 digits. */
export function sha256(text: string): string {
  const state = new Uint32Array([0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]);
  const words = new Uint32Array(64);
  forEachBlock(text, words, () => sha256Block(state, words));
  return hex(state);
}

/** Pads the text, and calls `mix` with each block of 16 big-endian words at the start of `words`. */
function forEachBlock(text: string, words: Uint32Array, mix: () => void): void {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, bytes.length << 3);
  for (let at = 0; at < padded.length; at += 64) {
    for (let index = 0; index < 16; index++) words[index] = view.getUint32(at + index * 4);
    mix();
  }
}

function sha1Block(state: Uint32Array, words: Uint32Array): void {
  for (let i = 16; i < 80; i++) words[i] = left(words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!, 1);
  let [a, b, c, d, e] = [state[0]!, state[1]!, state[2]!, state[3]!, state[4]!];
  for (let i = 0; i < 80; i++) {
    const next = (left(a, 5) + sha1Round(i, b, c, d) + e + words[i]!) | 0;
    [a, b, c, d, e] = [next, a, left(b, 30), c, d];
  }
  addTo(state, [a, b, c, d, e]);
}

function sha1Round(i: number, b: number, c: number, d: number): number {
  if (i < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (i < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (i < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

function sha256Block(state: Uint32Array, words: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const [w15, w2] = [words[i - 15]!, words[i - 2]!];
    const s0 = right(w15, 7) ^ right(w15, 18) ^ (w15 >>> 3);
    const s1 = right(w2, 17) ^ right(w2, 19) ^ (w2 >>> 10);
    words[i] = words[i - 16]! + s0 + words[i - 7]! + s1;
  }
  let [a, b, c, d, e, f, g, h] = [...state] as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const s1 = right(e, 6) ^ right(e, 11) ^ right(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + sha256Constants[i]! + words[i]!) | 0;
    const s0 = right(a, 2) ^ right(a, 13) ^ right(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(t1 + t2) | 0, a, b, c, (d + t1) | 0, e, f, g];
  }
  addTo(state, [a, b, c, d, e, f, g, h]);
}

function addTo(state: Uint32Array, values: readonly number[]): void {
  for (const [index, value] of values.entries()) state[index] = state[index]! + value;
}

function left(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

function right(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

function hex(state: Uint32Array): string {
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}
