import type { KubernetesClientOptions } from '../../config/serve-options.ts';
import type { Credentials } from '../../controller-runtime/client/credentials.ts';
import { CredentialsError } from '../../controller-runtime/client/errors.ts';
import { loadInCluster } from '../../controller-runtime/client/in-cluster.ts';
import { loadKubeconfig } from '../../controller-runtime/client/kubeconfig.ts';
import { RestClient, type ServerState } from '../../controller-runtime/client/rest-client.ts';
import type { RateLimit } from '../../controller-runtime/client/token-bucket.ts';
import { type Clock, systemClock } from '../../controller-runtime/clock/clock.ts';
import type { RestClientMetrics } from '../../controller-runtime/metrics/rest-client-metrics.ts';
import type { Logger } from '../../util/logger.ts';

export interface ConnectionDeps {
  /** The process's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly metrics?: RestClientMetrics;
}

/** Two clients of one API server. */
export interface Connection {
  /** For lists, watches and leases: never held back, since what is served depends on them. */
  readonly reads: RestClient;
  /** For status writes: held to `--kubernetes-client-qps` and `-burst`, if they are set. */
  readonly writes: RestClient;
}

/** What client-go takes where only one of both is set. */
const defaultLimit: RateLimit = { qps: 5, burst: 10 };

/**
 * Reads the credentials; nothing is sent yet.
 * @throws {CredentialsError} naming the file and what is wrong with it
 */
export async function openConnection(options: KubernetesClientOptions, deps: ConnectionDeps): Promise<Connection> {
  const { log, userAgent, clock = systemClock, metrics } = deps;
  const credentials = await loadCredentials(options, deps.environment, clock);
  const limit = limitOf(options);
  const common = { credentials, userAgent, clock, ...(metrics !== undefined && { metrics }) };
  const reads = new RestClient({ ...common, onServerState: stateLogger(credentials.server, log) });
  return { reads, writes: limit === undefined ? reads : new RestClient({ ...common, limit }) };
}

async function loadCredentials(
  options: KubernetesClientOptions,
  environment: ConnectionDeps['environment'],
  clock: Clock,
): Promise<Credentials> {
  if (options.inCluster) return loadInCluster({ environment, clock });
  const home = environment['HOME'];
  const path = options.kubeconfig ?? (home === undefined ? undefined : `${home}/.kube/config`);
  if (path === undefined) throw new CredentialsError('no kubeconfig: --kubeconfig is not given and HOME is not set');
  return loadKubeconfig(path, clock);
}

function limitOf({ qps = 0, burst = 0 }: KubernetesClientOptions): RateLimit | undefined {
  if (qps <= 0 && burst <= 0) return undefined;
  return { qps: qps > 0 ? qps : defaultLimit.qps, burst: burst > 0 ? burst : defaultLimit.burst };
}

/** Says once that the server went, and once that it is back. */
function stateLogger(server: string, log: Logger): (state: ServerState) => void {
  let answered = false;
  let away = false;
  return (state) => {
    if (state.reachable && away) log.info({ server }, 'the API server answers again');
    if (!state.reachable && answered)
      log.warn({ server, error: state.error }, 'the API server does not answer; what is served stays as it is');
    away = !state.reachable && answered;
    answered ||= state.reachable;
  };
}
