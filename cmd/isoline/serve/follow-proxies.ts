import type { Registry } from 'prom-client';
import { keyOfRef, type ObjectRef } from '../../../pkg/apis/meta.ts';
import type { Clock } from '../../../pkg/controller-runtime/clock/clock.ts';
import { ProgrammedGate } from '../../../pkg/controllers/programmed-gate.ts';
import { ProxyAnswers } from '../../../pkg/controllers/proxy-answers.ts';
import type { BuildResult, Pipeline } from '../../../pkg/pipeline/pipeline.ts';
import type { Routes } from '../../../pkg/server/http-server.ts';
import { type NamedObject, proxyRoutes } from '../../../pkg/server/proxy-routes.ts';
import type { XdsServer } from '../../../pkg/server/xds-server.ts';
import { liveMetrics } from '../../../pkg/telemetry/metrics.ts';
import type { Logger } from '../../../pkg/util/logger.ts';
import { Live } from '../../../pkg/xds/live.ts';
import { typeUrls } from '../../../pkg/xdscache/resource.ts';

export interface FollowProxiesDeps {
  readonly pipeline: Pipeline;
  readonly xds: XdsServer;
  readonly registry: Registry;
  readonly log: Logger;
  readonly clock: Clock;
}

/** What follows the answers of proxies. */
export interface ProxyFollower {
  readonly answers: ProxyAnswers;
  readonly gate: ProgrammedGate;
  /** Pages of the debug server. */
  readonly routes: Routes;
  /** Passes the result of a build on. The status of a Gateway may wait for proxies. */
  give(result: BuildResult): void;
  /** Gets what builds, and proxies, change. Set before the first build. */
  onResult: (result: BuildResult) => void;
}

/** Puts together what keeps refusals from other proxies, who has what, and what is told of it. */
export function followProxies({ pipeline, xds, registry, log, clock }: FollowProxiesDeps): ProxyFollower {
  const { quarantine, snapshot } = pipeline;
  let sinceMs: number | undefined;
  pipeline.cache.changes.subscribe(() => {
    sinceMs ??= clock.monotonicMs();
  });
  const live = new Live({ snapshot, streams: () => xds.streams, onLive: (tookMs) => metrics.accepted(tookMs) });
  const metrics = liveMetrics(registry, () => ({
    quarantined: quarantine.entries.length,
    distrusted: quarantine.distrusted.length,
    inFlight: live.inFlight,
  }));
  // The xDS server notes first what is due to each stream; it sends it when this turn is over.
  snapshot.subscribe((update) => live.changed(update, sinceMs ?? clock.monotonicMs()));

  const listenersOf = (gateway: ObjectRef) =>
    [...pipeline.dag.listeners.values()].flatMap(({ name, origin }) =>
      keyOfRef(origin) === keyOfRef(gateway) ? [{ type: typeUrls.listener, name }] : [],
    );
  const gate = new ProgrammedGate({
    isLive: (gateway) => live.everywhere(listenersOf(gateway)),
    pass: (statuses) => follower.onResult(onlyStatuses(pipeline, statuses)),
    clock,
  });
  const answers = new ProxyAnswers({
    pipeline,
    live,
    onResult: (result) => {
      for (const { object, problem } of result.notices) log.error({ ...object, reason: problem.reason }, problem.message);
      follower.give(result);
    },
    onAnswered: () => gate.look(),
    log,
    nowMs: () => clock.monotonicMs(),
    later: (call, delayMs) => void setTimeout(call, delayMs).unref(),
  });
  const generation = (object: NamedObject): number | undefined => pipeline.statusOf(object)?.generation;
  const follower: ProxyFollower = {
    answers,
    gate,
    routes: proxyRoutes({ streams: () => xds.streams, quarantine: () => quarantine, live: (object) => live.report(object), generation }),
    give: (result) => {
      if (sinceMs !== undefined && result.dirty > 0) metrics.built(clock.monotonicMs() - sinceMs);
      sinceMs = undefined;
      gate.forget(result.withdrawn.map(({ object }) => object));
      follower.onResult({ ...result, statuses: gate.take(result.statuses) });
    },
    onResult: () => undefined,
  };
  return follower;
}

function onlyStatuses({ dag }: Pipeline, statuses: BuildResult['statuses']): BuildResult {
  const changes = { listeners: [], virtualHosts: [] };
  return { dag, changes, snapshot: new Map(), statuses, withdrawn: [], notices: [], faults: [], held: [], dirty: 0 };
}
