import type { ConfigMap } from '../../apis/core/v1/config-map.ts';
import type { Secret } from '../../apis/core/v1/secret.ts';
import type { EndpointSlice } from '../../apis/discovery/v1/endpoint-slice.ts';
import type { KindName } from '../../apis/kinds.ts';
import type { KubeObject, ObjectMeta } from '../../apis/meta.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const certificateKeys: ReadonlySet<string> = new Set(['tls.crt', 'tls.key', 'ca.crt', 'crl.pem']);
/** Kinds whose objects may leave our class, and whose status then has to tell whether it is ours. */
const classed: ReadonlySet<string> = new Set<KindName>(['HTTPProxy', 'Ingress']);
const readableSecretTypes: ReadonlySet<string> = new Set(['', 'Opaque', 'kubernetes.io/tls']);

/**
 * What is kept in memory of an object: a copy without what nobody reads (managed fields but for the writers of the status, owners, the configuration
 * that kubectl applied last, unused keys of Secrets and ConfigMaps). `apiVersion` is the version that Isoline reads.
 */
export function trimmer(kind: KindName, apiVersion: string): (object: KubeObject) => KubeObject {
  const trimBody = bodyTrimmers[kind] ?? ((object: KubeObject) => object);
  return (object) => {
    const { metadata, ...body } = trimBody(object);
    return { ...body, apiVersion, kind, metadata: { ...trimMetadata(metadata), ...(classed.has(kind) && statusWriters(metadata)) } };
  };
}

const bodyTrimmers: { readonly [K in KindName]?: (object: KubeObject) => KubeObject } = {
  Secret: (object) => trimSecret(object as Secret),
  ConfigMap: (object) => trimConfigMap(object as ConfigMap),
  EndpointSlice: (object) => trimEndpointSlice(object as EndpointSlice),
};

function trimMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, generation, resourceVersion, uid, creationTimestamp, deletionTimestamp, labels } = metadata;
  const annotations = trimAnnotations(metadata.annotations);
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(generation !== undefined && { generation }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(uid !== undefined && { uid }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  };
}

/** Who wrote the status, without what. */
function statusWriters({ managedFields = [] }: ObjectMeta): Pick<ObjectMeta, 'managedFields'> {
  const writers = managedFields.flatMap(({ manager = '', subresource }) => (subresource === 'status' ? [{ manager, subresource }] : []));
  return writers.length === 0 ? {} : { managedFields: writers };
}

function trimAnnotations(annotations: ObjectMeta['annotations']): ObjectMeta['annotations'] {
  if (annotations?.[lastApplied] === undefined) return annotations;
  const { [lastApplied]: _, ...kept } = annotations;
  return kept;
}

/** Secrets of other types have nothing for us, but that they exist is known. @see reference 7.7 */
function trimSecret(secret: Secret): Secret {
  const { apiVersion, kind, metadata, type, data } = secret;
  const kept = readableSecretTypes.has(type ?? '')
    ? Object.entries(data ?? {}).filter(([key, value]) => certificateKeys.has(key) || isKeySet(value))
    : [];
  return { apiVersion, kind, metadata, ...(type !== undefined && { type }), data: Object.fromEntries(kept) };
}

/** Whether a base64 value is a JSON Web Key Set, whose key in the Secret may have any name. */
function isKeySet(base64: string): boolean {
  // How the base64 of a text begins whose first letter is `{` or white space.
  if (!/^[CDIe]/.test(base64)) return false;
  const text = Buffer.from(base64, 'base64').toString('utf8').trimStart();
  return text.startsWith('{') && text.includes('"keys"');
}

function trimConfigMap(configMap: ConfigMap): ConfigMap {
  const { apiVersion, kind, metadata, data, binaryData } = configMap;
  const bundle = data?.['ca.crt'];
  const binaryBundle = binaryData?.['ca.crt'];
  return {
    apiVersion,
    kind,
    metadata,
    ...(bundle !== undefined && { data: { 'ca.crt': bundle } }),
    ...(binaryBundle !== undefined && { binaryData: { 'ca.crt': binaryBundle } }),
  };
}

/** Which pod an endpoint is, and on which node, is of no use to a proxy. */
function trimEndpointSlice(slice: EndpointSlice): EndpointSlice {
  const endpoints = (slice.endpoints ?? []).map(({ addresses, conditions, zone }) => ({
    addresses,
    ...(conditions !== undefined && { conditions }),
    ...(zone !== undefined && { zone }),
  }));
  return { ...slice, endpoints };
}
