/** Objects in YAML, in few words. Each ends with `---`, so that texts can be joined. `id` is `namespace/name`, or a name in `demo`. */

export function httpProxy(id: string, spec: string): string {
  return manifest('projectcontour.io/v1', 'HTTPProxy', id, `spec: ${spec}`);
}

export function ingress(id: string, spec: string): string {
  return manifest('networking.k8s.io/v1', 'Ingress', id, `spec: ${spec}`);
}

/** With one port, `http` on 80. */
export function service(id: string, ports = '[{name: http, port: 80}]'): string {
  return manifest('v1', 'Service', id, `spec: {ports: ${ports}}`);
}

/** With `tls.crt` and `tls.key` from the values `<material>.crt` and `<material>.key`. */
export function tlsSecret(id: string, material: string): string {
  return manifest(
    'v1',
    'Secret',
    id,
    `type: kubernetes.io/tls, stringData: {tls.crt: "\${${material}.crt}", tls.key: "\${${material}.key}"}`,
  );
}

/** What of a slice is not as usual. */
export interface SliceOptions {
  /** Default: the Service's name and `-1`. */
  readonly name?: string;
  /** Default: IPv4. */
  readonly family?: 'IPv4' | 'IPv6';
  /** In YAML. Default: `192.0.2.10`, which stands for loopback, ready. */
  readonly endpoints?: string;
}

/** A slice of a Service with one port `http`: a number, or the value of a name. */
export function endpointSlice(id: string, port: string | number, options: SliceOptions = {}): string {
  const [namespace, service] = idParts(id);
  const { name = `${service}-1`, family = 'IPv4', endpoints = '{addresses: [192.0.2.10], conditions: {ready: true}}' } = options;
  const metadata = `{name: ${name}, namespace: ${namespace}, labels: {kubernetes.io/service-name: ${service}}}`;
  const ports = `[{name: http, port: ${typeof port === 'number' ? port : `"\${${port}}"`}, protocol: TCP}]`;
  return `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: ${metadata}, addressType: ${family}, ports: ${ports}, endpoints: [${endpoints}]}\n---\n`;
}

/** Any object, cluster-scoped where the id begins with `/`, with what stands beside its metadata. */
export function manifest(apiVersion: string, kind: string, id: string, rest: string): string {
  const [namespace, name] = idParts(id);
  const metadata = namespace === '' ? `{name: ${name}}` : `{name: ${name}, namespace: ${namespace}}`;
  return `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: ${metadata}${rest === '' ? '' : `, ${rest}`}}\n---\n`;
}

function idParts(id: string): readonly [string, string] {
  const slash = id.indexOf('/');
  return slash < 0 ? ['demo', id] : [id.slice(0, slash), id.slice(slash + 1)];
}
