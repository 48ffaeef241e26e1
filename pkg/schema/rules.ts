import type { Finding } from './conform.ts';
import { formatFieldPath, type PathSegment } from './field-path.ts';
import type { RulePlan, SchemaPlan } from './plan.ts';
import type { StructuralSchema } from './structural.ts';

/**
 * Runs a CEL rule over a value of a schema. A rule that has no answer, as when it reads an absent field, does not hold.
 * @throws {RangeError} if the rule is not CEL.
 */
export type CelRunner = (rule: string, self: unknown, schema: StructuralSchema) => boolean;

/**
 * Runs the rules of a schema over a value that conforms to it. A rule with a `check` needs no CEL.
 * @param cel runs the rules that have no `check`; needed if the schema has such.
 */
export function checkRules(plan: SchemaPlan, value: unknown, cel?: CelRunner): readonly Finding[] {
  const findings: Finding[] = [];
  visit(plan, value, { findings, path: [], cel });
  return findings;
}

interface Visit {
  readonly findings: Finding[];
  readonly path: PathSegment[];
  readonly cel: CelRunner | undefined;
}

function visit(plan: SchemaPlan, value: unknown, state: Visit): void {
  if (!plan.hasRules || value === null) return;
  for (const rule of plan.rules) {
    if (!holds(rule, value, plan.schema, state.cel)) state.findings.push({ path: formatFieldPath(state.path), message: rule.message });
  }
  if (typeof value !== 'object') return;
  const entries: readonly [PathSegment, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [segment, item] of entries) {
    const part = typeof segment === 'number' ? plan.items : (plan.properties.get(segment) ?? plan.values);
    if (part === undefined) continue;
    state.path.push(segment);
    visit(part, item, state);
    state.path.pop();
  }
}

function holds(rule: RulePlan, value: unknown, schema: StructuralSchema, cel: CelRunner | undefined): boolean {
  if (rule.check !== undefined) return rule.check(value as never);
  if (cel === undefined) throw new TypeError(`a rule needs CEL, which is not loaded: ${rule.cel}`);
  return cel(rule.cel, value, schema);
}
