import type { ObjectRef, WantedCondition } from '../apis/meta.ts';
import type { GatewayStatusPart, RouteStatusPart } from '../dag/contribution.ts';
import type { Problem } from '../util/outcome.ts';
import type { QuarantineEntry } from '../xdscache/quarantine/refusal.ts';

/** The reason of conditions, errors and events that tell of a refusal. */
export const rejectedByEnvoy = 'RejectedByEnvoy';

/** The API server takes conditions of at most 32768 bytes of message; what Envoy says may quote all that it was given. */
const messageLimit = 1024;

/** What an object, or a proxy's word on it, says of itself. */
export interface RefusedObject {
  readonly object: ObjectRef;
  readonly problems: readonly Problem[];
}

/** What to say of the objects that brought what proxies refuse, each once. */
export function refusedObjects(entries: readonly QuarantineEntry[]): readonly RefusedObject[] {
  const byObject = new Map<string, { readonly object: ObjectRef; readonly problems: Problem[] }>();
  for (const entry of entries) {
    for (const { kind, namespace, name } of entry.origins) {
      const object = { kind, namespace, name };
      const told = byObject.getOrInsertComputed(JSON.stringify(object), () => ({ object, problems: [] }));
      const problem = problemOf(entry, object);
      if (!told.problems.some(({ message }) => message === problem.message)) told.problems.push(problem);
    }
  }
  return [...byObject.values()];
}

function problemOf(entry: QuarantineEntry, object: ObjectRef): Problem {
  const fields = entry.origins.flatMap((origin) => (sameObject(origin, object) && origin.path !== '' ? [origin.path] : []));
  const what = entry.host === undefined ? entry.name : `the host ${entry.host.slice(entry.host.indexOf('/') + 1)}`;
  const where = fields.length === 0 ? '' : ` (${[...new Set(fields)].join(', ')})`;
  const refused = entry.node === '' ? `${what}${where} cannot be written for Envoy` : `Envoy refuses ${what}${where}`;
  const message = `${refused}; ${instead[entry.served]}: ${essence(entry.message)}`;
  return { type: 'EnvoyError', reason: rejectedByEnvoy, message: message.slice(0, messageLimit) };
}

/** Envoy may quote the whole message that it refuses, before it says what is wrong with it. */
function essence(message: string): string {
  const constraint = /Proto constraint validation failed \((.*?)\)[^)]*$/s.exec(message)?.[1];
  return constraint === undefined ? message : constraint.replace(/\s+/g, ' ');
}

const instead = {
  'last good': 'its last good version is served',
  'stand-in': 'in its place requests are answered 503',
  nothing: 'it is not served',
  'as it is': 'proxies stay with what they had',
} as const;

function sameObject(a: ObjectRef, b: ObjectRef): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

/** A route that proxies refuse is not accepted. */
export function refusedRoute(part: RouteStatusPart, refusals: readonly Problem[]): RouteStatusPart {
  if (refusals.length === 0) return part;
  return {
    ...part,
    parents: part.parents.map((parent) => ({ ...parent, conditions: refusedConditions(parent.conditions, 'Accepted', refusals) })),
  };
}

/** A Gateway that proxies refuse is not programmed. */
export function refusedGateway(part: GatewayStatusPart, refusals: readonly Problem[]): GatewayStatusPart {
  return refusals.length === 0 ? part : { ...part, conditions: refusedConditions(part.conditions, 'Programmed', refusals) };
}

/** The conditions with one of them False, where something is refused. */
export function refusedConditions(
  conditions: readonly WantedCondition[],
  type: string,
  refusals: readonly Problem[],
): readonly WantedCondition[] {
  if (refusals.length === 0) return conditions;
  const message = refusals.map((problem) => problem.message).join('; ');
  return conditions.map((condition) =>
    condition.type === type ? { ...condition, status: 'False', reason: rejectedByEnvoy, message } : condition,
  );
}
