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
