/** The case files: what may stand in them, and how their short forms are read. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { KindName } from '../../../pkg/apis/kinds.ts';
import { apiVersionOf, kindInfos } from '../../../pkg/apis/scheme.ts';

/** The addresses that the backends answer on, `${ip}` to `${ip4}`. */
export const addresses = ['192.0.2.10', '192.0.2.11', '192.0.2.12', '192.0.2.13'] as const;

/** Namespaces that outlive the cases: objects in them are named by configurations. */
export const lastingNamespaces: readonly string[] = ['gw-system', 'bt-shared', 'bt-base', 'projectcontour'];

export type Values = Readonly<Record<string, unknown>>;

export interface CaseObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

/** What an answer must be. A value `~RE` is a regular expression; `null` means absent. */
export interface Expectation {
  readonly status?: number | readonly number[];
  readonly service?: string | null;
  readonly addr?: string;
  readonly headers?: Values;
  readonly cookies?: Readonly<Record<string, Values | null>>;
  readonly location?: string | null;
  readonly body?: string;
  /** The name of the certificate that was served. */
  readonly cert?: string;
  readonly alpn?: string | null;
  readonly tls_version?: string;
  readonly grpc_status?: number;
  /** The status of a second request on the connection, or `closed`. */
  readonly second?: number | string;
  /** Seconds. */
  readonly time?: { readonly min?: number; readonly max?: number };
  /** What the backend saw. */
  readonly backend?: Values & { readonly headers?: Values };
  /** How many requests reached each backend. */
  readonly calls?: Readonly<Record<string, Bounds>>;
  /** With `count`: shares by service or status, and by address. */
  readonly split?: Readonly<Record<string, number>>;
  readonly addrs?: Readonly<Record<string, number>>;
  /** How far a share may be off; default 0.1. */
  readonly tolerance?: number;
  /** How many addresses answered. */
  readonly distinct?: number;
  /** With `parallel`: how many got each status. */
  readonly statuses?: Readonly<Record<string, Bounds>>;
  /** The connection fails, in one of these ways or `any`. */
  readonly fail?: string | readonly string[];
  /** Not served: 404, or no connection. */
  readonly none?: boolean;
}

export type Bounds = number | { readonly min?: number; readonly max?: number };

export interface CaseRequest {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** Default: the host; `none` sends none. */
  readonly sni?: string;
  readonly http2?: boolean;
  /** `Service/Method`. */
  readonly grpc?: string;
  readonly websocket?: boolean;
  /** The client certificate. */
  readonly cert?: string;
  readonly tls_min?: string | number;
  readonly tls_max?: string | number;
  readonly ciphers?: string;
  readonly alpn_offer?: readonly string[];
  readonly port?: number;
  readonly to?: string;
  readonly from?: string;
  readonly proxy_protocol?: string;
  readonly http?: string;
  readonly no_host?: boolean;
  /** Seconds; default 10. */
  readonly timeout?: number;
  /** Seconds until a second request on the same connection. */
  readonly after?: number;
  readonly count?: number;
  readonly keep_cookies?: boolean;
  readonly parallel?: number;
  /** Sent once, and not until it is answered as wanted. */
  readonly once?: boolean;
  readonly expect: Expectation;
}

export interface Command {
  readonly args: readonly string[];
  readonly config?: Values;
  /** The configuration file as text. */
  readonly raw?: string;
  /** With TLS for xDS. */
  readonly secure?: boolean;
  readonly exit: 'ok' | 'error' | 'running';
  /** Seconds. */
  readonly within?: number;
  readonly output?: readonly string[];
}

export interface Step {
  readonly name?: string;
  readonly apply?: readonly Values[];
  /** What the API server must refuse, with a text in its message. */
  readonly refused?: readonly (Values & { readonly message?: string })[];
  /** `Kind/name`, `Kind/namespace/name`. */
  readonly delete?: readonly string[];
  readonly set_status?: readonly { readonly object: string; readonly status: Values }[];
  readonly restart?: 'controller' | 'envoy';
  /** Seconds before the first look. */
  readonly settle?: number;
  /** Seconds; default 10. */
  readonly deadline?: number;
  readonly backend_log?: Readonly<Record<string, { readonly min?: number; readonly where?: Values }>>;
  readonly quiet?: { readonly objects: readonly string[]; readonly seconds: number; readonly after?: number };
  readonly command?: Command;
  readonly requests?: readonly Values[];
  readonly status?: Readonly<Record<string, StatusWish>>;
}

