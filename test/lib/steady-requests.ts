/** Requests that go on while something is done, and what came of them. */
import { type Ask, get } from './http-client.ts';

export interface SteadyAnswers {
  readonly requests: number;
  /** What was not status 200, by what it was and how often. */
  readonly failures: Readonly<Record<string, number>>;
  /** Who answered, by the name of the backend. */
  readonly services: ReadonlySet<string>;
}

/** Sends these requests one after another, each by a few clients of its own, as long as `work` takes. */
export async function requestsDuring(asks: readonly Ask[], work: () => Promise<void>, clients = 2): Promise<SteadyAnswers> {
  const failures: Record<string, number> = {};
  const services = new Set<string>();
  let requests = 0;
  let going = true;
  const ask = async (one: Ask): Promise<void> => {
    while (going) {
      const outcome = await outcomeOf(one);
      requests += 1;
      if (outcome.ok) services.add(outcome.service);
      else failures[outcome.failure] = (failures[outcome.failure] ?? 0) + 1;
    }
  };
  const asking = asks.flatMap((one) => Array.from({ length: clients }, () => ask(one)));
  try {
    await work();
  } finally {
    going = false;
    await Promise.all(asking);
  }
  return { requests, failures, services };
}

async function outcomeOf(
  ask: Ask,
): Promise<{ readonly ok: true; readonly service: string } | { readonly ok: false; readonly failure: string }> {
  const answer = await get(ask).catch((error: unknown) => String(error));
  if (typeof answer !== 'string' && answer.status === 200) return { ok: true, service: answer.json()['service'] ?? '' };
  const what = typeof answer === 'string' ? answer : `${answer.status} ${answer.body}`;
  return { ok: false, failure: `${ask.sni === undefined ? 'http' : 'https'}://${ask.host} ${what}` };
}
