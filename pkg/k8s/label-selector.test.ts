import { describe, expect, test } from '@jest/globals';
import { isEmptySelector, type LabelSelector, labelSelectorMatches, labelSelectorProblem } from './label-selector.ts';

const labels = { team: 'a', tier: 'web' };
const expression = (operator: string, key: string, ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }],
});

describe('labelSelectorMatches', () => {
  const cases: readonly { selector: LabelSelector; want: boolean }[] = [
    { selector: {}, want: true },
    { selector: { matchLabels: { team: 'a' } }, want: true },
    { selector: { matchLabels: { team: 'b' } }, want: false },
    { selector: { matchLabels: { toString: '' } }, want: false },
    { selector: { matchLabels: { team: 'a' }, ...expression('In', 'tier', 'db') }, want: false },
    { selector: expression('In', 'tier', 'db', 'web'), want: true },
    { selector: expression('In', 'none', 'web'), want: false },
    { selector: expression('NotIn', 'tier', 'db'), want: true },
    { selector: expression('NotIn', 'none', 'db'), want: true },
    { selector: expression('NotIn', 'tier', 'web'), want: false },
    { selector: expression('Exists', 'team'), want: true },
    { selector: expression('Exists', 'none'), want: false },
    { selector: expression('DoesNotExist', 'none'), want: true },
    { selector: expression('DoesNotExist', 'team'), want: false },
  ];
  test.each(cases)('$selector: $want', ({ selector, want }) => {
    expect(labelSelectorMatches(selector, labels)).toBe(want);
  });
});

describe('labelSelectorProblem', () => {
  test('a good selector has none', () => {
    expect(labelSelectorProblem({ matchLabels: { a: 'b' }, ...expression('In', 'a', 'b') })).toBeUndefined();
  });

  test.each([
    [expression('Like', 'a', 'b'), '"Like"'],
    [expression('In', 'a'), 'values must not be empty'],
    [expression('Exists', 'a', 'b'), 'values must be empty'],
  ])('%j is refused', (selector, want) => {
    expect(labelSelectorProblem(selector)).toContain(want);
  });
});

test('a selector is empty when it says nothing', () => {
  expect(isEmptySelector({ matchLabels: {}, matchExpressions: [] })).toBe(true);
  expect(isEmptySelector(expression('Exists', 'a'))).toBe(false);
});
