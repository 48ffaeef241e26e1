import type { KubeObject } from '../../pkg/apis/meta.ts';
import { KubernetesCache } from '../../pkg/kubernetes-cache/kubernetes-cache.ts';
import type { Key, Reader } from '../../pkg/kubernetes-cache/reader.ts';
import type { SecretInspector } from '../../pkg/kubernetes-cache/secret-inspector.ts';

/** A Secret serves when it has `tls.crt` and `tls.key`, whatever they are; a certificate `expired` ran out in 1970. */
export const lenientSecrets: SecretInspector = {
  keyPair: ({ data }) => {
    const [certificate, privateKey] = [data?.['tls.crt'], data?.['tls.key']];
    if (certificate === undefined) return { ok: false, error: 'missing TLS certificate' };
    if (privateKey === undefined) return { ok: false, error: 'missing TLS private key' };
    const notAfterMs = certificate === 'expired' ? 1 : Number.MAX_SAFE_INTEGER;
    return { ok: true, value: { certificate, privateKey, notBeforeMs: 0, notAfterMs } };
  },
  caBundle: ({ data }) =>
    data?.['ca.crt'] === undefined ? { ok: false, error: 'empty CA' } : { ok: true, value: { certificates: data['ca.crt'] } },
  revocationList: ({ data }) =>
    data?.['crl.pem'] === undefined ? { ok: false, error: 'empty CRL' } : { ok: true, value: { crl: data['crl.pem'] } },
};

/** A reader over a few objects, all kept, at a time in 1970. `keys` gathers what it was asked for. */
export function memoryReader(objects: readonly KubeObject[], keys = new Set<Key>()): Reader {
  const cache = new KubernetesCache({ keeps: () => true, secrets: lenientSecrets });
  for (const object of objects) cache.apply(object);
  cache.advance(1000);
  return cache.reader((key) => keys.add(key));
}

/** An object in few words: kind, `namespace/name` (or `name`, cluster-scoped), what stands beside `metadata`, more metadata. */
export function object(kind: string, id: string, body: object = {}, metadata: object = {}): KubeObject {
  const slash = id.indexOf('/');
  const place = slash < 0 ? { name: id } : { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
  return { apiVersion: 'v1', kind, metadata: { ...place, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata }, ...body };
}

/** A Service with one TCP port, `http` on 80 if not told otherwise. */
export function service(id: string, port: object = {}, metadata: object = {}): KubeObject {
  return object('Service', id, { spec: { ports: [{ name: 'http', port: 80, protocol: 'TCP', ...port }] } }, metadata);
}

/** A Secret with a certificate that `lenientSecrets` takes. */
export function tlsSecretObject(id: string, certificate = `cert of ${id}`): KubeObject {
  return object('Secret', id, { type: 'kubernetes.io/tls', data: { 'tls.crt': certificate, 'tls.key': `key of ${id}` } });
}
