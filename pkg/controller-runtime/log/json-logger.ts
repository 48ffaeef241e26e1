import { errorText } from '../../util/error-text.ts';
import type { LogFields, Logger } from '../../util/logger.ts';

export interface JsonLoggerOptions {
  /** Takes one line, with its newline. */
  readonly write: (line: string) => unknown;
  /** Whether debug lines are written, too. Default: false. */
  readonly debug?: boolean;
  /** Default: the system's. */
  readonly now?: () => Date;
}

/** A log of one JSON object a line: `time`, `level`, `msg` and the fields. Errors become text; what is no JSON, too. */
export function jsonLogger({ write, debug = false, now = () => new Date() }: JsonLoggerOptions): Logger {
  const line =
    (level: string) =>
    (fields: LogFields, msg: string): void => {
      write(`${JSON.stringify({ time: now().toISOString(), level, msg, ...fields }, plain(new WeakSet()))}\n`);
    };
  return { debug: debug ? line('debug') : () => undefined, info: line('info'), warn: line('warn'), error: line('error') };
}

/** A logger never throws, so what JSON cannot hold is replaced. */
function plain(seen: WeakSet<object>): (key: string, value: unknown) => unknown {
  return (_key, value) => {
    if (value instanceof Error) return errorText(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return '(seen above)';
    seen.add(value);
    return value;
  };
}
