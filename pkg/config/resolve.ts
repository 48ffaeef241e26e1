import type { ContourConfiguration } from '../apis/projectcontour/v1alpha1/contour-configuration.ts';
import type { Config } from './config.ts';
import { checkRules } from './rules.ts';
import { type ServeOptions, toServeOptions } from './serve-options.ts';
import type { Setting } from './setting.ts';
import { type FlagTexts, readConfigFile, readContourConfiguration, readFlags } from './sources.ts';
import { toConfig } from './to-config.ts';
import { type GivenValues, type SettingName, settingList, settings, type Values } from './values.ts';
import type { ConfigProblem } from './yaml-tree.ts';

/** Where the settings of a `serve` come from. */
export interface ConfigSources {
  /** Default: none. */
  readonly flags?: FlagTexts;
  /** Text of the configuration file. */
  readonly file?: string;
  /** The ContourConfiguration that `--contour-config-name` names. It stands in for the file and for most flags. */
  readonly object?: ContourConfiguration;
  /** Isoline's own namespace. */
  readonly namespace: string;
  /** Checks what a server needs, too: TLS files for xDS, namespaces to watch, one source of objects. Default false. */
  readonly serving?: boolean;
}

export interface ResolvedConfig {
  readonly config: Config;
  readonly options: ServeOptions;
  readonly values: Values;
}

/**
 * Lays flags over the file over the defaults, or a ContourConfiguration over the defaults, and checks the rules between settings.
 * All problems are given at once; with any of them there is no configuration.
 */
export function resolveConfig(
  sources: ConfigSources,
): { readonly ok: true; readonly value: ResolvedConfig } | { readonly ok: false; readonly problems: readonly ConfigProblem[] } {
  const flags = readFlags(sources.flags ?? {});
  const file = sources.file === undefined ? nothing : readConfigFile(sources.file);
  const object = sources.object === undefined ? undefined : readContourConfiguration(sources.object);
  const values = Object.fromEntries(settingList.map(([name]) => [name, choose(name, { flags, file, object })])) as unknown as Values;

  const problems = [...flags.problems, ...file.problems, ...(object?.problems ?? [])];
  // Rules between settings would only repeat what is wrong with one of them.
  if (problems.length === 0) problems.push(...checkRules({ values, sections: (object ?? file).sections }, sources.serving ?? false));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { values, config: toConfig(values, sources.namespace), options: toServeOptions(values, sources.namespace) } };
}

/** One problem in one line, such as `contour.yaml:3: tls.minimum-protocol-version: "1.1": must be one of "1.2", "1.3"`. */
export function formatProblem({ key, message, line }: ConfigProblem, file = 'line'): string {
  const place = line === undefined ? '' : `${file}:${line}: `;
  return `${place}${key === '' ? '' : `${key}: `}${message}`;
}

const nothing: GivenValues = { values: {}, sections: new Set(), problems: [] };

interface Origins {
  readonly flags: GivenValues;
  readonly file: GivenValues;
  readonly object: GivenValues | undefined;
}

/** A value that is given counts even where it is `undefined`: an explicit timeout of 0 is Envoy's default, not ours. */
function choose(name: SettingName, { flags, file, object }: Origins): unknown {
  const spec: Setting<unknown> = settings[name];
  if (object !== undefined && spec.crd !== undefined) {
    if (Object.hasOwn(object.values, name)) return object.values[name];
    return 'crdDefault' in spec ? spec.crdDefault : spec.default;
  }
  const found = (spec.fileWins ? [file, flags] : [flags, file]).find(({ values }) => Object.hasOwn(values, name));
  return found === undefined ? spec.default : found.values[name];
}
