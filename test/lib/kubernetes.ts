import { Client } from '../../pkg/controller-runtime/client/client.ts';
import type { Credentials } from '../../pkg/controller-runtime/client/credentials.ts';
import { RestClient } from '../../pkg/controller-runtime/client/rest-client.ts';
import { type Clock, systemClock } from '../../pkg/controller-runtime/clock/clock.ts';

/** A client of a plain HTTP server, such as the fault proxy. */
export function plainClient(server: string, clock: Clock = systemClock, token?: string): Client {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const authorization = { headers, tls: {} };
  const credentials: Credentials = { server, authorize: async () => authorization };
  return new Client(new RestClient({ credentials, clock }));
}

/** The system's clock, on which sleeps are a hundred times shorter: back-off happens, but no test waits for it. */
export const fastClock: Clock = {
  ...systemClock,
  sleep: (delayMs, signal) => systemClock.sleep(delayMs / 100, signal),
};
