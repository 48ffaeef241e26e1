import type { ResourceKind } from '../client/object.ts';
import type { RestClient } from '../client/rest-client.ts';

/** Resolves if a part of the process is well, else rejects with the reason. */
export type Check = (signal?: AbortSignal) => Promise<void>;

/** The API server answers. */
export function serverAnswers(rest: RestClient): Check {
  return async (signal) => {
    const request = { method: 'GET', verb: 'get', resource: 'version', group: '', path: '/version' } as const;
    await rest.json({ ...request, ...(signal !== undefined && { signal }) });
  };
}

/** Every informer that was asked for has told all its objects once. */
export function cacheSynced(cache: { unsynced(): readonly ResourceKind[] }): Check {
  return async () => {
    const kinds = cache.unsynced().map(({ kind }) => kind);
    if (kinds.length > 0) throw new Error(`waiting for ${kinds.join(', ')}`);
  };
}
