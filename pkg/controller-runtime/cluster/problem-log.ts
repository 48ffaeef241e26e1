import type { Logger } from '../../util/logger.ts';
import type { ReflectorProblem } from '../cache/reflector.ts';
import { UnreachableError } from '../client/errors.ts';
import type { ServerState } from '../client/rest-client.ts';

/**
 * Writes what keeps kinds from being current: a missing kind once, in however many namespaces it is looked for, the same refusal in a
 * namespace once, a cut connection never.
 */
export function problemLog(log: Logger): (problem: ReflectorProblem) => void {
  /** What was said last of each kind, and of each kind in a namespace. */
  const told = new Map<string, string>();
  const once = (what: string, text: string, tell: () => void) => {
    if (told.get(what) === text) return;
    told.set(what, text);
    tell();
  };
  return (problem) => {
    const { kind: resource, namespace } = problem.selection;
    const { kind } = resource;
    const place = { kind, ...(namespace !== '' && { namespace }) };
    switch (problem.type) {
      case 'missing':
        once(kind, 'missing', () =>
          log.info({ kind, reason: problem.error.message }, 'the kind cannot be read and counts as empty until it is there'),
        );
        return;
      case 'found':
        once(kind, 'found', () => log.info({ kind }, 'the kind is there now'));
        return;
      case 'object':
        log.error({ ...place, object: problem.name, error: problem.error }, 'an object could not be taken over');
        return;
      case 'retry': {
        const { error, delayMs } = problem;
        if (error instanceof UnreachableError) log.debug({ ...place, error, retryInMs: delayMs }, 'a list or watch was cut');
        else
          once(`${kind}/${namespace}`, String(error), () =>
            log.error({ ...place, error }, 'the kind cannot be read; it is tried again and again'),
          );
      }
    }
  };
}

/** Says once that the API server went, and once that it is back. */
export function serverStateLog(server: string, log: Logger): (state: ServerState) => void {
  let away = false;
  return (state) => {
    if (state.reachable && away) log.info({ server }, 'the API server answers again');
    if (!state.reachable && !away) log.warn({ server, error: state.error }, 'the API server does not answer; it is tried again and again');
    away = !state.reachable;
  };
}
