import { boolean, integer, list, object, oneOf, optional, type Static, string } from '../../../schema/builder.ts';
import { timeoutPattern } from './patterns.ts';

/** Timeouts towards backends. */
export const timeoutPolicySchema = object('How long things may take. Each is a duration such as `1m30s`, or `infinity` for no limit.', {
  response: optional(string('From the end of the request to the end of the response. Default: 15 seconds.', { pattern: timeoutPattern })),
  idle: optional(string('How long a stream may stay without any data. Default: 5 minutes.', { pattern: timeoutPattern })),
  idleConnection: optional(
    string('How long a connection to a backend stays open without a request. Default: 1 hour.', { pattern: timeoutPattern }),
  ),
});

const retryOnValues = [
  '5xx',
  'gateway-error',
  'reset',
  'reset-before-request',
  'connect-failure',
  'envoy-ratelimited',
  'retriable-4xx',
  'refused-stream',
  'retriable-status-codes',
  'retriable-headers',
  'http3-post-connect-failure',
  'cancelled',
  'deadline-exceeded',
  'internal',
  'resource-exhausted',
  'unavailable',
] as const;

export const retryPolicySchema = object('Sends a request that failed once more.', {
  count: optional(integer('How often to try again. 0 counts as 1; -1 turns retries off.', { format: 'int64', default: 1, minimum: -1 })),
  perTryTimeout: optional(string('How long each try may take. Default: the response timeout.', { pattern: timeoutPattern })),
  retryOn: optional(list('What counts as a failure. Default: `5xx`.', oneOf('A condition of Envoy for HTTP or gRPC.', retryOnValues))),
  retriableStatusCodes: optional(
    list('Status codes that are failures where retryOn has `retriable-status-codes`.', integer('A status code.', { format: 'int32' })),
  ),
});

const statusRangeSchema = object('A range of status codes: the first is in it, the last is not.', {
  start: integer('The first status code of the range.', { format: 'int64', minimum: 100, maximum: 599 }),
  end: integer('The status code after the range.', { format: 'int64', minimum: 101, maximum: 600 }),
});

export const httpHealthCheckPolicySchema = object(
  'Asks each endpoint over HTTP whether it is well, and sends no requests to one that is not.',
  {
    path: string('The path that is asked for.'),
    host: optional(string('The Host header of the question. Default: `contour-envoy-healthcheck`.')),
    intervalSeconds: optional(integer('The time between two questions, in seconds. Default: 10.', { format: 'int64' })),
    timeoutSeconds: optional(integer('How long to wait for an answer, in seconds. Default: 2.', { format: 'int64' })),
    unhealthyThresholdCount: optional(
      integer('After so many bad answers in a row an endpoint is not well. Default: 3.', { format: 'int64', minimum: 0 }),
    ),
    healthyThresholdCount: optional(
      integer('After so many good answers in a row an endpoint is well again. Default: 2.', { format: 'int64', minimum: 0 }),
    ),
    expectedStatuses: optional(list('Status codes of a good answer. Default: 200.', statusRangeSchema)),
  },
);

/** Health checks of a TCP proxy. */
export const tcpHealthCheckPolicySchema = object('Tries to connect to each endpoint, and opens no streams to one that does not accept.', {
  intervalSeconds: optional(integer('The time between two tries, in seconds. Default: 10.', { format: 'int64' })),
  timeoutSeconds: optional(integer('How long to wait for the connection, in seconds. Default: 2.', { format: 'int64' })),
  unhealthyThresholdCount: optional(integer('After so many failures in a row an endpoint is not well. Default: 3.', { format: 'int32' })),
  healthyThresholdCount: optional(
    integer('After so many connections in a row an endpoint is well again. Default: 2.', { format: 'int32' }),
  ),
});

const requestHashPolicySchema = object(
  'One thing to hash. Exactly one of hashSourceIP, headerHashOptions and queryParameterHashOptions must be set; an entry that is not so is left out with a warning.',
  {
    terminal: optional(boolean('True: if this entry gives a hash, those after it are not looked at.')),
    hashSourceIP: optional(boolean('True: hash the address of the client. At most one entry may do so.')),
    headerHashOptions: optional(object('Hash a request header.', { headerName: string('The name of the header.', { minLength: 1 }) })),
    queryParameterHashOptions: optional(
      object('Hash a query parameter.', { parameterName: string('The name of the parameter.', { minLength: 1 }) }),
    ),
  },
);

export const loadBalancerPolicySchema = object('Which endpoint gets a request.', {
  strategy: optional(
    string(
      '`RoundRobin`, `WeightedLeastRequest`, `Random`, `Cookie` (a client stays with its endpoint by a cookie) or `RequestHash` (requests with equal hash go to the same endpoint). Anything else counts as `RoundRobin`, the default.',
    ),
  ),
  requestHashPolicies: optional(list('For `RequestHash`: what is hashed, in order.', requestHashPolicySchema)),
});

export type TimeoutPolicy = Static<typeof timeoutPolicySchema>;
export type RetryPolicy = Static<typeof retryPolicySchema>;
export type HTTPStatusRange = Static<typeof statusRangeSchema>;
export type HTTPHealthCheckPolicy = Static<typeof httpHealthCheckPolicySchema>;
export type TCPHealthCheckPolicy = Static<typeof tcpHealthCheckPolicySchema>;
export type RequestHashPolicy = Static<typeof requestHashPolicySchema>;
export type LoadBalancerPolicy = Static<typeof loadBalancerPolicySchema>;
