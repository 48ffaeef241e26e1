import { type KubeObject, refOf } from '../apis/meta.ts';
import type { WantedStatus } from '../status/wanted.ts';

/** What we write into the status of objects that choose their controller by class. */
const ourFields: Readonly<Record<string, readonly string[]>> = {
  HTTPProxy: ['conditions', 'currentStatus', 'description', 'loadBalancer'],
  Ingress: ['loadBalancer'],
};

/**
 * The status that replicas of ours left on an object that is of another class by now; `undefined` where there is none, or where it is
 * not certain that it is ours: the API server must say that the one manager of its status is `fieldManager`. As soon as
 * anybody else has written a part of the status, all of it is theirs.
 */
export function leftStatus(object: KubeObject, fieldManager: string): WantedStatus | undefined {
  const fields = ourFields[object.kind] ?? [];
  const writers = (object.metadata.managedFields ?? []).filter(({ subresource }) => subresource === 'status');
  if (writers.length === 0 || writers.some(({ manager }) => manager !== fieldManager)) return undefined;
  const { status = {} } = object as { readonly status?: Readonly<Record<string, unknown>> };
  const left = Object.entries(status).filter(([field, value]) => fields.includes(field) && !isEmpty(value));
  return left.length === 0
    ? undefined
    : { object: refOf(object), generation: object.metadata.generation ?? 0, status: Object.fromEntries(left) };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Who writes the status, in `managedFields`: all replicas that share a Lease, and nobody else. The API server takes 128 characters. */
export function statusFieldManager({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  const full = `isoline/${namespace}/${name}`;
  return full.length <= 128 ? full : full.slice(-128);
}
