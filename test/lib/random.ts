/** Numbers that look random and come again with the same seed. */
export interface Random {
  /** A whole number from 0 up to, but not, the limit. */
  below(limit: number): number;
  /** How to have the same numbers again. */
  readonly origin: string;
}

/** The seed is `ISOLINE_TEST_SEED`, or another one each time. */
export function seededRandom(seed = Number(process.env['ISOLINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))): Random {
  let state = seed;
  return {
    origin: `ISOLINE_TEST_SEED=${seed}`,
    // A linear congruential generator; its high bits are the good ones.
    below: (limit) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    },
  };
}
