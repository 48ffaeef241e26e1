/**
 * Random HTTPProxies, made from the schema and broken ones too, thrown at the whole path in batches. What must hold for each batch: no
 * processor throws, the incremental build gives what a build from scratch gives, and a real Envoy takes every configuration.
 */
import * as fc from 'fast-check';
import type { KubeObject } from '../../pkg/apis/meta.ts';
import { httpProxyResource } from '../../pkg/apis/projectcontour/v1/httpproxy.ts';
import { admitFromFile } from '../../pkg/provider/file/admission.ts';
import type { JsonValue } from '../../pkg/schema/structural.ts';
import { selfSigned } from './certificates.ts';
import { ControlPlane } from './control-plane.ts';
import { endpointSlice, manifest, service, tlsSecret } from './manifests.ts';
import { type Pool, type Pools, schemaArbitrary } from './schema-arbitrary.ts';

const namespace = 'demo';
const names = (prefix: string, count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
/** One proxy in so many has an odd value. */
const oddEvery = 3;
/** One proxy in so many has no virtual host; others include it. */
const childEvery = 6;
const children = names('p', 120).filter((_, index) => index % childEvery === 0);
const durations: Pick<Pool, 'good' | 'bad'> = { good: ['1s', '250ms', '1h', '30s'], bad: ['0s', 'infinity', '5000h', '1ns'] };
const oddTexts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'x'.repeat(70_000),
  '%',
  '%(',
  '/[',
  'a\r\nb: c',
  '\ud800',
  '../',
  '*.*',
  ':',
  'Infinity',
  '1e999s',
];
const oddNumbers: readonly number[] = [-1, 0, 1, 65_536, 2 ** 31 - 1, -(2 ** 31), 2 ** 53];

