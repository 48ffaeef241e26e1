import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** An object, and what an API server makes of it. */
export interface AdmissionCase {
  /** File and name. */
  readonly name: string;
  readonly object: JsonObject;
  /** The fields at fault; empty: the object is accepted. */
  readonly refused: readonly string[];
  /** The fields that are dropped. */
  readonly warned: readonly string[];
}

export type JsonObject = Readonly<Record<string, unknown>>;

interface CorpusFile {
  readonly base: JsonObject;
  readonly cases: readonly {
    readonly name: string;
    /** Laid over the base: maps are merged, anything else replaces. */
    readonly with?: JsonObject;
    /** Fields of the base that are taken away first, such as `spec.rules`. */
    readonly without?: readonly string[];
    readonly refused?: readonly string[];
    readonly warned?: readonly string[];
  }[];
}

const directory = new URL('../fixtures/admission/', import.meta.url);

/** Every case under `test/fixtures/admission`: good and bad objects of all kinds. */
export function admissionCases(): readonly AdmissionCase[] {
  const files = readdirSync(directory).sort();
  return files.flatMap((file) => {
    const { base, cases } = parse(readFileSync(new URL(file, directory), 'utf8')) as CorpusFile;
    return cases.map((each) => ({
      name: `${file.replace('.yaml', '')}: ${each.name}`,
      object: merge(
        (each.without ?? []).reduce((object, path) => remove(object, path.split('.')), base),
        each.with ?? {},
      ),
      refused: each.refused ?? [],
      warned: each.warned ?? [],
    }));
  });
}

function merge(base: JsonObject, over: JsonObject): JsonObject {
  return {
    ...base,
    ...Object.fromEntries(
      Object.entries(over).map(([key, value]) => [key, isMap(value) && isMap(base[key]) ? merge(base[key], value) : value]),
    ),
  };
}

function remove(object: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const { [key]: inner, ...others } = object;
  return rest.length > 0 && isMap(inner) ? { ...others, [key]: remove(inner, rest) } : others;
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
