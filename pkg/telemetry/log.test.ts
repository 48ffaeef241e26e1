import { describe, expect, test } from '@jest/globals';
import { createLogger, type LogOptions } from './log.ts';

function logged(options: Omit<LogOptions, 'write' | 'clock'>, say: (log: ReturnType<typeof createLogger>) => void): readonly string[] {
  const lines: string[] = [];
  say(createLogger({ ...options, write: (line) => void lines.push(line), clock: () => 0 }));
  return lines;
}

describe('text', () => {
  test('a line has time, level, message and fields', () => {
    const lines = logged({ format: 'text', debug: false }, (log) =>
      log.info({ kind: 'HTTPProxy', name: 'a b', n: 3, none: undefined, list: ['x'] }, 'built'),
    );
    expect(lines).toEqual(['1970-01-01T00:00:00.000Z INFO  built kind=HTTPProxy name="a b" n=3 list=["x"]\n']);
  });

  test('no text of a user can forge a line', () => {
    const [line] = logged({ format: 'text', debug: false }, (log) => log.warn({ name: 'a\nb' }, 'x\r\n1970 ERROR y'));
    expect(line?.trimEnd().split('\n')).toHaveLength(1);
    expect(line).not.toContain('\r');
  });

  test('an error shows its causes', () => {
    const error = new Error('outer', { cause: new Error('inner') });
    expect(logged({ format: 'text', debug: false }, (log) => log.error({ error }, 'x'))[0]).toContain('error="outer: inner"');
  });

  test('a value that refers to itself is no fault', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(logged({ format: 'text', debug: false }, (log) => log.info({ circle }, 'x'))).toHaveLength(1);
  });
});

describe('json', () => {
  test('a line is one object', () => {
    const [line = ''] = logged({ format: 'json', debug: false }, (log) => log.error({ error: new Error('no'), name: 'a' }, 'failed'));
    expect(JSON.parse(line)).toEqual({ level: 'error', time: '1970-01-01T00:00:00.000Z', error: 'no', name: 'a', msg: 'failed' });
  });
});

test.each(['text', 'json'] as const)('debug lines of %s are written only when asked for', (format) => {
  const say = (log: ReturnType<typeof createLogger>): void => log.debug({}, 'x');
  expect(logged({ format, debug: false }, say)).toHaveLength(0);
  expect(logged({ format, debug: true }, say)).toHaveLength(1);
});
