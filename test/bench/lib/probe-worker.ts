/** A thread that asks Envoy, so that nothing else that the benchmark does delays what it sees. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { nowMs } from './clock.ts';
import { HttpProbe, isWanted } from './http-probe.ts';
import type { Change, Followed, FollowOrder, ProbeOrder, ProbeReport, Recorded, RecordOrder, SweepOrder, Swept } from './prober.ts';

const everyMs = 1;
const stopped = new Set<number>();

function report(message: ProbeReport): void {
  parentPort?.postMessage(message);
}

/** Calls `look` with an answer every millisecond until it says that it has seen enough. */
async function watch(host: string, look: (answer: Awaited<ReturnType<HttpProbe['ask']>>, atMs: number) => boolean): Promise<void> {
  const probe = new HttpProbe();
  for (;;) {
    const askedMs = nowMs();
    const answer = await probe.ask(host);
    const atMs = nowMs();
    if (look(answer, atMs)) break;
    if (atMs - askedMs < everyMs) await sleep(everyMs);
  }
  probe.close();
}

async function follow({ id, host, wanted, holdMs, limitMs }: FollowOrder): Promise<Followed> {
  const endMs = nowMs() + limitMs;
  let [probes, rightMs, errorsBefore, errorsAfter] = [0, Number.NaN, 0, 0];
  await watch(host, (answer, atMs) => {
    if (probes === 0) report({ id, type: 'started' });
    probes += 1;
    const right = isWanted(answer, wanted);
    if (Number.isNaN(rightMs)) {
      if (right) rightMs = atMs;
      else if (answer.status === 0 || answer.status >= 500) errorsBefore += 1;
    } else if (!right) errorsAfter += 1;
    return atMs >= endMs || atMs - rightMs >= holdMs;
  });
  return { probes, rightMs, errorsBefore, errorsAfter };
}

async function record({ id, host }: RecordOrder): Promise<Recorded> {
  const changes: Change[] = [];
  let [probes, errors, last] = [0, 0, ''];
  await watch(host, ({ status, backend = '' }, atMs) => {
    if (probes === 0) report({ id, type: 'started' });
    probes += 1;
    if (status !== 200) errors += 1;
    else if (backend !== last) changes.push({ atMs, backend });
    if (status === 200) last = backend;
    return stopped.delete(id);
  });
  return { probes, errors, changes };
}

/** Asks for each host until it is answered right; the last of them is right at `lastMs`. */
async function sweep({ hosts, connections, limitMs }: SweepOrder): Promise<Swept> {
  const endMs = nowMs() + limitMs;
  let [next, firstMs, lastMs, missing] = [0, Number.NaN, Number.NaN, 0];
  const work = async (): Promise<void> => {
    const probe = new HttpProbe();
    for (let one = hosts[next++]; one !== undefined; one = hosts[next++]) {
      let right = isWanted(await probe.ask(one.host), one.wanted);
      while (!right && nowMs() < endMs) {
        await sleep(2);
        right = isWanted(await probe.ask(one.host), one.wanted);
      }
      lastMs = nowMs();
      if (Number.isNaN(firstMs)) firstMs = lastMs;
      if (!right) missing += 1;
    }
    probe.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return { firstMs, lastMs, missing };
}

async function carryOut(order: Exclude<ProbeOrder, { readonly do: 'stop' }>): Promise<void> {
  const result = await (order.do === 'follow' ? follow(order) : order.do === 'record' ? record(order) : sweep(order));
  report({ id: order.id, type: 'done', result });
}

parentPort?.on('message', (order: ProbeOrder) => {
  if (order.do === 'stop') stopped.add(order.id);
  else void carryOut(order);
});
