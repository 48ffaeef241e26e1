import type { WantedCondition } from '../../../apis/meta.ts';

/** Something to say of an object in a condition. Many are gathered while an object is read; none stops the reading. */
export interface Finding {
  /** The type of the condition. */
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** A finding that makes a condition False. */
export function fault(type: string, reason: string, message: string): Finding {
  return { type, status: 'False', reason, message };
}

/**
 * The conditions of gathered findings, in the order in which their types first occur. Findings of one type are one condition:
 * the messages joined, each once; of status and reason the last.
 */
export function conditionsOf(findings: readonly Finding[], generation: number): readonly WantedCondition[] {
  const byType = new Map<string, Finding[]>();
  for (const finding of findings) {
    const same = byType.get(finding.type);
    if (same === undefined) byType.set(finding.type, [finding]);
    else same.push(finding);
  }
  return [...byType].map(([type, same]) => {
    const { status, reason } = same.at(-1)!;
    const message = [...new Set(same.map((finding) => finding.message))].join(', ');
    return { type, status, reason, message, observedGeneration: generation };
  });
}

/** Adds each default whose type nothing has been said of. */
export function withDefaults(findings: readonly Finding[], defaults: readonly Finding[]): readonly Finding[] {
  const said = new Set(findings.map((finding) => finding.type));
  return [...findings, ...defaults.filter(({ type }) => !said.has(type))];
}
