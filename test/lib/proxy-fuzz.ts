/**
 * Random HTTPProxies, made from the schema and broken ones too, thrown at the whole path in batches. What must hold for each batch: no
 * processor throws, the incremental build gives what a build from scratch gives, and a real Envoy takes every configuration.
 */
import * as fc from 'fast-check';
import type { KubeObject } from '../../pkg/apis/meta.ts';
import { httpProxyResource } from '../../pkg/apis/projectcontour/v1/httpproxy.ts';
import { admitFromFile } from '../../pkg/provider/file/admission.ts';
import type { JsonValue } from '../../pkg/schema/structural.ts';
import type { QuarantineEntry } from '../../pkg/xdscache/quarantine/refusal.ts';
import { ControlPlane } from './control-plane.ts';
import { addFields } from './fuzz-coverage.ts';
import { type FuzzVariant, fuzzOptions, fuzzWorld } from './fuzz-world.ts';
import { childEvery, names, namespace, proxyChoices, proxyPools } from './proxy-pools.ts';
import { schemaArbitrary } from './schema-arbitrary.ts';

/** One proxy in so many has an odd value. */
const oddEvery = 4;
const oddTexts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'x'.repeat(70_000),
  '%',
  '%(',
  '/[',
  'a\r\nb: c',
  '\ufffd',
  '../',
  '*.*',
  ':',
  'Infinity',
  '1e999s',
];
const oddNumbers: readonly number[] = [-1, 0, 1, 65_536, 2 ** 31 - 1, -(2 ** 31), 2 ** 53];

export interface FuzzFigures {
  /** Objects that the API server would take. */
  valid: number;
  /** Objects that it would not take, but whose fields are of the right kinds: they are put past its rules. */
  odd: number;
  /** Objects with a field of a wrong kind, which must be refused. */
  broken: number;
  /** Objects that came out with the status `valid`. */
  accepted: number;
  hosts: number;
  routes: number;
}

/** Runs batches until enough objects were made. */
export class ProxyFuzz implements AsyncDisposable {
  readonly figures: FuzzFigures = { valid: 0, odd: 0, broken: 0, accepted: 0, hosts: 0, routes: 0 };
  /** Fields of the objects with the status `valid`. */
  readonly fields = new Set<string>();
  /** How often a status had an error, by type and reason. */
  readonly reasons = new Map<string, number>();
  readonly #plane: ControlPlane;
  readonly #arbitrary: fc.Arbitrary<JsonValue>;

  private constructor(plane: ControlPlane) {
    this.#plane = plane;
    const spec = httpProxyResource.schema.openapi.properties?.['spec'];
    if (spec === undefined) throw new Error('the schema of HTTPProxy has no spec');
    this.#arbitrary = schemaArbitrary(spec, 'spec', { pools: proxyPools, choices: proxyChoices });
  }

  static async start(variant: FuzzVariant = 'plain'): Promise<ProxyFuzz> {
    const plane = await ControlPlane.start(await fuzzOptions(variant), fuzzWorld);
    await plane.startEnvoy();
    return new ProxyFuzz(plane);
  }

