import type { MetricsProvider } from './metrics.ts';

/** What a REST client tells of a request that it sent. */
export interface RequestOutcome {
  /** The HTTP method. */
  readonly method: string;
  /** The HTTP status, or `<error>` where no answer came. */
  readonly code: string;
  /** Of the server, with its port. */
  readonly host: string;
  /** As RBAC has it. */
  readonly verb: string;
  /** Until the head of the answer. */
  readonly tookMs: number;
}

/** Told of every request, those that are sent again as well. */
export type RestClientMetrics = (outcome: RequestOutcome) => void;

const latencyBuckets: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** The figures of all REST clients, under the names that client-go gives them. */
export function restClientMetrics(provider: MetricsProvider): RestClientMetrics {
  const requests = provider.counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by status, method and host.',
    labelNames: ['code', 'method', 'host'],
  });
  const seconds = provider.histogram(
    {
      name: 'rest_client_request_duration_seconds',
      help: 'How long the API server took to begin its answer, by verb and host.',
      labelNames: ['verb', 'host'],
    },
    latencyBuckets,
  );
  return ({ method, code, host, verb, tookMs }) => {
    requests.inc({ code, method, host });
    seconds.observe({ verb, host }, tookMs / 1000);
  };
}