export type StatusWish = string | (Values & { readonly message?: string | readonly string[] });

export interface Case {
  /** `area/name`. */
  readonly id: string;
  readonly area: string;
  readonly description: string;
  readonly namespace: string;
  readonly config: Values;
  readonly flags: readonly string[];
  readonly bare: boolean;
  /** Objects that must exist before the controller starts. */
  readonly before: readonly Values[];
  /** Ready-made objects: `NAME`, `NAME@NAMESPACE` or `NAME=AS`. */
  readonly use: readonly string[];
  readonly steps: readonly Step[];
  readonly allowRejects: boolean;
  /** Equal where one start of the controller does for both. */
  readonly group: string;
}

/** A misspelt key would check nothing. */
const knownKeys = {
  case: 'name area description source contour contour_note config flags gateway bare before use needs namespace steps allow_rejects',
  step: 'name apply refused delete set_status restart settle deadline backend_log quiet command requests status',
  request:
    'get head post put options delete method scheme tls host path headers body sni http2 grpc websocket cert tls_min tls_max ciphers alpn_offer port to from proxy_protocol http no_host timeout after count keep_cookies parallel once expect',
  expect:
    'status service addr headers cookies location body cert alpn tls_version grpc_status second time backend calls split addrs tolerance distinct statuses fail none',
  backend: 'path host method protocol body peer headers sni alpn client tls_version',
  status: 'valid errors warnings current message addresses unwritten conditions parent parents ancestor listeners',
} as const;

const folder = join(import.meta.dirname, '../cases');
// The cases were written for YAML 1.1, as Kubernetes reads it.
const readYaml = (text: string): unknown => parse(text, { version: '1.1' });

/** All cases, in the order of their names. */
export function readCases(): readonly Case[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readCase(join(folder, file)));
}

/** @throws {Error} if the file has a key that is not known. */
function readCase(path: string): Case {
  const text = readFileSync(path, 'utf8');
  const name = basename(path, '.yaml');
  const area = basename(dirname(path));
  const head = readYaml(text) as Values;
  const namespace = typeof head['namespace'] === 'string' ? head['namespace'] : `t-${name}`;
  const [ip, ip2, ip3, ip4] = addresses;
  const words: Values = { ns: namespace, ns2: `${namespace}-2`, ns3: `${namespace}-3`, d: `${name}.test`, ip, ip2, ip3, ip4 };
  const document = readYaml(text.replace(/\$\{(\w+)\}/g, (whole, word: string) => String(words[word] ?? whole))) as Values;
  checkKeys('case', document, path);
  const steps = (document['steps'] ?? []) as readonly Step[];
  for (const step of steps) checkStep(step, path);
  const gateway = document['gateway'] === true ? { gateway: { gatewayRef: { namespace: 'gw-system', name: 'gw' } } } : {};
  const read = {
    config: { ...(document['config'] as Values | undefined), ...gateway },
    flags: (document['flags'] ?? []) as readonly string[],
    bare: document['bare'] === true,
    before: (document['before'] ?? []) as readonly Values[],
  };
  const own = read.before.some((object) => object['namespace'] === undefined && isNamespaced(object)) ? namespace : '';
  return {
    ...read,
    id: `${area}/${name}`,
    area,
    description: String(document['description']),
    namespace,
    use: (document['use'] ?? []) as readonly string[],
    steps,
    allowRejects: document['allow_rejects'] === true,
    group: JSON.stringify([read, own]),
  };
}

function checkStep(step: Step, path: string): void {
  checkKeys('step', step, path);
  for (const request of step.requests ?? []) {
    checkKeys('request', request, path);
    const expectation = request['expect'];
    checkKeys('expect', expectation, path);
    if (isRecord(expectation)) checkKeys('backend', expectation['backend'], path);
  }
  for (const wish of Object.values(step.status ?? {})) checkKeys('status', wish, path);
}

function checkKeys(what: keyof typeof knownKeys, value: unknown, path: string): void {
  if (!isRecord(value)) return;
  const known = knownKeys[what].split(' ');
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new Error(`${path}: unknown key in a ${what}: ${unknown.join(', ')}`);
}

