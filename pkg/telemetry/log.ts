import { destination, type Level, pino } from 'pino';
import { errorText } from '../util/error-text.ts';
import type { LogFields, Logger } from '../util/logger.ts';

export interface LogOptions {
  readonly format: 'text' | 'json';
  /** Whether debug lines are written, too. */
  readonly debug: boolean;
  /** Takes one line, with its newline. Default: standard error, at once. */
  readonly write?: (line: string) => void;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly clock?: () => number;
}

/**
 * A log on standard error. Text lines have `key=value` pairs after the message, JSON lines one object each; times are in UTC.
 */
export function createLogger({ format, debug, write, clock = Date.now }: LogOptions): Logger {
  const sink = write === undefined ? destination({ fd: 2, sync: true }) : { write };
  if (format === 'text') return textLogger((line) => void sink.write(line), { debug, clock });
  return pino(
    {
      level: debug ? 'debug' : 'info',
      base: null,
      timestamp: () => `,"time":"${new Date(clock()).toISOString()}"`,
      formatters: { level: (level) => ({ level }), log: (fields) => plainFields(fields) },
    },
    sink,
  );
}

function textLogger(write: (line: string) => void, { debug, clock }: { readonly debug: boolean; readonly clock: () => number }): Logger {
  const line =
    (level: Level) =>
    (fields: LogFields, message: string): void => {
      const pairs = Object.entries(plainFields(fields)).flatMap(([key, value]) =>
        value === undefined ? [] : [` ${key}=${textOf(value)}`],
      );
      write(`${new Date(clock()).toISOString()} ${level.toUpperCase().padEnd(5)} ${oneLine(message)}${pairs.join('')}\n`);
    };
  return { debug: debug ? line('debug') : () => undefined, info: line('info'), warn: line('warn'), error: line('error') };
}

/** Errors become their message, with those of their causes; what is no JSON becomes text. */
function plainFields(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (value instanceof Error) return errorText(value);
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return String(value);
  return value;
}

/** A log line must stay one line, whatever an object puts into a message. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, (char) =>
    char === '\n' ? '\\n' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : jsonOf(value);
  return /^[\w.:/@%+-]+$/.test(text) ? text : oneLine(typeof value === 'string' ? JSON.stringify(value) : text);
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value); // it refers to itself
  }
}
