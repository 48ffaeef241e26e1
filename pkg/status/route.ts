import type { WantedCondition } from '../apis/meta.ts';
import type { RouteParentStatus, RouteStatusPart } from '../dag/contribution.ts';

/** How many of a route's entries (a match on a host of a listener) lost to an older route, out of all that it has. */
export interface Conflicts {
  readonly dropped: number;
  readonly total: number;
}

/**
 * The status of a Gateway API route. Where an equal match of an older route is served instead, the route says so:
 * all of it → `Accepted` False `RuleMatchConflict`; a part → `PartiallyInvalid` True `RuleMatchPartiallyConflict`.
 * @see reference 6.3; Gateway API, RouteConditionPartiallyInvalid
 */
export function routeStatus(part: RouteStatusPart, conflicts: Conflicts): Readonly<Record<string, unknown>> {
  const parents = conflicts.dropped === 0 ? part.parents : part.parents.map((parent) => withConflicts(parent, part, conflicts));
  return { parents };
}

function withConflicts(parent: RouteParentStatus, part: RouteStatusPart, { dropped, total }: Conflicts): RouteParentStatus {
  const all = dropped >= total;
  const told: WantedCondition = {
    type: all ? 'Accepted' : 'PartiallyInvalid',
    status: all ? 'False' : 'True',
    reason: all ? 'RuleMatchConflict' : 'RuleMatchPartiallyConflict',
    message: all
      ? `${part.object.kind} is not served: every match of its rules is taken by an older route`
      : `Dropped rules: ${dropped} of ${total} matches are taken by an older route`,
    observedGeneration: part.generation,
  };
  const accepted = parent.conditions.some((condition) => condition.type === 'Accepted' && condition.status === 'True');
  if (!accepted) return parent;
  return { ...parent, conditions: [...parent.conditions.filter((condition) => condition.type !== told.type), told] };
}
