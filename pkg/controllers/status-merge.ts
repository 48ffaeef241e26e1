import type { KubeObject } from '../apis/meta.ts';
import type { NamespacedName } from '../config/config.ts';
import { deepEqual } from '../util/deep-equal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A condition that is on the server. */
interface LiveCondition extends Fields {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** Which entries of `parents` and `ancestors` are ours; all others are left alone. */
export interface Owner {
  /** Ours have this `controllerName`. */
  readonly controllerName: string;
  /** And refer to this Gateway: other controllers of the same name may serve others. Absent: any. */
  readonly gateway?: NamespacedName;
}

export interface MergeOptions extends Owner {
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
  const current = statusOf(live);
  const ownership = { ...options, namespace: live.metadata.namespace ?? '' };
  const patch: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(wanted)) {
    const merged = mergeField(field, current[field], value, ownership);
    if (!deepEqual(merged, current[field]) && !isAbsentList(merged, current[field])) patch[field] = merged;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** An empty list says no more than no list: an object that none of our business is gets no status for it. */
function isAbsentList(merged: unknown, current: unknown): boolean {
  return current === undefined && Array.isArray(merged) && merged.length === 0;
}

/**
 * What has to be patched into the status of an object that is no longer ours, so that nothing of what `last` put there
 * is left; `undefined` if nothing is. What somebody else has changed since we saw the object leave stays.
 *
 * @param left the object as it was when it left.
 */
export function withdrawalPatch(live: KubeObject, left: KubeObject, last: Fields, owner: Owner): Fields | undefined {
  const current = statusOf(live);
  const before = statusOf(left);
  const patch: Record<string, unknown> = {};
  for (const [field, ours] of Object.entries(last)) {
    const present = current[field];
    if (present === undefined) continue;
    const kept = withoutOurs(field, { present, before: before[field], ours }, { ...owner, namespace: live.metadata.namespace ?? '' });
    if (!deepEqual(kept, present)) patch[field] = kept;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

interface Withdrawn {
  readonly present: unknown;
  readonly before: unknown;
  readonly ours: unknown;
}

/** What stays of a field; `null`: nothing, and the field goes. */
function withoutOurs(field: string, { present, before, ours }: Withdrawn, owner: Ownership): unknown {
  switch (field) {
    case 'conditions': {
      const types = new Set(listOf(ours).map(({ type }) => type));
      const untouched = (condition: Fields) => listOf(before).some((one) => deepEqual(one, condition));
      return listOf(present).filter((condition) => !types.has(condition['type']) || !untouched(condition));
    }
    case 'parents':
      return listOf(present).filter((entry) => !isOurs('parentRef', entry, owner));
    case 'ancestors':
      return listOf(present).filter((entry) => !isOurs('ancestorRef', entry, owner));
    default:
      return deepEqual(present, before) ? null : present;
  }
}

function mergeField(field: string, current: unknown, wanted: unknown, options: MergeOptions & Ownership): unknown {
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
  options: MergeOptions & Ownership,
): readonly unknown[] {
  const same = (live: Fields, entry: Fields) => isOurs(refField, live, options) && sameReference(live[refField], entry[refField]);
  const merge = (live: Fields | undefined, entry: Fields) => ({
    ...entry,
    // The server adds defaults to references: they are no difference.
    ...(live !== undefined && { [refField]: live[refField] }),
    conditions: mergeConditions(live?.['conditions'], entry['conditions'], options, 'drop-others'),
  });
  const kept = current.flatMap((live) => {
    if (!isOurs(refField, live, options)) return [live];
    const entry = wanted.find((candidate) => same(live, candidate));
    return entry === undefined ? [] : [merge(live, entry)];
  });
  const added = wanted.filter((entry) => !current.some((live) => same(live, entry)));
  return [...kept, ...added.map((entry) => merge(undefined, entry))];
}

interface Ownership extends Owner {
  /** Of the object: references that name none mean it. */
  readonly namespace: string;
}

function isOurs(refField: 'parentRef' | 'ancestorRef', entry: Fields, { controllerName, gateway, namespace }: Ownership): boolean {
  if (entry['controllerName'] !== controllerName) return false;
  const ref = (entry[refField] ?? {}) as Fields;
  return gateway === undefined || (ref['name'] === gateway.name && (ref['namespace'] ?? namespace) === gateway.namespace);
}

const referenceDefaults: Fields = { group: 'gateway.networking.k8s.io', kind: 'Gateway' };

function sameReference(a: unknown, b: unknown): boolean {
  return deepEqual({ ...referenceDefaults, ...(a as Fields) }, { ...referenceDefaults, ...(b as Fields) });
}

function statusOf(object: KubeObject): Fields {
  return (object as { readonly status?: Fields }).status ?? {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}
