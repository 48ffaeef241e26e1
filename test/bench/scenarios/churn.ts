import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../lib/clock.ts';
import { Cost, costPerChange, type Stretch } from '../lib/cost.ts';
import { distribution, type Figures, round } from '../lib/figures.ts';
import type { Change, Recorded } from '../lib/prober.ts';
import type { Session } from '../lib/session.ts';
import { addressPair, baseName, collections, endpoints, host } from '../lib/workload.ts';

const drainLimitMs = 120_000;
const controlMs = 10_000;
/** Versions have addresses of their own as far as the block goes. */
const mostVersions = 9_000;

/**
 * The endpoints of one Service change at a steady rate, to addresses that no other version has. How long until a version is served, and
 * which are never seen. A version that a later one overtakes counts when the later one is served; `neverServed` are those after the last
 * one that was.
 */
export async function churn(session: Session): Promise<Figures> {
  const { cluster, prober, settings, stack } = session;
  const { rate, seconds } = settings;
  const versions = Math.min(mostVersions, Math.round(rate * seconds));
  const path = `${collections.slices}/${baseName(0)}`;
  const served = host(baseName(0));
  const cost = new Cost(stack);
  const receivedBefore = await stack.receivedBytes();
  const recording = await prober.record(served);
  const answeredMs: number[] = [];
  const startMs = nowMs();
  for (let version = 0; version < versions; version += 1) {
    await sleep(Math.max(0, startMs + (version * 1000) / rate - nowMs()));
    await cluster.patch(path, { endpoints: endpoints(addressPair('churn', version)) });
    answeredMs.push(nowMs());
  }
  const endMs = nowMs();
  await prober
    .follow({ host: served, wanted: { status: 200, backends: addressPair('churn', versions - 1) }, holdMs: 0, limitMs: drainLimitMs })
    .then(({ result }) => result);
  const drainMs = nowMs() - endMs;
  await sleep(1_000);
  recording.stop();
  const recorded = await recording.result;
  const during = { controllerMs: cost.controllerMs, envoyMs: cost.envoyMs, probes: recorded.probes };
  const receivedBytes = (await stack.receivedBytes()) - receivedBefore;
  await cluster.patch(path, { endpoints: endpoints(addressPair('base', 0)) });
  await sleep(1_000);
  return {
    ratePerSecond: round((versions * 1000) / (endMs - startMs)),
    versions,
    ...latencies(answeredMs, recorded),
    requestErrors: recorded.errors,
    drainMs: round(drainMs),
    ...costPerChange(versions, during, await control(session)),
    xdsBytesPerChange: round(receivedBytes / versions),
  };
}

function latencies(answeredMs: readonly number[], { changes }: Recorded): Figures {
  const versionOf = new Map(
    answeredMs.flatMap((_, version) => addressPair('churn', version).map((address) => [address, version] as const)),
  );
  const found: number[] = [];
  const seen = new Set<number>();
  for (const { backend, atMs } of changes satisfies readonly Change[]) {
    const version = versionOf.get(backend);
    if (version === undefined) continue;
    seen.add(version);
    for (let next = found.length; next <= version; next += 1) found.push(Math.max(0, atMs - (answeredMs[next] ?? atMs)));
  }
  return { ...distribution('latency', found), versionsSeen: seen.size, neverServed: answeredMs.length - found.length };
}

async function control({ prober, stack }: Session): Promise<Stretch> {
  const cost = new Cost(stack);
  const recording = await prober.record(host(baseName(0)));
  await sleep(controlMs);
  recording.stop();
  const { probes } = await recording.result;
  return { controllerMs: cost.controllerMs, envoyMs: cost.envoyMs, probes };
}
