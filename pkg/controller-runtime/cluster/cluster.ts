import type { Logger } from '../../util/logger.ts';
import { Cache } from '../cache/cache.ts';
import type { Informer, InformerOptions } from '../cache/informer.ts';
import { Client } from '../client/client.ts';
import type { Credentials } from '../client/credentials.ts';
import type { KubeObject, ResourceKind } from '../client/object.ts';
import { RestClient } from '../client/rest-client.ts';
import type { RateLimit } from '../client/token-bucket.ts';
import { waitForServer } from '../client/wait-for-server.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { Runnable } from '../manager/manager.ts';
import { type MetricsProvider, noMetrics } from '../metrics/metrics.ts';
import { restClientMetrics } from '../metrics/rest-client-metrics.ts';
import { builtInScheme, type Scheme } from '../scheme/scheme.ts';
import { CachedClient } from './cached-client.ts';
import { problemLog, serverStateLog } from './problem-log.ts';

export interface ClusterOptions {
  readonly credentials: Credentials;
  readonly log: Logger;
  /** Default: the kinds that every cluster has. */
  readonly scheme?: Scheme;
  /** What informers watch unless they are told otherwise. Default: all namespaces. */
  readonly namespaces?: readonly string[];
  /** For writes and for reads past the cache. Default: no limit; the server's own fairness applies. Never for watches and leases. */
  readonly limit?: RateLimit;
  /** Default: `controller-runtime`. */
  readonly userAgent?: string;
  /** Default: none. */
  readonly metrics?: MetricsProvider;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** For jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Everything that one API server is used for: connection, scheme, cache and client. Add it to a manager's group `cache`;
 * nothing is sent before it runs. `ready` resolves when every informer that was asked for until then has synced.
 */
export class Cluster implements Runnable {
  readonly name = 'cluster';
  readonly scheme: Scheme;
  readonly cache: Cache;
  /** Reads from the cache, writes to the server. */
  readonly client: CachedClient;
  /** For leases, which no limit may hold back. */
  readonly unlimited: Client;
  readonly #waiting: Parameters<typeof waitForServer>[1];
  readonly #answered = Promise.withResolvers<void>();

  constructor(options: ClusterOptions) {
    const { credentials, limit, userAgent, metrics = noMetrics, log, scheme, clock = systemClock, random = Math.random } = options;
    this.#waiting = { log, clock, random };
    this.scheme = scheme ?? builtInScheme();
    const common = { credentials, clock, metrics: restClientMetrics(metrics), ...(userAgent !== undefined && { userAgent }) };
    const rest = new RestClient({ ...common, onServerState: serverStateLog(credentials.server, log) });
    this.unlimited = new Client(rest);
    const live = limit === undefined ? this.unlimited : new Client(new RestClient({ ...common, limit }));
    const { namespaces = [] } = options;
    this.cache = new Cache({ rest, clock, random, namespaces, onProblem: problemLog(log) });
    this.client = new CachedClient({ cache: this.cache, live, clock });
  }

  /** Resolves when the API server has answered and every informer that was asked for until then has synced. */
  get ready(): Promise<void> {
    return this.#answered.promise.then(() => this.cache.synced());
  }

  /**
   * The informer of a kind, to index it or to watch it with a controller. May be asked for at any time; the options
   * count the first time.
   */
  informer<T extends KubeObject>(kind: ResourceKind, options: InformerOptions<T> = {}): Informer<T> {
    return this.cache.informer<T>(kind, options);
  }

  /** Waits for the API server, then keeps the cache current until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await waitForServer(this.unlimited.rest, this.#waiting, signal);
    const run = this.cache.run(signal);
    this.#answered.resolve();
    await run;
    for (const { rest } of new Set([this.unlimited, this.client.live])) rest.close();
  }
}
