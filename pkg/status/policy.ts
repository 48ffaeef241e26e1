import type { PolicyAncestorStatus, PolicyStatusPart } from '../dag/contribution.ts';
import type { Problem } from '../util/outcome.ts';
import { refusedConditions } from './refused.ts';

/** The status of a policy: what its routes say of it, each ancestor once. Of words on several versions the newest counts. */
export function policyStatus(parts: readonly PolicyStatusPart[], refusals: readonly Problem[]): Readonly<Record<string, unknown>> {
  const newestFirst = parts.toSorted((a, b) => b.generation - a.generation);
  const ancestors = new Map<string, PolicyAncestorStatus>();
  for (const ancestor of newestFirst.flatMap((part) => part.ancestors)) {
    const key = JSON.stringify([ancestor.ancestorRef, ancestor.controllerName]);
    if (!ancestors.has(key)) ancestors.set(key, { ...ancestor, conditions: refusedConditions(ancestor.conditions, 'Accepted', refusals) });
  }
  return { ancestors: [...ancestors.values()] };
}
