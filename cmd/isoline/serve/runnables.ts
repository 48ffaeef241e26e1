import type { Runnable } from '../../../pkg/controller-runtime/manager/manager.ts';
import type { HttpServer } from '../../../pkg/server/http-server.ts';
import type { XdsServer } from '../../../pkg/server/xds-server.ts';

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Something that is started, told to be ready, and disposed when the signal aborts. */
export function runnableOf(
  name: string,
  { start, dispose }: { readonly start: (signal: AbortSignal) => Promise<void>; readonly dispose: () => Promise<void> },
): Runnable {
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  return {
    name,
    ready,
    run: async (signal) => {
      try {
        await start(signal);
        resolve();
        await aborted(signal);
      } finally {
        await dispose();
      }
    },
  };
}

/** An HTTP server for as long as the process runs. */
export function httpRunnable(server: HttpServer): Runnable {
  return runnableOf('HTTP server', { start: () => server.start(), dispose: () => server[Symbol.asyncDispose]() });
}

/** The xDS server, whose port opens when there is something to serve. */
export function xdsRunnable(server: XdsServer, somethingToServe: Promise<void>): Runnable {
  return runnableOf('xDS server', {
    start: async (signal) => {
      await Promise.race([somethingToServe, aborted(signal)]);
      if (!signal.aborted) await server.start();
    },
    dispose: () => server.stop(),
  });
}
