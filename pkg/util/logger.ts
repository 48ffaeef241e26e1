/** What a log line is about, such as the object or the proxy. Values that are not plain data are the sink's problem. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A sink for structured log lines. It never throws. Users' faults are conditions on objects, not log lines. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

const nothing = (): void => undefined;

/** Drops every line. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
