/** Loaded into a replica before its program: its date is wrong by as many milliseconds as a file says. Monotonic time is not. */
import { readFileSync } from 'node:fs';

const path = process.env['ISOLINE_TEST_DATE_SHIFT'];
const RealDate = Date;
let shiftMs = 0;

class ShiftedDate extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

if (path !== undefined) {
  globalThis.Date = ShiftedDate as DateConstructor;
  setInterval(() => {
    shiftMs = Number(readFileSync(path, 'utf8'));
  }, 20).unref();
}
