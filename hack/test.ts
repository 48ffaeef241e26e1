/**
 * Runs the test suites one after the other, all of them even where one fails, and says at the end how many tests
 * passed, failed and were skipped. Each suite is a run of jest of its own, because they want different numbers of
 * workers: the machine may be small, and some start an API server or an Envoy.
 *
 * Usage: node hack/test.ts [SUITE...] [-- JEST ARGUMENT...]     default: all suites that are not slow
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Suite {
  readonly name: string;
  /** What jest is told to pick the tests. */
  readonly select: readonly string[];
  readonly workers: string;
  /** Runs only when it is named: it takes many minutes. */
  readonly slow?: true;
  /** What jest is started by. */
  readonly wrapper?: string;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A suite that takes longer hangs: it is ended, and counts as one failure. */
const suiteTimeoutMs = 20 * 60_000;

const root = dirname(import.meta.dirname);
const resultsDir = join(root, '.cache/test-results');

const folders = ['property', 'feature', 'envoy', 'apiserver'] as const;
const never = ['/node_modules/', '/dist/', '/.cache/'];
const slowFile = '[.]slow[.]test[.]ts$';
const ignore = (patterns: readonly string[]) => patterns.map((pattern) => `--testPathIgnorePatterns=${pattern}`);
const notUnit = [...never, '/test/faults/', '/test/behaviour/', ...folders.map((name) => `/test/${name}/`)];
const suites: readonly Suite[] = [
  // Everything that is in none of the folders: what stands beside the code that it tests.
  { name: 'unit', select: ignore(notUnit), workers: '100%' },
  ...folders.map((name) => ({ name, select: [`--roots=<rootDir>/test/${name}`], workers: '1' })),
  { name: 'behaviour', select: ['--roots=<rootDir>/test/behaviour'], workers: '1', wrapper: 'test/behaviour/run-isolated.sh' },
  { name: 'faults', select: ['--roots=<rootDir>/test/faults', ...ignore([...never, slowFile])], workers: '1' },
  { name: 'slow-faults', select: ['--roots=<rootDir>/test/faults', `--testPathPatterns=${slowFile}`], workers: '1', slow: true },
];

function runSuite(suite: Suite, jestArguments: readonly string[]): Counts {
  console.log(`\n# ${suite.name} tests`);
  const resultFile = join(resultsDir, `${suite.name}.json`);
  const [program = '', ...first] = [...(suite.wrapper === undefined ? [] : [suite.wrapper]), process.execPath];
  const jest = spawnSync(
    program,
    [
      ...first,
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'],
      ...jestArguments, // first: after an option that takes a list, jest takes a path for one more item of it
      ...[`--maxWorkers=${suite.workers}`, '--passWithNoTests', '--json', '--outputFile', resultFile],
      ...suite.select,
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], timeout: suiteTimeoutMs, killSignal: 'SIGKILL' },
  );
  const counts = readCounts(resultFile);
  // A run that ended badly although no test failed: it crashed, hung, or could not load a file.
  return jest.status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function readCounts(resultFile: string): Counts {
  let text: string;
  try {
    text = readFileSync(resultFile, 'utf8');
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }; // jest did not get as far as writing it
  }
  const result = JSON.parse(text) as Record<`num${string}`, number>;
  return {
    passed: result['numPassedTests'] ?? 0,
    failed: (result['numFailedTests'] ?? 0) + (result['numRuntimeErrorTestSuites'] ?? 0),
    skipped: (result['numPendingTests'] ?? 0) + (result['numTodoTests'] ?? 0),
  };
}

const argumentsEnd = process.argv.indexOf('--');
const names = process.argv.slice(2, argumentsEnd === -1 ? undefined : argumentsEnd);
const jestArguments = argumentsEnd === -1 ? [] : process.argv.slice(argumentsEnd + 1);
const unknown = names.find((name) => !suites.some((suite) => suite.name === name));
if (unknown !== undefined) {
  console.error(`hack/test.ts: no suite ${unknown}; one of ${suites.map((suite) => suite.name).join(', ')}`);
  process.exit(2);
}

rmSync(resultsDir, { recursive: true, force: true });
mkdirSync(resultsDir, { recursive: true });
const chosen = names.length === 0 ? suites.filter(({ slow }) => slow !== true) : suites.filter((suite) => names.includes(suite.name));
const total = chosen
  .map((suite) => runSuite(suite, jestArguments))
  .reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }));
const summary = `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`;
writeFileSync(join(resultsDir, 'summary'), `${summary}\n`);
console.log(`\n${summary}`);
const left = suites.filter((suite) => !chosen.includes(suite)).map(({ name }) => name);
if (names.length === 0 && left.length > 0) console.error(`not run, because they take many minutes: ${left.join(', ')} (make test-faults)`);
process.exitCode = total.failed === 0 ? 0 : 1;
