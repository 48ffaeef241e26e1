/** Cases from public bug reports: objects in YAML, requests to a real Envoy, and what must come of them. */
import { expect } from '@jest/globals';
import { selfSigned } from './certificates.ts';
import { ControlPlane, type ControlPlaneOptions } from './control-plane.ts';
import { EchoBackend } from './echo-backend.ts';
import { eventually } from './eventually.ts';
import { get } from './http-client.ts';
import { endpointSlice, httpProxy, manifest, service, tlsSecret } from './manifests.ts';

export interface FieldCase {
  /** The rule, with the public report in brackets. */
  readonly name: string;
  readonly steps: readonly FieldStep[];
}

export interface FieldStep {
  /** Objects to add or change. */
  readonly apply?: string;
  /** Objects that got past the API server's rules. */
  readonly unchecked?: string;
  /** Objects to remove, as `Kind namespace/name`. */
  readonly remove?: readonly string[];
  /** Statuses by object, as `statusSummary` has them; an HTTPProxy of `demo` by its name alone. */
  readonly statuses?: Readonly<Record<string, string>>;
  /** What the messages of a status contain. */
  readonly messages?: Readonly<Record<string, string>>;
  /**
   * Answers by request, as `host/path | header: value`; over TLS with `https://` before it, where `sni` is no header but another server
   * name. An answer is a status, a status and a location, the backend, or the backend and the path that reached it; `refused` where the
   * connection is closed.
   */
  readonly answers?: Readonly<Record<string, string>>;
}

/** Namespaces, a certificate, and a host on both of Envoy's listeners, so that they stay open. */
const fixtures = [
  manifest('v1', 'Namespace', '/demo', ''),
  manifest('v1', 'Namespace', '/other', ''),
  tlsSecret('tls-a', 'leaf-a'),
  httpProxy(
    'keep',
    '{virtualhost: {fqdn: keep.example.com, tls: {secretName: tls-a}}, routes: [{permitInsecure: true, services: [{name: echo-a, port: 80}]}]}',
  ),
];

/** Services with their backends: `echo-a` and `echo-b` in `demo`, `echo-c` in `other`. */
const services = ['demo/echo-a', 'demo/echo-b', 'other/echo-c'];

/** A control plane with an Envoy and backends, for many cases one after the other. */
export class FieldRig implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly backends: ReadonlyMap<string, EchoBackend>;
  readonly #resources: AsyncDisposableStack;
  readonly #added = new Set<string>();

  private constructor(plane: ControlPlane, backends: ReadonlyMap<string, EchoBackend>, resources: AsyncDisposableStack) {
    this.plane = plane;
    this.backends = backends;
    this.#resources = resources;
  }

  /** `yaml` comes beside the fixtures and stays. */
  static async start(options: ControlPlaneOptions = {}, yaml = ''): Promise<FieldRig> {
    await using resources = new AsyncDisposableStack();
    const backends = await Promise.all(services.map((id) => EchoBackend.start(nameOf(id))));
    for (const backend of backends) resources.use(backend);
    const leaf = await selfSigned({ commonName: 'app.example.com', dnsNames: ['app.example.com', '*.example.com'] });
    const ports = Object.fromEntries(backends.map(({ name, port }) => [name, port]));
    const values = { 'leaf-a.crt': leaf.certificate, 'leaf-a.key': leaf.privateKey, ...ports, ...options.values };
    const objects = [...fixtures, ...services.map((id) => service(id) + endpointSlice(id, nameOf(id))), yaml];
    const plane = resources.use(await ControlPlane.start({ ...options, values }, objects.join('')));
    await plane.startEnvoy();
    return new FieldRig(plane, new Map(backends.map((backend) => [backend.name, backend])), resources.move());
  }

  /** Goes through the steps of a case. Envoy must refuse nothing. */
  async run({ steps }: FieldCase): Promise<void> {
    for (const step of steps) await this.#step(step);
    expect(await this.rejections()).toEqual([]);
  }

  async apply(yaml: string): Promise<void> {
    for (const { kind, metadata } of await this.plane.apply(yaml)) this.#added.add(`${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
  }

  async applyUnchecked(yaml: string): Promise<void> {
    for (const { kind, metadata } of await this.plane.applyUnchecked(yaml))
      this.#added.add(`${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
  }

  /** Removes what was applied. */
  async clear(): Promise<void> {
    await this.plane.remove(...this.#added);
    this.#added.clear();
  }

  /** Waits for these answers. */
  async expectAnswers(answers: Readonly<Record<string, string>>): Promise<void> {
    let got: Readonly<Record<string, string>> = {};
    const asWanted = async (): Promise<boolean> => {
      got = Object.fromEntries(
        await Promise.all(Object.entries(answers).map(async ([line, want]) => [line, await this.answer(line, want)] as const)),
      );
      return Object.entries(answers).every(([line, want]) => got[line] === want);
    };
    // What Envoy has accepted reaches its worker a moment later.
    await eventually('the answers', asWanted, 2_000).catch(() => undefined);
    expect(got).toEqual(answers);
  }

  /** The answer to a request, in as much detail as `want` has. */
  async answer(line: string, want: string): Promise<string> {
    const answer = await this.ask(line).catch(() => undefined);
    if (answer === undefined) return 'refused';
    const backend = answer.headers['x-backend'];
    if (/^\d/.test(want) || backend === undefined) {
      return [answer.status, ...(want.includes(' ') && answer.headers.location ? [answer.headers.location] : [])].join(' ');
    }
    return want.includes(' ') ? `${String(backend)} ${answer.json()['path']}` : String(backend);
  }

  /** Sends one request, written as in `FieldStep.answers`. */
  ask(line: string): ReturnType<typeof get> {
    const [target = '', ...fields] = line.split(' | ');
    const { secure, host, path } = parseTarget(target);
    const {
      host: hostHeader = host,
      sni = host.replace(/:\d+$/, ''),
      ...headers
    } = Object.fromEntries(fields.map((field) => split(field, ': ')));
    const port = secure ? this.plane.ports.https : this.plane.ports.http;
    return get({ port, path, host: hostHeader, headers, ...(secure && { sni }) });
  }

  /** Updates that Envoy refused, of all types. */
  async rejections(): Promise<readonly string[]> {
    const counts = await this.plane.envoy.stats('(update_rejected|config_fail)$');
    return [...this.plane.refused(), ...[...counts].filter(([, count]) => count > 0).map(([name]) => name)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  async #step({ apply, unchecked, remove, statuses = {}, messages = {}, answers = {} }: FieldStep): Promise<void> {
    if (apply !== undefined) await this.apply(apply);
    if (unchecked !== undefined) await this.applyUnchecked(unchecked);
    if (remove !== undefined) await this.plane.remove(...remove);
    const ids = Object.keys(statuses);
    expect(Object.fromEntries(ids.map((id) => [id, this.plane.status(wholeId(id))]))).toEqual(statuses);
    for (const [id, part] of Object.entries(messages)) expect(this.plane.messages(wholeId(id))).toContain(part);
    await this.expectAnswers(answers);
  }
}

function nameOf(id: string): string {
  return split(id, '/')[1];
}

function parseTarget(target: string): { readonly secure: boolean; readonly host: string; readonly path: string } {
  const secure = target.startsWith('https://');
  const rest = secure ? target.slice('https://'.length) : target;
  const slash = rest.indexOf('/');
  return { secure, host: rest.slice(0, slash), path: rest.slice(slash) };
}

function wholeId(id: string): string {
  return id.includes(' ') ? id : `HTTPProxy demo/${id}`;
}

function split(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}
