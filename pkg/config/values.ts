import { buildSettings } from './build-settings.ts';
import { listenerSettings } from './listener-settings.ts';
import { processSettings } from './process-settings.ts';
import { serviceSettings } from './service-settings.ts';
import type { Setting, ValuesOf } from './setting.ts';
import { isAbsent, YamlScalar } from './value-type.ts';
import type { ConfigProblem } from './yaml-tree.ts';

/** Every setting of `serve`: the one table of keys, flags, fields and defaults. */
export const settings = { ...processSettings, ...buildSettings, ...listenerSettings, ...serviceSettings } as const;

export type SettingName = keyof typeof settings;

/** A value for every setting. */
export type Values = ValuesOf<typeof settings>;

/** The settings that a source gives. */
export interface GivenValues {
  readonly values: Partial<Values>;
  /** Dotted paths of the sections that the source has, even empty ones. */
  readonly sections: ReadonlySet<string>;
  readonly problems: readonly ConfigProblem[];
}

/** The settings as a list, for walks over all of them. */
export const settingList: readonly (readonly [SettingName, Setting<unknown>])[] = Object.entries(settings) as never;

/** Values where nothing is given. */
export const defaultValues: Values = Object.freeze(
  Object.fromEntries(settingList.map(([name, { default: value }]) => [name, value])),
) as Values;

/** The place of a setting in a source, and how it is read there; `undefined` if the source has no such setting. */
export type Place = (setting: Setting<unknown>) => { readonly path: string; readonly type: Setting<unknown>['type'] } | undefined;

/** Reads a tree of plain values. Keys that no setting has are problems; so are values that do not fit. */
export function readTree(tree: unknown, place: Place, lineOf: (path: string) => number | undefined = () => undefined): GivenValues {
  const byPath = new Map<string, { name: SettingName; type: Setting<unknown>['type'] }>();
  const prefixes = new Set<string>(['']);
  for (const [name, spec] of settingList) {
    const found = place(spec);
    if (found === undefined) continue;
    byPath.set(found.path, { name, type: found.type });
    for (let at = found.path.lastIndexOf('.'); at > 0; at = found.path.lastIndexOf('.', at - 1)) prefixes.add(found.path.slice(0, at));
  }

  const values: Record<string, unknown> = {};
  const sections = new Set<string>();
  const problems: ConfigProblem[] = [];
  const fail = (key: string, message: string): void => {
    const line = lineOf(key);
    problems.push({ key, message, ...(line !== undefined && { line }) });
  };

  const walk = (value: unknown, path: string): void => {
    if (isAbsent(value)) return;
    const found = byPath.get(path);
    if (found !== undefined) {
      readInto(values, found, { value, fail: (message) => fail(path, message) });
    } else if (!prefixes.has(path)) {
      fail(path, 'unknown key');
    } else if (typeof value !== 'object' || Array.isArray(value) || value instanceof YamlScalar) {
      fail(path, 'must be a map');
    } else {
      sections.add(path);
      for (const [key, entry] of Object.entries(value as object)) walkKey(key, entry, path);
    }
  };
  const walkKey = (key: string, entry: unknown, path: string): void => {
    const inner = path === '' ? key : `${path}.${key}`;
    if (byPath.has(inner) || prefixes.has(inner)) walk(entry, inner);
    else fail(inner, 'unknown key');
  };
  walk(tree, '');
  return { values: values as Partial<Values>, sections, problems };
}

function readInto(
  values: Record<string, unknown>,
  { name, type }: { readonly name: SettingName; readonly type: Setting<unknown>['type'] },
  { value, fail }: { readonly value: unknown; readonly fail: (message: string) => void },
): void {
  try {
    values[name] = type.fromJson(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    fail(`${show(value)}: ${error.message}`);
  }
}

const shownLength = 100;

function show(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (inner instanceof YamlScalar ? inner.value : inner)) ?? '';
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}
