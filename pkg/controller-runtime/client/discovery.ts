import { isApiError } from './errors.ts';
import type { RestClient } from './rest-client.ts';

/** The versions in which each resource (by plural) of a group is served, in the server's order of preference. */
export type ServedVersions = ReadonlyMap<string, readonly string[]>;

/** Asks what a server has of an API group. A group that is not installed is empty. */
export async function servedVersions(rest: RestClient, group: string, signal?: AbortSignal): Promise<ServedVersions> {
  const found = await read<{ readonly versions?: readonly { readonly version: string }[] }>(rest, `/apis/${group}`, signal);
  const served = new Map<string, string[]>();
  for (const { version } of found?.versions ?? []) {
    const path = `/apis/${group}/${version}`;
    const list = await read<{ readonly resources?: readonly { readonly name: string }[] }>(rest, path, signal);
    for (const { name } of list?.resources ?? []) served.set(name, [...(served.get(name) ?? []), version]);
  }
  return served;
}

async function read<T>(rest: RestClient, path: string, signal?: AbortSignal): Promise<T | undefined> {
  const request = { method: 'GET', verb: 'get', resource: path, group: '', path } as const;
  try {
    return (await rest.json({ ...request, ...(signal !== undefined && { signal }) })) as T;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
