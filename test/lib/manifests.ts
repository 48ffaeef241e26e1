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

/** A slice of a Service with one port `http`; the port is the value of that name, or a number, on the first address or on others. */
export function endpointSlice(id: string, port: string | number, addresses: readonly string[] = ['192.0.2.10']): string {
  const [namespace, name] = idParts(id);
  const metadata = `{name: ${name}-1, namespace: ${namespace}, labels: {kubernetes.io/service-name: ${name}}}`;
  const ports = `[{name: http, port: ${typeof port === 'number' ? port : `"\${${port}}"`}, protocol: TCP}]`;
  const endpoints = addresses.map((address) => `{addresses: ["${address}"], conditions: {ready: true}}`).join(', ');
  return `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: ${metadata}, addressType: IPv4, ports: ${ports}, endpoints: [${endpoints}]}\n---\n`;
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
