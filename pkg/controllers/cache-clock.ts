import type { Clock } from '../controller-runtime/clock/clock.ts';
import type { Runnable } from '../controller-runtime/manager/manager.ts';
import type { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';

/** Certificates run out while nothing changes: the cache is told the time at least so often. */
const timeStepMs = 60_000;

/** Tells the KubernetesCache the time, at the moments that builds wait for. It begins before the first build. */
export function cacheClock(cache: Pick<KubernetesCache, 'advance' | 'nextMoment'>, clock: Clock): Runnable {
  cache.advance(clock.date().getTime());
  return {
    name: 'clock of the cache',
    run: async (signal) => {
      while (!signal.aborted) {
        const untilNextMs = (cache.nextMoment() ?? Number.POSITIVE_INFINITY) - clock.date().getTime();
        await clock.sleep(Math.min(Math.max(untilNextMs, 0), timeStepMs), signal);
        cache.advance(clock.date().getTime());
      }
    },
  };
}
