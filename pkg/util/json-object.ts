/** A JSON object that was not looked into. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object, not a list and not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
