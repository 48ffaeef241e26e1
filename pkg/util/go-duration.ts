const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  'µs': 1e-3,
  'μs': 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const whole = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** Go keeps a duration in 63 bits of nanoseconds: about 292 years. */
const maxMs = 9_223_372_036_854;

/**
 * Reads a duration as Go writes it, such as `1m30s`, `250ms` or `-1.5h`. `0` needs no unit; any other number does.
 *
 * @returns milliseconds, which may have a fraction (`500us` is 0.5) and may be negative.
 * @throws {RangeError} if the text is not a duration, or is more than Go can hold.
 * @see Go `time.ParseDuration`
 */
export function parseGoDuration(text: string): number {
  if (/^[+-]?0$/.test(text)) return 0;
  const match = whole.exec(text);
  if (match === null) throw new RangeError(`invalid duration ${JSON.stringify(text)}`);

  let sum = 0;
  for (const [, amount = '', unit = ''] of match[2]!.matchAll(part)) sum += Number(amount) * unitsMs[unit]!;
  if (sum > maxMs) throw new RangeError(`invalid duration ${JSON.stringify(text)}: more than 292 years`);
  return match[1] === '-' ? -sum : sum;
}

/**
 * Reads a timeout as HTTPProxy and the configuration file write it: `''` and any spelling of zero are Envoy's default
 * (`undefined`), `infinity` and `infinite` are no timeout (`'disabled'`), else a positive Go duration in milliseconds.
 *
 * @throws {RangeError} if it is none of these, or is negative.
 * @see Contour `internal/timeout/timeout.go`; reference, "a timeout value"
 */
export function parseTimeout(text: string): number | 'disabled' | undefined {
  if (text === '') return undefined;
  if (text === 'infinity' || text === 'infinite') return 'disabled';
  const ms = parseGoDuration(text);
  if (ms < 0) throw new RangeError(`invalid duration ${JSON.stringify(text)}: it is negative`);
  return ms === 0 ? undefined : ms;
}
