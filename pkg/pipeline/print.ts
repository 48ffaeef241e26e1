import type { Dag } from '../dag/model/dag.ts';
import { toJson } from '../envoy/json.ts';
import type { WantedStatus } from '../status/wanted.ts';
import { compareStrings } from '../util/compare.ts';
import { type SnapshotView, typeUrls } from '../xdscache/resource.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [field: string]: Json };

/** A resource in canonical JSON. */
export type PrintedResource = { readonly [field: string]: Json };

/** Resources by the short name of their type (`cluster`, `scopedRoute`, …); types without any are absent. */
export type PrintedResources = Readonly<Record<string, readonly PrintedResource[]>>;

/** The DAG as plain JSON: maps become objects with sorted keys, private keys and key sets become `[redacted]`. */
export function printableDag({ listeners, virtualHosts }: Dag): Json {
  const hosts = [...virtualHosts].map(([listener, byHost]) => [listener, sortedFields(byHost)] as const);
  return plain({ listeners: sortedFields(listeners), virtualHosts: sortedFields(hosts) });
}

/** The Envoy resources as canonical JSON, by type and then in order of name; key material is `[redacted]`. */
export function printableSnapshot(snapshot: SnapshotView): PrintedResources {
  const types = Object.entries(typeUrls).flatMap(([label, type]) => {
    const resources = [...snapshot.all(type).values()].sort((a, b) => compareStrings(a.name, b.name));
    const printed = resources.map((resource) => toJson(type, resource.encoded('ads').bytes, { redactSecrets: true }) as PrintedResource);
    return printed.length === 0 ? [] : [[label, printed] as const];
  });
  return Object.fromEntries(types);
}

/** The wanted statuses, in order of their objects. */
export function printableStatuses(statuses: readonly WantedStatus[]): Json {
  const named = statuses.map(({ object, status }) => {
    const metadata = { ...(object.namespace !== '' && { namespace: object.namespace }), name: object.name };
    return { at: `${object.kind}/${object.namespace}/${object.name}`, shown: { kind: object.kind, metadata, status } };
  });
  return plain(named.sort((a, b) => compareStrings(a.at, b.at)).map(({ shown }) => shown));
}

function sortedFields(entries: Iterable<readonly [string, unknown]>): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => compareStrings(a, b)));
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value, (field, inner: unknown) => (isSecret(field, inner) ? '[redacted]' : inner))) as Json;
}

/** A private key; or the text of a local key set, which may have the key of a symmetric algorithm. */
function isSecret(field: string, value: unknown): boolean {
  return field === 'privateKey' || (field === 'keys' && typeof value === 'string');
}
