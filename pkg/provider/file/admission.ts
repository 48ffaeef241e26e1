import type { Service } from '../../apis/core/v1/service.ts';
import type { KubeObject } from '../../apis/meta.ts';
import { admit } from '../../apis/validate.ts';
import type { JsonObject } from '../../util/json-object.ts';
import type { Admission, FieldFault } from './object-store.ts';
import { staticEndpointSlices } from './static-addresses.ts';

/** What etcd takes by default. */
const objectLimitBytes = 1_572_864;

/**
 * Admits an object from a file as an API server would, and adds what it implies: a Service with addresses brings EndpointSlices.
 * @throws {TypeError} if its kind needs `loadCel` and that was not awaited.
 */
export function admitFromFile(source: JsonObject): Admission {
  const bytes = Buffer.byteLength(JSON.stringify(source));
  if (bytes > objectLimitBytes) {
    return {
      ok: false,
      faults: [{ field: '', message: `is ${bytes} bytes long, more than the ${objectLimitBytes} that an object may have` }],
    };
  }
  const admitted = admit(source);
  if (!admitted.ok) return { ok: false, faults: admitted.errors.map(toFault) };
  const implied = impliedObjects(admitted.object);
  return { ok: true, objects: [admitted.object, ...implied.objects], warnings: [...admitted.warnings.map(toFault), ...implied.faults] };
}

function toFault({ path, message }: { readonly path: string; readonly message: string }): FieldFault {
  return { field: path, message };
}

function impliedObjects(object: KubeObject): { readonly objects: readonly KubeObject[]; readonly faults: readonly FieldFault[] } {
  if (object.kind !== 'Service') return { objects: [], faults: [] };
  const { slices, faults } = staticEndpointSlices(object as Service);
  return { objects: slices, faults };
}
