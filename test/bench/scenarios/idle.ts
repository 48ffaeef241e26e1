import { setTimeout as sleep } from 'node:timers/promises';
import { Cost } from '../lib/cost.ts';
import { type Figures, round } from '../lib/figures.ts';
import type { Session } from '../lib/session.ts';

const lengthMs = 30_000;

/** Nothing changes, and nobody asks. */
export async function idle({ stack }: Session): Promise<Figures> {
  const cost = new Cost(stack);
  const receivedBefore = await stack.receivedBytes();
  await sleep(lengthMs);
  return {
    controllerCpuSecondsPerMinute: round((cost.controllerMs / lengthMs) * 60),
    envoyCpuSecondsPerMinute: round((cost.envoyMs / lengthMs) * 60),
    restMiB: round(stack.controller.usage.rssMiB),
    xdsBytes: (await stack.receivedBytes()) - receivedBefore,
  };
}
