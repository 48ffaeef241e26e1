import type { Registry } from 'prom-client';
import type { AddressPort, TlsFiles } from '../config/config.ts';
import { errorMessage } from '../util/error-text.ts';
import type { Logger } from '../util/logger.ts';
import { type Handler, HttpServer, type HttpServerOptions, type Routes } from './http-server.ts';

/** Says whether all is well; throws or rejects with the reason where it is not. */
export type Check = (signal: AbortSignal) => void | Promise<void>;

export interface HttpServersOptions {
  readonly metrics: AddressPort & { readonly tls?: TlsFiles };
  readonly health: AddressPort;
  readonly debug: AddressPort;
  readonly registry: Registry;
  /** `/health` and `/healthz`: whether what we depend on answers. */
  readonly healthy: Check;
  /** `/readyz`: whether we serve. */
  readonly ready: Check;
  readonly debugRoutes: Routes;
  readonly log: Logger;
}

/**
 * The HTTP servers of `serve`: metrics, health, debug. Metrics and health share a server where their address and port are the same.
 * Paths and defaults are Contour's.
 */
export function httpServers({
  metrics,
  health,
  debug,
  registry,
  healthy,
  ready,
  debugRoutes,
  log,
}: HttpServersOptions): readonly HttpServer[] {
  const metricsRoutes: Routes = { '/metrics': async () => ({ contentType: registry.contentType, body: await registry.metrics() }) };
  const healthRoutes: Routes = { '/health': answerCheck(healthy), '/healthz': answerCheck(healthy), '/readyz': answerCheck(ready) };
  const shared = metrics.address === health.address && metrics.port === health.port && metrics.port !== 0;
  const servers: readonly HttpServerOptions[] = shared
    ? [{ name: 'metrics and health', ...metrics, routes: { ...metricsRoutes, ...healthRoutes }, log }]
    : [
        { name: 'metrics', ...metrics, routes: metricsRoutes, log },
        { name: 'health', ...health, routes: healthRoutes, log },
      ];
  return [...servers, { name: 'debug', ...debug, routes: debugRoutes, log }].map((options) => new HttpServer(options));
}

function answerCheck(check: Check): Handler {
  return async (_, signal) => {
    try {
      await check(signal);
      return { body: 'OK' };
    } catch (error) {
      return { status: 503, body: `${errorMessage(error)}\n` };
    }
  };
}
