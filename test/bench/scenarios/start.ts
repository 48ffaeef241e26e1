import { type Figures, round } from '../lib/figures.ts';
import type { Session } from '../lib/session.ts';

/**
 * The controller starts on a cluster in which all objects have their status, as after an upgrade, with an Envoy that has nothing: until all
 * hosts answer, and what it takes of memory, at most and once it is at rest.
 */
export async function start(session: Session): Promise<Figures> {
  const { controller, envoy, xdsUpMs } = await session.start();
  const { startedMs } = controller;
  const { firstMs, lastMs } = await session.sweepBase();
  const { cpuMs } = controller.usage;
  await session.settled();
  const [settled, proxy] = [controller.usage, envoy.usage];
  const seconds = (atMs: number): number => round((atMs - startedMs) / 1000);
  return {
    xdsUpSeconds: seconds(xdsUpMs),
    firstHostSeconds: seconds(firstMs),
    allHostsSeconds: seconds(lastMs),
    controllerCpuSeconds: round(cpuMs / 1000),
    peakMiB: round(settled.peakMiB),
    restMiB: round(settled.rssMiB),
    envoyCpuSeconds: round(proxy.cpuMs / 1000),
    envoyMiB: round(proxy.rssMiB),
    statusWrites: [...session.statuses.writes.values()].reduce((sum, count) => sum + count, 0),
  };
}