/** By what stands in the field; the first that fits counts. */
const pools: Pools = [
  { path: /includes?(\[\])?\.name$/, good: children, bad: ['missing', 'p1'] },
  { path: /[nN]amespace$/, good: [namespace], bad: ['other', 'missing'] },
  { path: /services\[\]\.name$/, good: ['web', 'api', 'named'], bad: ['missing', ''] },
  { path: /services\[\]\.(port|healthPort)$/, good: [80], bad: [81, 0, 65_535] },
  { path: /services\[\]\.protocol$/, good: ['h2', 'h2c', 'tls'] },
  { path: /(secretName)$/, good: ['tls-a', 'other/tls-b'], bad: ['missing', 'garbage', ''] },
  { path: /(caSecret)$/, good: ['ca'], bad: ['other/ca', 'missing', 'garbage', ''] },
  { path: /(crlSecret)$/, good: ['crl'], bad: ['missing', 'garbage'] },
  { path: /localJWKS$/, good: ['jwks'], bad: ['missing', 'garbage'] },
  { path: /remoteJWKS\.uri$/, good: ['https://keys.example.com/jwks.json', 'http://keys.example.com:8080/'], bad: ['ftp://x', '://', ''] },
  { path: /extensionRef\.name$/, good: ['ext'], bad: ['missing', ''] },
  { path: /extensionRef\.apiVersion$/, good: ['projectcontour.io/v1alpha1'], bad: ['v2', ''] },
  { path: /subjectNames?(\[\])?$/, good: ['backend.example.com'], bad: ['', '*.x', 'x'.repeat(300)] },
  { path: /ingressClassName$/, good: ['contour'], bad: ['other', ''] },
  { path: /(sizes|maxRequestBytes)$/, good: [1024], bad: [0, 2 ** 31 - 1] },
  { path: /cookieRewritePolicies\[\]\.(pathRewrite|domainRewrite)\.value$/, good: ['/new', 'shop.example.com'], bad: [';', ''] },
  {
    path: /(prefix|exact|replacement|pathPrefix|path)$/,
    good: ['/', '/api', '/api/', '/a%20b'],
    bad: ['/api//v1', '/x?y=1', '/#', 'relative', ''],
  },
  { path: /regex$/, good: ['/re.*', '/v[0-9]+/', '.*', '(?i)x'], bad: ['[', '(a+)+$', '(?P<n>x)', 'a?'.repeat(40), ''] },
  { path: /(response|idle|idleConnection|perTryTimeout|responseTimeout|window|timeout|interval|maxAge|cacheDuration)$/i, ...durations },
  { path: /\.cidr$/, good: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'], bad: ['10.0.0.0/64', 'nonsense', ''] },
  { path: /allowOrigin\[\]$/, good: ['*', 'https://app.example.com', 'https://.*\\.example\\.com'], bad: ['[', ''] },
  { path: /(allowMethods|allowHeaders|exposeHeaders)\[\]$/, good: ['GET', '*', 'x-header'], bad: ['POST, PUT'] },
  {
    path: /(\.name|headerName|header|remove\[\])$/,
    good: ['x-name', 'X-Name', 'x-other'],
    bad: ['Host', ':authority', ':path', 'x name', 'x-\u00fc'],
  },
  { path: /\.value$/, good: ['v', '%REQ(x-a)%', '%HOSTNAME%', '100%'], bad: ['%UNKNOWN%', '%START_TIME(', 'a\nb', ''] },
  { path: /weight$/, good: [0, 1, 10], bad: [4_294_967_295, 2_000_000_000] },
  { path: /(statusCode|responseStatusCode)$/, good: [301, 404, 429], bad: [200, 599, 100] },
];

export interface FuzzFigures {
  /** Objects that the API server would take. */
  valid: number;
  /** Objects that it would not take, but whose fields are of the right kinds: they are put past its rules. */
  odd: number;
  /** Objects with a field of a wrong kind, which must be refused. */
  broken: number;
}

/** Runs batches until enough objects were made. */
export class ProxyFuzz implements AsyncDisposable {
  readonly figures: FuzzFigures = { valid: 0, odd: 0, broken: 0 };
  readonly #plane: ControlPlane;
  readonly #arbitrary: fc.Arbitrary<JsonValue>;

  private constructor(plane: ControlPlane) {
    this.#plane = plane;
    const spec = httpProxyResource.schema.openapi.properties?.['spec'];
    if (spec === undefined) throw new Error('the schema of HTTPProxy has no spec');
    this.#arbitrary = schemaArbitrary(spec, pools, 'spec');
  }

  static async start(): Promise<ProxyFuzz> {
    const leaf = await selfSigned({ commonName: 'app.example.com', dnsNames: ['*.example.com'] });
    const values = { 'leaf-a.crt': leaf.certificate, 'leaf-a.key': leaf.privateKey, web: 1, api: 2, named: 3 };
    const plane = await ControlPlane.start({ values }, world.join(''));
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
      for (const object of this.#objects(Math.ceil(size / 2), -seed - 1)) this.#put(object);
      await this.#check();
      for (const name of names('p', size)) this.#plane.pipeline.cache.remove('HTTPProxy', namespace, name);
      await this.#check();
    } catch (cause) {
      throw new Error(`batch of ${size} with seed ${seed}`, { cause });
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
    const refused = this.#plane.refused();
    if (refused.length > 0) throw new Error(`Envoy refused ${refused.join('; ')}`);
  }
}

const world = [
  manifest('v1', 'Namespace', '/demo', ''),
  manifest('v1', 'Namespace', '/other', ''),
  ...['web', 'api', 'named'].map((name) => service(name) + endpointSlice(name, name)),
  tlsSecret('tls-a', 'leaf-a'),
  tlsSecret('other/tls-b', 'leaf-a'),
  manifest('v1', 'Secret', 'garbage', 'type: kubernetes.io/tls, stringData: {tls.crt: garbage, tls.key: garbage, ca.crt: garbage}'),
  ...['ca', 'other/ca'].map((id) => manifest('v1', 'Secret', id, 'type: Opaque, stringData: {ca.crt: "${leaf-a.crt}"}')),
  delegateAll('tls-b'),
];

function asRecord(object: KubeObject): Readonly<Record<string, unknown>> {
  return object as unknown as Readonly<Record<string, unknown>>;
}

function delegateAll(secretName: string): string {
  const delegations = `[{secretName: ${secretName}, targetNamespaces: ["*"]}]`;
  return manifest('projectcontour.io/v1', 'TLSCertificateDelegation', 'other/all', `spec: {delegations: ${delegations}}`);
}

type Fields = Readonly<Record<string, JsonValue>>;

/**
 * What chance alone makes seldom: a name of its own for each root, none for what others include, one action a route, and a service that
 * exists. One in seven stays as it came.
 */
function likelySpec(spec: JsonValue, index: number): JsonValue {
  if (index % 7 === 6) return spec;
  const { virtualhost, routes, tcpproxy, ...rest } = spec as Fields;
  const likely = { ...rest, routes: ((routes ?? [{}]) as readonly Fields[]).map(oneAction) };
  if (index % childEvery === 0) return likely;
  const { tls, ...host } = (virtualhost ?? {}) as Fields;
  const secured = tls === undefined ? {} : { tls: { secretName: 'tls-a', ...(tls as Fields) } };
  const ending = tls !== undefined && index % 5 === 0 && tcpproxy !== undefined ? { tcpproxy } : {};
  return { ...likely, ...ending, virtualhost: { ...host, ...secured, fqdn: `h${index}.example.com` } };
}

function oneAction({ services, requestRedirectPolicy, directResponsePolicy, ...route }: Fields): Fields {
  if (requestRedirectPolicy !== undefined) return { ...route, requestRedirectPolicy };
  if (directResponsePolicy !== undefined) return { ...route, directResponsePolicy };
  return { ...route, services: services ?? [{ name: 'web', port: 80 }] };
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
