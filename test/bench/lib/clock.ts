/** Milliseconds of the monotonic clock, which all threads of the benchmark share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
