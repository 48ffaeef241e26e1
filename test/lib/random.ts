/** Numbers that look random and come again with the same seed. */
export interface Random {
  /** A whole number from 0 up to, but not, the limit. */
  below(limit: number): number;
}

const givenSeed = process.env['ISOLINE_TEST_SEED'];

/** The seed of this test file: `ISOLINE_TEST_SEED`, or another one each time. */
const fileSeed = givenSeed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(givenSeed);

let told = false;

/** Random numbers from the seed of the test file, which is written to stderr once, for a failure that comes of chance. */
export function seededRandom(): Random {
  if (!told) process.stderr.write(`ISOLINE_TEST_SEED=${fileSeed}\n`);
  told = true;
  let state = fileSeed;
  return {
    // A linear congruential generator; its high bits are the good ones.
    below: (limit) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    },
  };
}
