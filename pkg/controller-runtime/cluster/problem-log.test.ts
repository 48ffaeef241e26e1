import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Logger } from '../../util/logger.ts';
import { ApiError, UnreachableError } from '../client/errors.ts';
import { problemLog, serverStateLog } from './problem-log.ts';

let lines: string[];
let log: Logger;

beforeEach(() => {
  lines = [];
  const line = (level: string) => (_: unknown, message: string) => lines.push(`${level} ${message}`);
  log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
});

const selectionIn = (namespace: string) => ({
  kind: { kind: 'Widget', group: 'example.com', version: 'v1', plural: 'widgets', namespaced: true },
  namespace,
});
const forbidden = (verb: string) => new ApiError({ verb, resource: 'widgets', group: 'example.com' }, 403, {});

describe('the log of what keeps kinds from being current', () => {
  test('tells once of a kind that is missing, in however many namespaces, and once when it is there', () => {
    const tell = problemLog(log);
    const missing = (namespace: string) =>
      ({ type: 'missing', selection: selectionIn(namespace), error: new Error(`not installed in ${namespace}`) }) as const;
    for (const namespace of ['a', 'b']) tell(missing(namespace));
    for (const namespace of ['a', 'b']) tell({ type: 'found', selection: selectionIn(namespace) });
    tell(missing('a'));
    const counts = 'info the kind cannot be read and counts as empty until it is there';
    expect(lines).toEqual([counts, 'info the kind is there now', counts]);
  });

  test('tells once of the same refusal, and again of another', () => {
    const tell = problemLog(log);
    for (const verb of ['list', 'list', 'watch']) tell({ type: 'retry', selection: selectionIn(''), error: forbidden(verb), delayMs: 1 });
    expect(lines).toEqual(Array.from({ length: 2 }, () => 'error the kind cannot be read; it is tried again and again'));
  });

  test('tells once in each namespace, however often they take turns', () => {
    const tell = problemLog(log);
    for (const namespace of ['a', 'b', 'a', 'b'])
      tell({ type: 'retry', selection: selectionIn(namespace), error: forbidden(`list in ${namespace}`), delayMs: 1 });
    expect(lines).toHaveLength(2);
  });

  test('does not make a fault of a connection that was cut', () => {
    problemLog(log)({
      type: 'retry',
      selection: selectionIn(''),
      error: new UnreachableError('https://test', new Error('cut')),
      delayMs: 1,
    });
    expect(lines).toEqual(['debug a list or watch was cut']);
  });

  test('tells of each object that could not be taken over', () => {
    const tell = problemLog(log);
    for (const name of ['a', 'b']) tell({ type: 'object', selection: selectionIn(''), name, error: new Error('bad') });
    expect(lines).toEqual(Array.from({ length: 2 }, () => 'error an object could not be taken over'));
  });
});

test('that the API server is away is told once, and that it is back once', () => {
  const tell = serverStateLog('https://test', log);
  const error = new UnreachableError('https://test', new Error('cut'));
  tell({ reachable: true });
  for (const reachable of [false, true] as const) tell(reachable ? { reachable } : { reachable, error });
  expect(lines).toEqual(['warn the API server does not answer; it is tried again and again', 'info the API server answers again']);
});
