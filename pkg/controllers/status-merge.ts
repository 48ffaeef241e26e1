import type { KubeObject } from '../apis/meta.ts';
import { deepEqual } from '../util/deep-equal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A condition that is on the server. */
interface LiveCondition extends Fields {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

export interface MergeOptions {
  /** Entries of `parents` and `ancestors` with this `controllerName` are ours; all others are left alone. */
  readonly controllerName: string;
  /** When a condition changes now. */
  readonly now: Date;
}

/**
 * What has to be patched into the status of an object so that it says what is wanted; `undefined` if it does already.
 *
 * Only fields that are wanted are looked at. Conditions of other types, and entries of `parents` and `ancestors` of
 * other controllers, stay as they are, in their order. `lastTransitionTime` moves only with a condition's status. A
 * condition that speaks of a newer generation than ours stays.
 */
export function statusPatch(live: KubeObject, wanted: Fields, options: MergeOptions): Fields | undefined {
  const current = (live as { readonly status?: Fields }).status ?? {};
  const patch: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(wanted)) {
    const merged = mergeField(field, current[field], value, options);
    if (!deepEqual(merged, current[field])) patch[field] = merged;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function mergeField(field: string, current: unknown, wanted: unknown, options: MergeOptions): unknown {
  switch (field) {
    case 'conditions':
      return mergeConditions(current, wanted, options, 'keep-others');
    case 'listeners':
      return mergeNamed(listOf(current), listOf(wanted), options);
    case 'parents':
      return mergeOwned('parentRef', listOf(current), listOf(wanted), options);
    case 'ancestors':
      return mergeOwned('ancestorRef', listOf(current), listOf(wanted), options);
    default:
      return wanted;
  }
}

/** The live order is kept, so that an order of ours that differs is no reason to write. */
function mergeConditions(
  current: unknown,
  wanted: unknown,
  options: MergeOptions,
  others: 'keep-others' | 'drop-others',
): readonly unknown[] {
  const live = listOf(current) as readonly LiveCondition[];
  const ours = listOf(wanted) as readonly LiveCondition[];
  const kept = live.flatMap((condition) => {
    const replacement = ours.find(({ type }) => type === condition.type);
    if (replacement !== undefined) return [mergeCondition(condition, replacement, options)];
    return others === 'keep-others' ? [condition] : [];
  });
  const added = ours
    .filter(({ type }) => !live.some((condition) => condition.type === type))
    .map((condition) => mergeCondition(undefined, condition, options));
  return [...kept, ...added];
}

function mergeCondition(live: LiveCondition | undefined, wanted: LiveCondition, { now }: MergeOptions): LiveCondition {
  if ((live?.observedGeneration ?? 0) > (wanted.observedGeneration ?? 0)) return live as LiveCondition;
  const kept = live?.status === wanted.status ? live.lastTransitionTime : undefined;
  return { ...wanted, lastTransitionTime: kept ?? now.toISOString().replace(/\.\d+Z$/, 'Z') };
}

/** Listeners of a Gateway: all are ours, but their conditions have times. */
function mergeNamed(current: readonly Fields[], wanted: readonly Fields[], options: MergeOptions): readonly unknown[] {
  return wanted.map((entry) => {
    const live = current.find(({ name }) => name === entry['name']);
    return { ...entry, conditions: mergeConditions(live?.['conditions'], entry['conditions'], options, 'drop-others') };
  });
}

/** Lists in which each controller has entries of its own. */
function mergeOwned(
  refField: 'parentRef' | 'ancestorRef',
  current: readonly Fields[],
  wanted: readonly Fields[],
  options: MergeOptions,
): readonly unknown[] {
  const same = (live: Fields, entry: Fields) =>
    live['controllerName'] === options.controllerName && sameReference(live[refField], entry[refField]);
  const merge = (live: Fields | undefined, entry: Fields) => ({
    ...entry,
    // The server adds defaults to references: they are no difference.
    ...(live !== undefined && { [refField]: live[refField] }),
    conditions: mergeConditions(live?.['conditions'], entry['conditions'], options, 'drop-others'),
  });
  const kept = current.flatMap((live) => {
    if (live['controllerName'] !== options.controllerName) return [live];
    const entry = wanted.find((candidate) => same(live, candidate));
    return entry === undefined ? [] : [merge(live, entry)];
  });
  const added = wanted.filter((entry) => !current.some((live) => same(live, entry)));
  return [...kept, ...added.map((entry) => merge(undefined, entry))];
}

const referenceDefaults: Fields = { group: 'gateway.networking.k8s.io', kind: 'Gateway' };

function sameReference(a: unknown, b: unknown): boolean {
  return deepEqual({ ...referenceDefaults, ...(a as Fields) }, { ...referenceDefaults, ...(b as Fields) });
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}
