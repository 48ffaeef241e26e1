import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { WantedStatus } from '../../status/wanted.ts';
import { silentLogger } from '../../util/logger.ts';
import { FileStatusWriter, type FileStatusWriterOptions } from './status-writer.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'isoline-status-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const condition = (status: 'True' | 'False', observedGeneration: number) => ({
  type: 'Valid',
  status,
  reason: 'R',
  message: 'because',
  observedGeneration,
});
const wanted = (name: string, status: 'True' | 'False', generation = 1): WantedStatus => ({
  object: { kind: 'HTTPProxy', namespace: 'n', name },
  generation,
  status: { conditions: [condition(status, generation)], currentStatus: status === 'True' ? 'valid' : 'invalid' },
});

async function writer(
  options: Partial<FileStatusWriterOptions> = {},
): Promise<{ readonly writer: FileStatusWriter; readonly lines: string[] }> {
  const lines: string[] = [];
  const made = new FileStatusWriter({
    write: (text) => void lines.push(text),
    format: 'text',
    addresses: [],
    controllerName: 'c',
    now: () => new Date(0),
    log: silentLogger,
    ...options,
  });
  await made.start();
  return { writer: made, lines };
}

const statusOf = async (file: string): Promise<unknown> => (parse(await readFile(join(dir, file), 'utf8')) as { status: unknown }).status;

describe('a folder', () => {
  test('has a file for each object, with times that move with the status alone', async () => {
    const { writer: first } = await writer({ dir, addresses: [{ ip: '192.0.2.1' }] });
    first.want([wanted('a', 'True')]);
    await first.flush();
    expect(await readdir(dir)).toEqual(['HTTPProxy_n_a.yaml']);
    expect(await statusOf('HTTPProxy_n_a.yaml')).toEqual({
      conditions: [{ ...condition('True', 1), lastTransitionTime: '1970-01-01T00:00:00Z' }],
      currentStatus: 'valid',
      loadBalancer: { ingress: [{ ip: '192.0.2.1' }] },
    });

    const { writer: second } = await writer({ dir, now: () => new Date(60_000) });
    second.want([wanted('a', 'True', 2)]);
    await second.flush();
    expect(await statusOf('HTTPProxy_n_a.yaml')).toMatchObject({
      conditions: [{ observedGeneration: 2, lastTransitionTime: '1970-01-01T00:00:00Z' }],
    });
    second.want([wanted('a', 'False', 3)]);
    await second.flush();
    expect(await statusOf('HTTPProxy_n_a.yaml')).toMatchObject({
      conditions: [{ status: 'False', lastTransitionTime: '1970-01-01T00:01:00Z' }],
    });
  });

  test('loses the files of objects that are gone, now or since the last run, and no other', async () => {
    const { writer: first } = await writer({ dir });
    first.want([wanted('a', 'True'), wanted('b', 'True'), wanted('c', 'True')]);
    first.forget({ kind: 'HTTPProxy', namespace: 'n', name: 'c' });
    await first.flush();
    await writeFile(join(dir, 'mine.yaml'), 'kind: X\n');
    const { writer: second } = await writer({ dir });
    second.want([wanted('b', 'True')]);
    await second.flush();
    expect((await readdir(dir)).sort()).toEqual(['HTTPProxy_n_b.yaml', 'mine.yaml']);
  });
});

describe('without a folder', () => {
  test('a status that is new is a line, one that only speaks of a newer generation is none', async () => {
    const { writer: made, lines } = await writer();
    made.want([wanted('a', 'True')]);
    made.want([wanted('a', 'True', 2)]);
    made.want([wanted('a', 'False', 3)]);
    expect(lines).toEqual(['HTTPProxy n/a: Valid\n', 'HTTPProxy n/a: not Valid (R): because\n']);
  });

  test('JSON lines have the whole status', async () => {
    const { writer: made, lines } = await writer({ format: 'json' });
    made.want([wanted('a', 'True')]);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      kind: 'HTTPProxy',
      namespace: 'n',
      name: 'a',
      generation: 1,
      status: { currentStatus: 'valid' },
    });
  });

  test('parents and errors are told', async () => {
    const { writer: made, lines } = await writer();
    const error = { type: 'ServiceError', reason: 'ServiceUnresolvedReference', status: 'True', message: 'no such Service' };
    made.want([
      {
        object: { kind: 'HTTPProxy', namespace: 'n', name: 'a' },
        generation: 1,
        status: { conditions: [{ ...condition('False', 1), errors: [error] }] },
      },
      {
        object: { kind: 'HTTPRoute', namespace: 'n', name: 'r' },
        generation: 1,
        status: {
          parents: [{ parentRef: { name: 'gw' }, controllerName: 'c', conditions: [{ ...condition('True', 1), type: 'Accepted' }] }],
        },
      },
    ]);
    expect(lines).toEqual([
      'HTTPProxy n/a: not Valid (R): ServiceError/ServiceUnresolvedReference: no such Service\n',
      'HTTPRoute n/r: parent gw: Accepted\n',
    ]);
  });
});
