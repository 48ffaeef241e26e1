import type { ContourConfiguration } from '../apis/projectcontour/v1alpha1/contour-configuration.ts';
import type { Setting } from './setting.ts';
import { isAbsent } from './value-type.ts';
import { type GivenValues, type Place, readTree, type SettingName, settingList, settings } from './values.ts';
import { type ConfigProblem, parseYamlTree } from './yaml-tree.ts';

const inFile: Place = ({ file, type }) => (file === undefined ? undefined : { path: file, type });
const inObject: Place = ({ crd, crdType, type }) => (crd === undefined ? undefined : { path: crd, type: crdType ?? type });

/**
 * Reads a configuration file. Unknown keys, duplicate keys and values that do not fit are problems, each with key, value
 * and line. A key that is null or `''` counts as absent; an explicit 0 or false does not.
 */
export function readConfigFile(source: string): GivenValues {
  const tree = parseYamlTree(source);
  if (tree.problems.length > 0) return { values: {}, sections: new Set(), problems: tree.problems };
  return readTree(tree.value, inFile, tree.lineOf);
}

/** Reads the `spec` of a ContourConfiguration; problems name fields below `spec`. */
export function readContourConfiguration(object: ContourConfiguration): GivenValues {
  const given = readTree(object.spec, inObject);
  return { ...given, problems: given.problems.map((problem) => ({ ...problem, key: `spec.${problem.key}` })) };
}

/** A flag of `serve`, as the command line needs it. */
export interface FlagSpec {
  readonly setting: SettingName;
  readonly flag: string;
  readonly short?: string;
  readonly env?: string;
  readonly repeatable: boolean;
  /** `''`: a switch. */
  readonly placeholder: string;
  readonly help: string;
}

/** All flags of `serve`, in alphabetical order. */
export function flagSpecs(): readonly FlagSpec[] {
  const specs = settingList.flatMap(([name, { flag, short, env, repeatable, type, help = '' }]): readonly FlagSpec[] => {
    if (flag === undefined) return [];
    const spec = { setting: name, flag, repeatable: repeatable ?? false, placeholder: type.placeholder, help };
    return [{ ...spec, ...(short !== undefined && { short }), ...(env !== undefined && { env }) }];
  });
  return specs.sort((a, b) => (a.flag < b.flag ? -1 : 1));
}

/** Texts of flags by setting: one for most, many for a repeatable flag, true or false for a switch. */
export type FlagTexts = Readonly<Partial<Record<SettingName, string | boolean | readonly string[]>>>;

/** Reads the values of flags; problems name the flag with its dashes. `''` counts as absent, as in the file. */
export function readFlags(texts: FlagTexts): GivenValues {
  const values: Record<string, unknown> = {};
  const problems: ConfigProblem[] = [];
  for (const [name, given] of Object.entries(texts)) {
    if (isAbsent(given)) continue;
    const { flag = name, type }: Setting<unknown> = settings[name as SettingName];
    try {
      values[name] = typeof given === 'string' ? type.fromText(given) : type.fromJson(given);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push({ key: `--${flag}`, message: `${JSON.stringify(given)}: ${error.message}` });
    }
  }
  return { values, sections: new Set(), problems };
}
