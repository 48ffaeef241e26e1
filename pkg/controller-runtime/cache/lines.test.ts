import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { readLines } from './lines.ts';

test('an answer that is closed before its end, without an error, is one that broke', async () => {
  const answer = new PassThrough();
  const lines: string[] = [];
  const read = readLines(answer as unknown as IncomingMessage, (line) => lines.push(line));
  answer.write('one\ntwo\nthr');
  await new Promise((resolve) => setImmediate(resolve));
  answer.destroy();
  await expect(read).rejects.toThrow('the connection was closed');
  expect(lines).toEqual(['one', 'two']);
});

test('an answer that ends has given its whole lines', async () => {
  const answer = new PassThrough();
  const lines: string[] = [];
  const read = readLines(answer as unknown as IncomingMessage, (line) => lines.push(line));
  answer.end('one\ntwo\nthr');
  await read;
  expect(lines).toEqual(['one', 'two']);
});
