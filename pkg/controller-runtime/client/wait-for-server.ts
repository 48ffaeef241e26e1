import type { Logger } from '../../util/logger.ts';
import { Backoff } from '../clock/backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { isApiError } from './errors.ts';
import type { RestClient } from './rest-client.ts';

/** How often a wait is told of. */
const tellEveryMs = 10_000;

/**
 * Resolves when the API server answers, or when the signal aborts. An answer that refuses us is an answer: what needs
 * the right tells which one is missing.
 */
export async function waitForServer(
  rest: RestClient,
  { log, clock, random }: { readonly log: Logger; readonly clock: Clock; readonly random: () => number },
  signal: AbortSignal,
): Promise<void> {
  const backoff = new Backoff({ random, maxMs: 5_000 });
  let toldMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const error = await unreachable(rest, signal);
    if (error === undefined) return;
    if (clock.monotonicMs() - toldMs >= tellEveryMs && !signal.aborted) {
      log.warn({ error }, `waiting for the API server at ${rest.server}`);
      toldMs = clock.monotonicMs();
    }
    await clock.sleep(backoff.next(), signal);
  }
}

/** Why there is no answer; `undefined` if there is one. */
async function unreachable(rest: RestClient, signal: AbortSignal): Promise<unknown> {
  try {
    await rest.json({ method: 'GET', verb: 'get', resource: 'version', group: '', path: '/version', signal });
    return undefined;
  } catch (error) {
    return isApiError(error) ? undefined : error;
  }
}
