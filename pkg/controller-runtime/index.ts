/** What operators use. `envtest/environment.ts`, for their tests, stands apart: no program needs it. */

export type { Logger } from '../util/logger.ts';
export { controllerBuilder } from './builder/builder.ts';
export type { Informer, InformerOptions } from './cache/informer.ts';
export type { Client } from './client/client.ts';
export type { Credentials } from './client/credentials.ts';
export { ApiError, CredentialsError, isApiError, UnreachableError } from './client/errors.ts';
export { findCredentials } from './client/find-credentials.ts';
export type { KubeObject, ObjectMeta, ObjectName, OwnerReference, ResourceKind } from './client/object.ts';
export { nameOf } from './client/object.ts';
export type { Clock } from './clock/clock.ts';
export { systemClock } from './clock/clock.ts';
export type { CachedClient } from './cluster/cached-client.ts';
export { NotSyncedError } from './cluster/cached-client.ts';
export type { ClusterOptions } from './cluster/cluster.ts';
export { Cluster } from './cluster/cluster.ts';
export type { Controller } from './controller/controller.ts';
export type { Event, GenericEvent, WatchEvent } from './event/event.ts';
export { EventRecorder } from './events/event-recorder.ts';
export { enqueueMapped, enqueueObject, enqueueOwner, type Handler } from './handler/handler.ts';
export { controllerReference, ownersOf } from './handler/owners.ts';
export { HealthServer } from './healthz/health-server.ts';
export { type Check, cacheSynced, serverAnswers } from './healthz/healthz.ts';
export { LeaderElector } from './leaderelection/leader-elector.ts';
export { LeaseLock } from './leaderelection/lease.ts';
export { jsonLogger } from './log/json-logger.ts';
export { Manager, type Runnable } from './manager/manager.ts';
export { stopSignal } from './manager/stop-signal.ts';
export { leaderElectionMetrics } from './metrics/leader-election-metrics.ts';
export { type MetricsProvider, noMetrics } from './metrics/metrics.ts';
export {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  labelsMatch,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
  specOrAnnotationsChanged,
} from './predicate/predicate.ts';
export { done, type Reconciler, type Result, TerminalError } from './reconcile/reconcile.ts';
export { builtInScheme, Scheme } from './scheme/scheme.ts';
export { channelSource, EventChannel, informerSource, type Source } from './source/source.ts';