  /**
   * Puts a batch of proxies, then other versions of half of them, then takes all away.
   *
   * @throws {Error} with the seed, if something does not hold.
   */
  async batch(size: number, seed: number): Promise<void> {
    const objects = this.#objects(size, seed);
    try {
      for (const object of objects) this.#put(object);
      await this.#check();
      this.#count(objects);
      for (const object of this.#objects(Math.ceil(size / 2), -seed - 1)) this.#put(object);
      await this.#check();
      for (const name of names('p', size)) this.#plane.pipeline.cache.remove('HTTPProxy', namespace, name);
      await this.#check();
    } catch (cause) {
      const reasons = cause instanceof AggregateError ? `: ${cause.errors.join('; ')}` : '';
      throw new Error(`batch of ${size} with seed ${seed}${reasons}`, { cause });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#plane[Symbol.asyncDispose]();
  }

  /** Whole ones and odd ones in turn; what becomes of them under other rules of the API server is checked on the way. */
  #objects(size: number, seed: number): readonly KubeObject[] {
    const specs = fc.sample(fc.tuple(this.#arbitrary, damages), { numRuns: size, seed });
    return specs.map(([spec, damage], index) => {
      this.#expectRefusal(proxy(`p${index}`, ofWrongKind(spec, damage), index));
      const likely = likelySpec(spec, index);
      return proxy(`p${index}`, index % oddEvery === 1 ? withOddValue(likely, damage) : likely, index);
    });
  }

  /** The rules say no in words that name a field, or the value is good after all; they never throw. */
  #expectRefusal(object: KubeObject): void {
    const admitted = admitFromFile(asRecord(object));
    this.figures.broken += admitted.ok ? 0 : 1;
    if (!admitted.ok && admitted.faults.length === 0) throw new Error(`refused without a reason: ${JSON.stringify(object)}`);
  }

  /** What the rules refuse goes past them, as objects do that are older than the rules. */
  #put(object: KubeObject): void {
    const admitted = admitFromFile(asRecord(object));
    this.figures[admitted.ok ? 'valid' : 'odd'] += 1;
    this.#plane.pipeline.cache.apply(admitted.ok ? (admitted.objects[0] ?? object) : object);
  }

  async #check(): Promise<void> {
    await this.#plane.settled();
    const { quarantine } = this.#plane.pipeline;
    const refused = quarantine.entries.map((entry) => this.#told(entry));
    const others = [...this.#plane.refused(), ...quarantine.distrusted.map((proxy) => JSON.stringify(proxy))];
    const reasons = refused.length > 0 ? refused : others;
    if (reasons.length > 0)
      throw new AggregateError(
        reasons.map((reason) => new Error(reason)),
        'something is not served',
      );
  }

  /** The proxy's words, and the object that they are about. */
  #told({ message, origins }: QuarantineEntry): string {
    const [origin] = origins;
    const object = origin && this.#plane.pipeline.cache.get('HTTPProxy', origin.namespace, origin.name);
    const spec = JSON.stringify(object?.spec, (_, value: unknown) => (typeof value === 'string' ? value.slice(0, 200) : value));
    return `${message.length > 800 ? `${message.slice(0, 200)} … ${message.slice(-600)}` : message} | ${origin?.name} ${origin?.path} ${spec}`;
  }

  #count(objects: readonly KubeObject[]): void {
    for (const { metadata, spec } of objects as readonly (KubeObject & { readonly spec: JsonValue })[]) {
      const words = this.#plane.status(`HTTPProxy ${namespace}/${metadata.name}`);
      this.reasons.set(words, (this.reasons.get(words) ?? 0) + 1);
      if (words !== 'valid') continue;
      this.figures.accepted += 1;
      addFields(this.fields, spec, 'spec');
    }
    for (const hosts of this.#plane.pipeline.dag.virtualHosts.values()) {
      this.figures.hosts += hosts.size;
      for (const { routes } of hosts.values()) this.figures.routes += routes.length;
    }
  }
}

