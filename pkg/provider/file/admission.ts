import type { Service } from '../../apis/core/v1/service.ts';
import type { KubeObject } from '../../apis/meta.ts';
import { apiVersionOf, findKind } from '../../apis/scheme.ts';
import { identify } from './identify.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { Admission, Admit, FieldFault } from './object-store.ts';
import { staticEndpointSlices } from './static-addresses.ts';

/** The result of validation, defaulting and pruning by the schema of a kind. */
export type Validated = { readonly ok: true; readonly object: KubeObject } | { readonly ok: false; readonly faults: readonly FieldFault[] };

/** What etcd takes by default. */
const objectLimitBytes = 1_572_864;

/**
 * Admits an object from a file as an API server would: known kinds only, a name, the namespace `default` where none is given, the
 * schema of its kind. `status` is dropped but for Services; `stringData` goes into `data`.
 */
export function fileAdmission(validate: (object: JsonObject) => Validated): Admit {
  return (source) => {
    const fault = checkShape(source);
    if (fault !== undefined) return { ok: false, faults: [fault] };
    const validated = validate(normalize(source));
    if (!validated.ok) return validated;
    return withImplied(validated.object);
  };
}

function checkShape(source: JsonObject): FieldFault | undefined {
  const { apiVersion, kind, metadata } = source;
  if (typeof kind !== 'string' || kind === '') return { field: 'kind', message: 'must be given' };
  if (typeof apiVersion !== 'string' || apiVersion === '') return { field: 'apiVersion', message: 'must be given' };
  if (findKind(apiVersion, kind) === undefined) return { field: 'kind', message: `Isoline does not read kind ${kind} of ${apiVersion}` };
  if (!isJsonObject(metadata)) return { field: 'metadata', message: 'must be given' };
  if (typeof metadata['name'] !== 'string' || metadata['name'] === '') return { field: 'metadata.name', message: 'must be given' };
  const bytes = Buffer.byteLength(JSON.stringify(source));
  if (bytes > objectLimitBytes) return { field: '', message: `is ${bytes} bytes long, more than the ${objectLimitBytes} that an object may have` };
  return undefined;
}

function normalize(source: JsonObject): JsonObject {
  const { status, stringData, ...rest } = source;
  const { kind, namespace } = identify(source);
  const { namespace: given, ...metadata } = rest['metadata'] as JsonObject;
  // A namespace that is no text is for the schema to refuse.
  const wanted = given !== undefined && typeof given !== 'string' ? given : namespace;
  const info = findKind(rest['apiVersion'] as string, kind);
  return {
    ...rest,
    ...(info !== undefined && { apiVersion: apiVersionOf(info.group, info.version) }),
    metadata: wanted === '' ? metadata : { ...metadata, namespace: wanted },
    // The addresses of a load balancer come from a Service's status; nobody but its author can know them here.
    ...(kind === 'Service' && status !== undefined && { status }),
    ...(kind === 'Secret' ? secretData(rest['data'], stringData) : stringData !== undefined && { stringData }),
  };
}

/** As the API server does: texts are encoded and win over `data`. */
function secretData(data: unknown, stringData: unknown): JsonObject {
  if (!isJsonObject(stringData)) return { ...(data !== undefined && { data }), ...(stringData !== undefined && { stringData }) };
  const encoded = Object.entries(stringData).map(([key, text]) => [key, typeof text === 'string' ? Buffer.from(text, 'utf8').toString('base64') : text]);
  return { data: { ...(isJsonObject(data) ? data : {}), ...Object.fromEntries(encoded) } };
}

function withImplied(object: KubeObject): Admission {
  if (object.kind !== 'Service') return { ok: true, objects: [object], warnings: [] };
  const { slices, faults } = staticEndpointSlices(object as Service);
  return { ok: true, objects: [object, ...slices], warnings: faults };
}
