import type { Logger } from '../../util/logger.ts';
import type { ReflectorProblem } from '../cache/reflector.ts';
import { UnreachableError } from '../client/errors.ts';
import type { ServerState } from '../client/rest-client.ts';

/** Writes what keeps kinds from being current: a missing kind and the same refusal once, a cut connection never. */
export function problemLog(log: Logger): (problem: ReflectorProblem) => void {
  /** What was said last of each kind. */
  const told = new Map<string, string>();
  const once = (kind: string, text: string, tell: () => void) => {
    if (told.get(kind) === text) return;
    told.set(kind, text);
    tell();
  };
  return (problem) => {
    const { kind } = problem.selection.kind;
    switch (problem.type) {
      case 'missing':
        once(kind, problem.error.message, () =>
          log.info({ kind, reason: problem.error.message }, 'the kind cannot be read and counts as empty until it is there'),
        );
        return;
      case 'found':
        once(kind, '', () => log.info({ kind }, 'the kind is there now'));
        return;
      case 'object':
        log.error({ kind, object: problem.name, error: problem.error }, 'an object could not be taken over');
        return;
      case 'retry': {
        const { error, delayMs } = problem;
        if (error instanceof UnreachableError) log.debug({ kind, error, retryInMs: delayMs }, 'a list or watch was cut');
        else once(kind, String(error), () => log.error({ kind, error }, 'the kind cannot be read; it is tried again and again'));
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