function asRecord(object: KubeObject): Readonly<Record<string, unknown>> {
  return object as unknown as Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, JsonValue>>;

/**
 * What chance alone makes seldom: a name of its own for each root, none for what others include, one action a route, and a service that
 * exists. One in seven stays as it came.
 */
function likelySpec(spec: JsonValue, index: number): JsonValue {
  if (index % 7 === 6) return spec;
  const { virtualhost, routes, tcpproxy, includes, ...rest } = spec as Fields;
  const likely = {
    ...rest,
    ...(includes !== undefined && { includes: (includes as readonly Fields[]).map((include) => prefixesOnly(onePath(include))) }),
    routes: ((routes ?? [{}]) as readonly Fields[]).map((route) => onePath(oneAction(route))),
  };
  if (index % childEvery === 0) return likely;
  const { tls: given, ...host } = (virtualhost ?? {}) as Fields;
  const tls = given ?? (host['jwtProviders'] || host['authorization'] ? {} : undefined);
  // What others include is theirs to find.
  const included = index % childEvery === 1 && { includes: [{ name: `p${index - 1}`, conditions: [{ prefix: '/included' }] }] };
  const secured = tls === undefined ? {} : { tls: { secretName: 'tls-a', ...(tls as Fields) } };
  const ending = tls !== undefined && index % 5 === 0 && tcpproxy !== undefined ? { tcpproxy } : {};
  const { authorization } = host as Readonly<Record<string, Fields | undefined>>;
  const asked = authorization?.['httpSettings'] !== undefined && { authorization: { ...authorization, serviceType: 'http' } };
  return { ...likely, ...included, ...ending, virtualhost: { ...host, ...asked, ...secured, fqdn: `h${index}.example.com` } };
}

function oneAction({ services, requestRedirectPolicy, directResponsePolicy, ...route }: Fields): Fields {
  if (requestRedirectPolicy !== undefined) return { ...route, requestRedirectPolicy };
  if (directResponsePolicy !== undefined) return { ...route, directResponsePolicy };
  return { ...route, services: services ?? [{ name: 'web', port: 80 }] };
}

/** Only one condition on the path in a list. */
function onePath({ conditions, ...rest }: Fields): Fields {
  if (conditions === undefined) return rest;
  const list = conditions as readonly Fields[];
  const first = list.findIndex(isPath);
  return { ...rest, conditions: list.filter((condition, index) => index === first || !isPath(condition)) };
}

function prefixesOnly({ conditions = [], ...rest }: Fields): Fields {
  return { ...rest, conditions: (conditions as readonly Fields[]).map(({ exact: _, regex: __, ...condition }) => condition) };
}

function isPath({ prefix, exact, regex }: Fields): boolean {
  return prefix !== undefined || exact !== undefined || regex !== undefined;
}

function proxy(name: string, spec: JsonValue, index: number): KubeObject {
  const creationTimestamp = new Date(Date.parse('2026-01-01T00:00:00Z') + index * 1000).toISOString();
  const metadata = { namespace, name, creationTimestamp, generation: 1, uid: name };
  return { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata, spec } as KubeObject;
}

/** A place, counted over all places of a value, and what is put there. */
interface Damage {
  readonly place: number;
  readonly choice: number;
}

const damages = fc.record({ place: fc.nat(), choice: fc.nat() });
const wrongKinds: readonly JsonValue[] = [null, true, 1.5, 'text', [], {}, [null], { a: 1 }];
type Path = readonly (string | number)[];

/** Puts a value of another kind at one place: no API server with our rules lets that through. */
function ofWrongKind(value: JsonValue, { place, choice }: Damage): JsonValue {
  const path = placesOf(value)[place % placesOf(value).length] ?? [];
  return replaceAt(value, path, wrongKinds[choice % wrongKinds.length] ?? null);
}

/** Puts an odd value of the same kind at one place, as an object may have that is older than the rules. */
function withOddValue(value: JsonValue, { place, choice }: Damage): JsonValue {
  const places = placesOf(value).filter((path) => ['string', 'number'].includes(typeof valueAt(value, path)));
  const path = places[place % Math.max(places.length, 1)];
  if (path === undefined) return value;
  const odd: readonly JsonValue[] = typeof valueAt(value, path) === 'string' ? oddTexts : oddNumbers;
  return replaceAt(value, path, odd[choice % odd.length] ?? null);
}

/** Every place of a value, the value itself first. */
function placesOf(value: JsonValue, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => placesOf(item as JsonValue, [...path, key]))];
}

function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((part, key) => (part as Readonly<Record<string, JsonValue>> | undefined)?.[key], value);
}

function replaceAt(value: JsonValue, [key, ...rest]: Path, replacement: JsonValue): JsonValue {
  if (key === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === key ? replaceAt(item as JsonValue, rest, replacement) : item)) as JsonValue;
  }
  const fields = value as Readonly<Record<string, JsonValue>>;
  return { ...fields, [key]: replaceAt(fields[key] ?? null, rest, replacement) };
}
