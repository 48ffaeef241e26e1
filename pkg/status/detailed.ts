import type { DetailedStatusPart } from '../dag/contribution.ts';
import { deepEqual } from '../util/deep-equal.ts';
import type { Problem } from '../util/outcome.ts';

/** The API server takes conditions of at most 32768 bytes of message. @see meta/v1 Condition `message` */
const messageLimit = 32760;

/** An entry of `errors` or `warnings`. @see reference 3.12 SubCondition */
interface SubCondition extends Problem {
  readonly status: 'True';
}

/**
 * The status of an HTTPProxy or ExtensionService from every root's word on it, in the order of the roots, and from what proxies refuse of
 * it.
 */
export function detailedStatus(
  kind: string,
  parts: readonly DetailedStatusPart[],
  refusals: readonly Problem[] = [],
): Readonly<Record<string, unknown>> {
  const told = parts.some((part) => part.orphan !== true) ? parts.filter((part) => part.orphan !== true) : parts;
  const errors = subConditions([...told.flatMap((part) => part.errors), ...refusals]);
  const warnings = subConditions(told.flatMap((part) => part.warnings));
  const generation = Math.max(0, ...parts.map((part) => part.generation));
  const valid = errors.length === 0;
  const message = valid ? `Valid ${kind}` : 'At least one error present, see Errors for details';
  const condition = {
    type: 'Valid',
    status: valid ? 'True' : 'False',
    reason: valid ? 'Valid' : 'ErrorPresent',
    message,
    observedGeneration: generation,
    ...(errors.length > 0 && { errors }),
    ...(warnings.length > 0 && { warnings }),
  };
  if (kind !== 'HTTPProxy') return { conditions: [condition] };

  const orphaned = errors.find((error) => error.type === 'Orphaned');
  const currentStatus = valid ? 'valid' : orphaned === undefined ? 'invalid' : 'orphaned';
  return { conditions: [condition], currentStatus, description: orphaned?.message ?? message };
}

function subConditions(problems: readonly Problem[]): readonly SubCondition[] {
  const distinct = problems.filter((problem, i) => problems.findIndex((other) => deepEqual(problem, other)) === i);
  return distinct.map(({ type, reason, message }) => ({ type, reason, status: 'True', message: cut(message) }));
}

function cut(message: string): string {
  return message.length <= messageLimit ? message : message.slice(0, messageLimit);
}
