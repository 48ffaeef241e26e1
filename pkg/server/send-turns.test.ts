import { expect, test } from '@jest/globals';
import { eventually } from '../../test/lib/eventually.ts';
import { SendTurns } from './send-turns.ts';

const [a, b, c] = [{}, {}, {}];

function taken(options: { maxBytes: number; turnMs?: number }): { turns: SendTurns; begun: string[]; done: (() => void)[] } {
  const turns = new SendTurns({ turnMs: 60_000, ...options });
  const [begun, done]: [string[], (() => void)[]] = [[], []];
  for (const [name, who] of Object.entries({ a, b, c })) {
    turns.take(who, 6, (end) => {
      begun.push(name);
      done.push(end);
    });
  }
  return { turns, begun, done };
}

test('the first begins at once, the others in order as those before them are done', () => {
  const { begun, done } = taken({ maxBytes: 10 });
  expect(begun).toEqual(['a']);
  done[0]?.();
  done[0]?.();
  expect(begun).toEqual(['a', 'b']);
  done[1]?.();
  expect(begun).toEqual(['a', 'b', 'c']);
  done[2]?.();
});

test('who goes while it waits is not called', () => {
  const { turns, begun, done } = taken({ maxBytes: 10 });
  turns.leave(b);
  done[0]?.();
  expect(begun).toEqual(['a', 'c']);
  done[1]?.();
});

test('one that is larger than all that may be on its way begins when it is alone', () => {
  const { begun, done } = taken({ maxBytes: 5 });
  expect(begun).toEqual(['a']);
  for (let i = 0; i < 3; i += 1) done[i]?.();
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('one that does not take what it is sent does not stop the others', async () => {
  const { begun } = taken({ maxBytes: 10, turnMs: 1 });
  await eventually('the others', () => begun.length === 3);
  expect(begun).toEqual(['a', 'b', 'c']);
});
