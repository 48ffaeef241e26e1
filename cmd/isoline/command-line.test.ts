import { beforeEach, describe, expect, test } from '@jest/globals';
import { type CommandDefinition, parseCommandLine, UsageError } from './command-line.ts';

const definition: CommandDefinition = {
  name: 'try',
  summary: 'Try things.',
  arguments: [{ name: '[files...]', help: 'Files.' }],
  flags: [
    { flag: 'debug', short: 'd', help: 'A switch.' },
    { flag: 'config-path', short: 'c', placeholder: 'FILE', help: 'A value.' },
    { flag: 'from-env', placeholder: 'FILE', env: 'ISOLINE_TEST_FROM_ENV', help: 'From the environment.' },
    { flag: 'file', placeholder: 'FILE', repeatable: true, help: 'Many values.' },
  ],
};

let written: { stdout: string; stderr: string };
const output = {
  stdout: (text: string): void => {
    written.stdout += text;
  },
  stderr: (text: string): void => {
    written.stderr += text;
  },
};
beforeEach(() => {
  written = { stdout: '', stderr: '' };
  delete process.env['ISOLINE_TEST_FROM_ENV'];
});

const parse = (...argv: string[]) => parseCommandLine(definition, argv, output);

describe('parseCommandLine', () => {
  const good: readonly { argv: string[]; flags: object; args?: string[] }[] = [
    { argv: [], flags: {} },
    { argv: ['--debug'], flags: { debug: true } },
    { argv: ['-d'], flags: { debug: true } },
    { argv: ['--debug=true'], flags: { debug: true } },
    { argv: ['-d=1'], flags: { debug: true } },
    { argv: ['--debug=false'], flags: { debug: false } },
    { argv: ['--no-debug'], flags: { debug: false } },
    { argv: ['--debug', '--debug=false'], flags: { debug: false } },
    { argv: ['--debug', 'a.yaml'], flags: { debug: true }, args: ['a.yaml'] },
    { argv: ['--config-path', 'x'], flags: { 'config-path': 'x' } },
    { argv: ['--config-path=x=y'], flags: { 'config-path': 'x=y' } },
    { argv: ['-c', 'x'], flags: { 'config-path': 'x' } },
    { argv: ['-cx'], flags: { 'config-path': 'x' } },
    { argv: ['--config-path=-1'], flags: { 'config-path': '-1' } },
    { argv: ['--config-path='], flags: { 'config-path': '' } },
    { argv: ['--file', 'a', '--file=b'], flags: { file: ['a', 'b'] } },
    { argv: ['-', 'x', '--debug'], flags: { debug: true }, args: ['-', 'x'] },
    { argv: ['--', '--debug=true'], flags: {}, args: ['--debug=true'] },
  ];
  test.each(good)('$argv', ({ argv, flags, args = [] }) => {
    expect(parse(...argv)).toEqual({ flags, args });
  });

  test('a variable stands in for a flag, which beats it', () => {
    process.env['ISOLINE_TEST_FROM_ENV'] = 'env';
    expect(parse().flags).toEqual({ 'from-env': 'env' });
    expect(parse('--from-env=flag').flags).toEqual({ 'from-env': 'flag' });
  });

  test.each([['--nope'], ['-x'], ['--config-path'], ['--debug=maybe'], ['--deb']])(
    '%s is exit code 2, with the usage on standard error',
    (...argv) => {
      let thrown: unknown;
      try {
        parse(...argv);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(UsageError);
      expect(thrown).toMatchObject({ exitCode: 2 });
      expect(written.stderr).toMatch(/^isoline: error: /);
      expect(written.stderr).toContain('Usage: isoline try');
      expect(written.stdout).toBe('');
    },
  );

  test('help is on standard output, with exit code 0, and shows no doubles', () => {
    expect(() => parse('--help')).toThrow(expect.objectContaining({ exitCode: 0 }));
    expect(written.stdout).toContain('--config-path <FILE>');
    expect(written.stdout).not.toContain('--no-debug');
    expect(written.stderr).toBe('');
  });
});
