import { expect, test } from '@jest/globals';
import { jsonLogger } from './json-logger.ts';

function lines(debug: boolean, fields: Readonly<Record<string, unknown>>): readonly string[] {
  const written: string[] = [];
  const log = jsonLogger({ write: (line) => written.push(line), debug, now: () => new Date('2030-01-01T00:00:00Z') });
  log.debug(fields, 'small');
  log.error(fields, 'large');
  return written;
}

test('a line is one JSON object', () => {
  expect(lines(true, { object: 'ns/a' })).toEqual([
    '{"time":"2030-01-01T00:00:00.000Z","level":"debug","msg":"small","object":"ns/a"}\n',
    '{"time":"2030-01-01T00:00:00.000Z","level":"error","msg":"large","object":"ns/a"}\n',
  ]);
});

test('debug lines are left out unless they are asked for', () => {
  expect(lines(false, {})).toHaveLength(1);
});

test('whatever is in the fields, a line is written', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const [line = ''] = lines(false, { error: new Error('outer', { cause: new Error('inner\nline') }), size: 1n, circle });
  expect(JSON.parse(line)).toMatchObject({ error: 'outer: inner\nline', size: '1', circle: { self: '(seen above)' } });
  expect(line.indexOf('\n')).toBe(line.length - 1);
});
