import type { CelInput, CelResult, CelValue } from '@bufbuild/cel';
import { formats } from './formats.ts';
import type { CelRunner } from './rules.ts';
import type { StructuralSchema } from './structural.ts';

/**
 * Loads the CEL interpreter (a tenth of a second, so only who needs it does) with the functions that the API server
 * adds to the language: those on strings, `isIP` and `isCIDR`. Rules are planned once and kept.
 * @see https://kubernetes.io/docs/reference/using-api/cel/
 */
export async function loadCelRunner(): Promise<CelRunner> {
  const cel = await import('@bufbuild/cel');
  const { strings } = await import('@bufbuild/cel/ext');
  const { STRING, BOOL } = cel.CelScalar;
  const env = cel.celEnv({
    funcs: [...strings, cel.celFunc('isIP', [STRING], BOOL, isIp), cel.celFunc('isCIDR', [STRING], BOOL, isCidr)],
  });
  const plans = new Map<string, (bindings: { self: CelInput }) => CelResult>();
  const planOf = (rule: string) => {
    const known = plans.get(rule);
    if (known !== undefined) return known;
    const planned = planRule(rule, () => cel.plan(env, cel.parse(rule)));
    plans.set(rule, planned);
    return planned;
  };
  return (rule, self, schema) => planOf(rule)({ self: toCel(self, schema) }) === (true as CelValue);
}

function planRule<T>(rule: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new RangeError(`the rule is not CEL: ${rule}`, { cause });
  }
}

/** CEL tells whole numbers from others by type, and its names of properties are escaped; the schema says which is which. */
function toCel(value: unknown, schema: StructuralSchema | undefined): CelInput {
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items));
  if (typeof value === 'object' && value !== null) {
    return new Map(
      Object.entries(value).map(([name, item]) => {
        const property = schema?.properties?.[name];
        return property === undefined ? [name, toCel(item, schema?.additionalProperties)] : [escapeName(name), toCel(item, property)];
      }),
    );
  }
  if (typeof value === 'number' && (schema?.type === 'integer' || schema?.['x-kubernetes-int-or-string'] === true)) return BigInt(value);
  return value as CelInput;
}

const reserved: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

const escapes: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** The name of a property in a rule. */
function escapeName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[./-]/g, (part) => escapes[part] ?? part);
}

function isIp(text: string): boolean {
  return formats['ipv4']?.(text) === true || formats['ipv6']?.(text) === true;
}

function isCidr(text: string): boolean {
  const [address = '', bits = ''] = text.split('/', 2);
  if (!isIp(address) || !/^(0|[1-9]\d?\d?)$/.test(bits)) return false;
  return Number(bits) <= (address.includes(':') ? 128 : 32);
}
