import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { stopSignal } from './stop-signal.ts';

test('the first request stops, the second one ends the process', () => {
  const codes: number[] = [];
  const source = Object.assign(new EventEmitter(), { exit: (code: number) => codes.push(code) });
  const signal = stopSignal(source);
  expect(signal.aborted).toBe(false);
  source.emit('SIGTERM');
  expect([signal.aborted, codes]).toEqual([true, []]);
  source.emit('SIGINT');
  expect(codes).toEqual([1]);
});
