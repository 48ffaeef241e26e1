const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // U+00B5, micro sign
  μs: 1e-3, // U+03BC, Greek letter mu
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** What a Go duration can hold: 2^63 - 1 nanoseconds, in milliseconds. */
const maxMs = 9_223_372_036_854.775;

const term = /(\d+\.?\d*|\.\d+)([^\d.]*)/y;

/**
 * Reads a duration in Go's syntax: terms such as `1h30m`, `250ms`, `1.5s` or `-2s`, or a bare `0`.
 * The result is in milliseconds and may have a fraction: Envoy takes nanoseconds.
 *
 * @throws {RangeError} with Go's words, such as `time: missing unit in duration "90"`.
 */
export function parseGoDuration(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === '0') return 0;
  if (body === '') throw invalid(text);

  let ms = 0;
  term.lastIndex = 0;
  for (let at = 0; at < body.length; at = term.lastIndex) {
    term.lastIndex = at;
    const found = term.exec(body);
    if (found === null) throw invalid(text);
    ms += termMs(text, found[1] ?? '', found[2] ?? '');
  }
  if (ms > maxMs) throw invalid(text);
  return ms === 0 ? 0 : sign * ms;
}

function termMs(text: string, number: string, unit: string): number {
  if (unit === '') throw new RangeError(`time: missing unit in duration ${JSON.stringify(text)}`);
  const scale = Object.hasOwn(unitMs, unit) ? unitMs[unit] : undefined;
  if (scale === undefined) {
    throw new RangeError(`time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`);
  }
  // In whole nanoseconds, as Go has it: 0.1 + 0.2 of anything must not leave a tail.
  return Math.round(Number(number) * scale * 1e6) / 1e6;
}

function invalid(text: string): RangeError {
  return new RangeError(`time: invalid duration ${JSON.stringify(text)}`);
}
