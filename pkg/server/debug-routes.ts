import { Session } from 'node:inspector/promises';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSnapshot } from 'node:v8';
import type { Dag } from '../dag/model/dag.ts';
import { dagToDot } from './dag-dot.ts';
import type { Reply, Routes } from './http-server.ts';

const maxProfileSeconds = 120;
const defaultProfileSeconds = 30;

/**
 * What the debug server answers. `/debug/dag` is Graphviz, `?format=yaml` and `?format=json` all of it with keys redacted;
 * the profiles open in the developer tools of a browser.
 */
export function debugRoutes({ dag }: { readonly dag: () => Dag }): Routes {
  return {
    '/debug/dag': (query) => dagReply(dag(), query.get('format') ?? 'dot'),
    '/debug/pprof/heap': async () => ({ contentType: 'application/json', body: await buffer(getHeapSnapshot()) }),
    '/debug/pprof/profile': (query, signal) => cpuProfile(query.get('seconds'), signal),
  };
}

/** What prints is loaded when it is first asked for: it is a third of what the process would load at its start. */
async function dagReply(dag: Dag, format: string): Promise<Reply> {
  if (format === 'dot') return { contentType: 'text/vnd.graphviz; charset=utf-8', body: dagToDot(dag) };
  if (format !== 'json' && format !== 'yaml') return { status: 400, body: 'format must be dot, yaml or json\n' };
  const { printableDag } = await import('../pipeline/print.ts');
  const printed = printableDag(dag);
  if (format === 'json') return { contentType: 'application/json', body: JSON.stringify(printed) };
  const { stringify } = await import('yaml');
  return { contentType: 'application/yaml; charset=utf-8', body: stringify(printed, { aliasDuplicateObjects: false }) };
}

async function cpuProfile(asked: string | null, signal: AbortSignal): Promise<Reply> {
  const seconds = asked === null ? defaultProfileSeconds : Number(asked);
  if (!(seconds > 0 && seconds <= maxProfileSeconds)) return { status: 400, body: `seconds must be a number up to ${maxProfileSeconds}\n` };
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined);
    const { profile } = await session.post('Profiler.stop');
    return { contentType: 'application/json', body: JSON.stringify(profile) };
  } finally {
    session.disconnect();
  }
}
