import type { Dag, VirtualHosts } from '../dag/model/dag.ts';
import { deepEqual } from '../util/deep-equal.ts';
import { type SnapshotView, typeUrls } from '../xdscache/resource.ts';
import { guardViolations } from './guard-violations.ts';
import { Pipeline, type PipelineOptions } from './pipeline.ts';

/**
 * Compares what a pipeline has reached change by change with a build from scratch of the same objects, where the same roots wait. Each
 * difference is named by one line; none means that they are the same, byte for byte. What could be served without its guards is named
 * too. Costs a full build.
 */
export function verifyIncremental(pipeline: Pipeline, options: PipelineOptions): readonly string[] {
  const full = new Pipeline(options, pipeline.cache);
  full.adoptQuarantine(pipeline);
  full.buildAll(pipeline.kept);
  return [
    ...compareDags(pipeline.dag, full.dag),
    ...compareSnapshots(pipeline.snapshot, full.snapshot),
    ...compareStatuses(pipeline, full),
    ...guardViolations(pipeline.dag, pipeline.snapshot),
  ];
}

function compareDags(incremental: Dag, full: Dag): readonly string[] {
  const listeners = compareMaps('listener', incremental.listeners, full.listeners, deepEqual);
  const names = new Set([...incremental.virtualHosts.keys(), ...full.virtualHosts.keys()]);
  const none: VirtualHosts = new Map();
  const hosts = [...names].flatMap((name) =>
    compareMaps(`virtual host of ${name}`, incremental.virtualHosts.get(name) ?? none, full.virtualHosts.get(name) ?? none, deepEqual),
  );
  return [...listeners, ...hosts];
}

function compareSnapshots(incremental: SnapshotView, full: SnapshotView): readonly string[] {
  return Object.entries(typeUrls).flatMap(([label, type]) =>
    compareMaps(label, incremental.all(type), full.all(type), (a, b) => a.encoded('ads').version === b.encoded('ads').version),
  );
}

function compareStatuses(incremental: Pipeline, full: Pipeline): readonly string[] {
  const byObject = (pipeline: Pipeline) =>
    new Map(pipeline.statuses().map((status) => [`${status.object.kind}/${status.object.namespace}/${status.object.name}`, status]));
  return compareMaps('status', byObject(incremental), byObject(full), deepEqual);
}

function compareMaps<T>(
  what: string,
  incremental: ReadonlyMap<string, T>,
  full: ReadonlyMap<string, T>,
  same: (a: T, b: T) => boolean,
): readonly string[] {
  const differences: string[] = [];
  for (const [name, value] of full) {
    const other = incremental.get(name);
    if (other === undefined) differences.push(`${what} ${name} is missing`);
    else if (!same(other, value)) differences.push(`${what} ${name} differs from a build from scratch`);
  }
  for (const name of incremental.keys()) if (!full.has(name)) differences.push(`${what} ${name} should be gone`);
  return differences;
}