/** A request in its full form. */
export function expandRequest(request: Values): CaseRequest {
  const method = ['get', 'head', 'post', 'put', 'options', 'delete'].find((name) => String(request[name] ?? '').includes('/'));
  const expect = expandExpectation(request['expect']);
  const scheme = request['tls'] === undefined ? 'http' : 'https';
  if (method === undefined) return { method: 'GET', scheme, path: '/', ...request, expect } as unknown as CaseRequest;
  const { [method]: url, ...rest } = request;
  const [, secure, host = '', path = ''] = /^(https:\/\/|http:\/\/)?([^/]*)\/(.*)$/s.exec(String(url)) ?? [];
  const target = { method: method.toUpperCase(), scheme: secure === 'https://' ? 'https' : 'http', host, path: `/${path}` };
  return { ...rest, ...target, expect } as unknown as CaseRequest;
}

function expandExpectation(expectation: unknown): Expectation {
  if (typeof expectation === 'number') return { status: expectation };
  if (typeof expectation !== 'string') return (expectation ?? {}) as Expectation;
  if (expectation === 'none') return { none: true };
  if (expectation === 'fail') return { fail: 'any' };
  if (!/^\d/.test(expectation)) return { fail: expectation };
  const [status, service] = expectation.split(' ');
  return { status: Number(status), ...(service !== undefined && { service }) };
}

/** The short form of an object made whole; `repeat: N` makes N, numbered by `${i}`. */
export function expandObjects(objects: readonly Values[], namespace: string): readonly CaseObject[] {
  return objects.flatMap(({ repeat, ...object }) => {
    if (typeof repeat !== 'number') return [expandObject(object, namespace)];
    const text = JSON.stringify(object);
    return Array.from({ length: repeat }, (_, index) =>
      expandObject(JSON.parse(text.replaceAll('${i}', String(index))) as Values, namespace),
    );
  });
}

function expandObject(object: Values, namespace: string): CaseObject {
  const { name, namespace: own, labels, annotations, metadata, stringData, ...rest } = object;
  const outside = { name, namespace: own, labels, annotations };
  const inNamespace = isNamespaced(object) ? { namespace } : {};
  const given = Object.entries(outside).filter(([, value]) => value !== undefined);
  const kind = String(object['kind']);
  const encoded = Object.entries((stringData ?? {}) as Values).map(([key, value]) => [key, btoa(String(value))] as const);
  return {
    apiVersion: defaultApiVersion(kind),
    ...rest,
    ...(encoded.length > 0 && { data: { ...(rest['data'] as Values | undefined), ...Object.fromEntries(encoded) } }),
    kind,
    metadata: { ...inNamespace, ...(metadata as Values | undefined), ...Object.fromEntries(given) } as CaseObject['metadata'],
  };
}

/** Objects of the ready-made ones that a case uses. */
export function fixtureObjects(
  use: string,
  namespace: string,
  fill: (objects: readonly Values[]) => readonly Values[],
): readonly CaseObject[] {
  const [, name = '', as = name, space = namespace] = /^([^=@]+)(?:=([^@]+))?(?:@(.+))?$/.exec(use) ?? [];
  const objects = fixtures[name];
  if (objects === undefined) throw new Error(`no fixture ${name}`);
  const text = JSON.stringify(objects).replaceAll('${ip}', addresses[0]).replaceAll('${ip2}', addresses[1]);
  const renamed = text.replaceAll(`"${name}"`, `"${as}"`).replaceAll(`"${name}-1"`, `"${as}-1"`);
  return expandObjects(fill(JSON.parse(renamed) as readonly Values[]), space);
}

const fixtures = readYaml(readFileSync(join(import.meta.dirname, '../fixtures.yaml'), 'utf8')) as Readonly<
  Record<string, readonly Values[] | undefined>
>;

function isNamespaced({ kind }: Values): boolean {
  return kindInfos.get(kind as KindName)?.namespaced !== false;
}

/** What stands for a kind where a case names no version: the one that was served when its cases were written, if that is not ours. */
const olderVersions: Readonly<Record<string, string>> = { TCPRoute: 'v1alpha2', TLSRoute: 'v1alpha2', BackendTLSPolicy: 'v1alpha3' };

function defaultApiVersion(kind: string): string {
  const info = kindInfos.get(kind as KindName);
  if (info === undefined) throw new Error(`no kind ${kind}`);
  return apiVersionOf(info.group, olderVersions[kind] ?? info.version);
}

export function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
