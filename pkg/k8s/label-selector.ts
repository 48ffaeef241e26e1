/** `meta/v1` LabelSelector: every part must hold. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values?: readonly string[];
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

/** What is wrong with a selector; `undefined` for a good one. An empty one is good: it selects everything. */
export function labelSelectorProblem(selector: LabelSelector): string | undefined {
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (!operators.includes(operator)) return `"${operator}" is not a valid label selector operator`;
    const takesValues = operator === 'In' || operator === 'NotIn';
    if (takesValues && values.length === 0) return `key "${key}": for operator ${operator} values must not be empty`;
    if (!takesValues && values.length > 0) return `key "${key}": for operator ${operator} values must be empty`;
  }
  return undefined;
}

/** Whether labels satisfy a selector that `labelSelectorProblem` has passed. */
export function labelSelectorMatches(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const has = (key: string): boolean => Object.hasOwn(labels, key);
  const labelsMatch = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => has(key) && labels[key] === value);
  return (
    labelsMatch &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return has(key);
      if (operator === 'DoesNotExist') return !has(key);
      const isIn = has(key) && values.includes(labels[key]!);
      return operator === 'In' ? isIn : !isIn;
    })
  );
}

/** Whether a selector says nothing. */
export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
