import { keyOfRef, type ObjectKey } from '../apis/meta.ts';
import type { Contribution, DetailedStatusPart, PolicyStatusPart, StatusPart } from '../dag/contribution.ts';
import type { ContributionChange } from '../dag/contributions.ts';
import type { DagChanges } from '../dag/model/dag.ts';
import type { Origin } from '../dag/model/origin.ts';
import type { DroppedRoute, WithheldRoute } from '../dag/model/virtual-host.ts';
import { deepEqual } from '../util/deep-equal.ts';
import type { Problem } from '../util/outcome.ts';
import { detailedStatus } from './detailed.ts';
import { gatewayStatus } from './gateway.ts';
import { policyStatus } from './policy.ts';
import { refusedGateway, refusedRoute } from './refused.ts';
import { routeStatus } from './route.ts';
import type { WantedStatus } from './wanted.ts';

/** What a build made of the statuses, ordered by object. */
export interface StatusChanges {
  /** Statuses that came out another than before. */
  readonly changed: readonly WantedStatus[];
  /** The last statuses of objects for which none is wanted any more: they are gone, or no longer ours. */
  readonly withdrawn: readonly WantedStatus[];
}

/**
 * The status that every object should have, from all contributions and the merged DAG, kept up to date: only objects
 * that a change speaks of are looked at, and only what came out different is given back.
 */
export class Statuses {
  /** What each root says of an object: by object, then root. */
  readonly #words = new Map<ObjectKey, Map<ObjectKey, readonly StatusPart[]>>();
  /** Routes attached to the listeners of a Gateway: by Gateway, then listener. */
  readonly #attached = new Map<ObjectKey, Map<string, number>>();
  /** Dropped routes by the object that they are of, then `listener/host`. */
  readonly #dropped = new Map<ObjectKey, Map<string, number>>();
  readonly #routeTotals = new Map<ObjectKey, number>();
  readonly #wanted = new Map<ObjectKey, WantedStatus>();

  /** What is withheld of an object: by object, then `listener/host`. */
  readonly #withheld = new Map<ObjectKey, Map<string, readonly Problem[]>>();
  /** What proxies refuse of an object. */
  #refusals: ReadonlyMap<ObjectKey, readonly Problem[]> = new Map();

  /** All wanted statuses, by object. */
  get wanted(): ReadonlyMap<ObjectKey, WantedStatus> {
    return this.#wanted;
  }

  /** Takes in what a build changed; gives what differs from before. */
  update(changed: readonly ContributionChange[], dagChanges: DagChanges): StatusChanges {
    const objects = new Set<ObjectKey>();
    for (const { root, before, after } of changed) {
      this.#moveWords(root, before, after, objects);
      if (before?.attachments !== after?.attachments) {
        this.#count(before, -1, objects);
        this.#count(after, 1, objects);
      }
      this.#countRoutes(root, after, objects);
    }
    for (const { listener, host, before, after } of dagChanges.virtualHosts) {
      const place = `${listener}/${host}`;
      if (before?.withheld !== after?.withheld) this.#moveWithheld(place, before?.withheld ?? [], after?.withheld ?? [], objects);
      if (before?.dropped !== after?.dropped) this.#moveDropped(place, before?.dropped ?? [], after?.dropped ?? [], objects);
    }
    const result = { changed: [] as WantedStatus[], withdrawn: [] as WantedStatus[] };
    for (const key of [...objects].sort()) this.#refresh(key, result);
    return result;
  }

  /** Replaces what proxies refuse, by object; gives what differs from before. */
  refuse(refusals: ReadonlyMap<ObjectKey, readonly Problem[]>): StatusChanges {
    const objects = new Set([...this.#refusals.keys(), ...refusals.keys()]);
    this.#refusals = refusals;
    const result = { changed: [] as WantedStatus[], withdrawn: [] as WantedStatus[] };
    for (const key of [...objects].sort()) this.#refresh(key, result);
    return result;
  }

  /** What a route lost is told as a share of all that it has. */
  #countRoutes(root: ObjectKey, after: Contribution | undefined, objects: Set<ObjectKey>): void {
    const total = (after?.virtualHosts ?? []).reduce((sum, part) => sum + part.routes.length, 0);
    if (this.#dropped.has(root) && this.#routeTotals.get(root) !== total) objects.add(root);
    if (after === undefined) this.#routeTotals.delete(root);
    else this.#routeTotals.set(root, total);
  }

  #moveWords(root: ObjectKey, before: Contribution | undefined, after: Contribution | undefined, objects: Set<ObjectKey>): void {
    if (before?.statuses === after?.statuses) return;
    for (const part of before?.statuses ?? []) {
      const key = keyOfRef(part.object);
      this.#words.get(key)?.delete(root);
      objects.add(key);
    }
    for (const part of after?.statuses ?? []) {
      const key = keyOfRef(part.object);
      const words = this.#words.get(key) ?? new Map<ObjectKey, readonly StatusPart[]>();
      this.#words.set(key, words.set(root, [...(words.get(root) ?? []), part]));
      objects.add(key);
    }
  }

  #count(contribution: Contribution | undefined, by: 1 | -1, objects: Set<ObjectKey>): void {
    for (const { gateway, listener } of contribution?.attachments ?? []) {
      const key = keyOfRef(gateway);
      const counts = this.#attached.get(key) ?? new Map<string, number>();
      const count = (counts.get(listener) ?? 0) + by;
      if (count === 0) counts.delete(listener);
      else counts.set(listener, count);
      if (counts.size === 0) this.#attached.delete(key);
      else this.#attached.set(key, counts);
      objects.add(key);
    }
  }

  #moveDropped(place: string, before: readonly DroppedRoute[], after: readonly DroppedRoute[], objects: Set<ObjectKey>): void {
    for (const { route } of before) {
      const key = keyOfRef(route.origin);
      const places = this.#dropped.get(key);
      places?.delete(place);
      if (places?.size === 0) this.#dropped.delete(key);
      objects.add(key);
    }
    for (const { route } of after) {
      const key = keyOfRef(route.origin);
      const places = this.#dropped.get(key) ?? new Map<string, number>();
      this.#dropped.set(key, places.set(place, (places.get(place) ?? 0) + 1));
      objects.add(key);
    }
  }

  #moveWithheld(place: string, before: readonly WithheldRoute[], after: readonly WithheldRoute[], objects: Set<ObjectKey>): void {
    for (const { origin } of before) {
      this.#withheld.get(keyOfRef(origin))?.delete(place);
      objects.add(keyOfRef(origin));
    }
    for (const { origin, missing } of after) {
      const places = this.#withheld.getOrInsertComputed(keyOfRef(origin), () => new Map<string, readonly Problem[]>());
      places.set(place, [...(places.get(place) ?? []), withheldProblem(origin, missing)]);
      objects.add(keyOfRef(origin));
    }
  }

  #refresh(key: ObjectKey, { changed, withdrawn }: { readonly changed: WantedStatus[]; readonly withdrawn: WantedStatus[] }): void {
    const wanted = this.#compute(key);
    const before = this.#wanted.get(key);
    if (wanted === undefined) {
      this.#wanted.delete(key);
      if (before !== undefined) withdrawn.push(before);
    } else if (!deepEqual(before, wanted)) {
      this.#wanted.set(key, wanted);
      changed.push(wanted);
    }
  }

  #compute(key: ObjectKey): WantedStatus | undefined {
    const words = this.#words.get(key);
    if (words?.size === 0) this.#words.delete(key);
    const parts = [...(words ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, told]) => told);
    const [first] = parts;
    if (first === undefined) return undefined;
    return {
      object: { kind: first.object.kind, namespace: first.object.namespace, name: first.object.name },
      generation: Math.max(...parts.map((part) => part.generation)),
      status: this.#statusOf(key, first, parts),
    };
  }

  #statusOf(key: ObjectKey, first: StatusPart, parts: readonly StatusPart[]): Readonly<Record<string, unknown>> {
    const withheld = [...(this.#withheld.get(key) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, problems]) => problems);
    const refusals = [...withheld, ...(this.#refusals.get(key) ?? [])];
    switch (first.type) {
      case 'detailed':
        return detailedStatus(
          first.object.kind,
          parts.filter((part): part is DetailedStatusPart => part.type === 'detailed'),
          refusals,
        );
      case 'route':
        return routeStatus(refusedRoute(first, refusals), { dropped: this.#droppedOf(key), total: this.#routeTotals.get(key) ?? 0 });
      case 'gateway':
        return gatewayStatus(refusedGateway(first, refusals), this.#attached.get(key) ?? new Map());
      case 'policy':
        return policyStatus(
          parts.filter((part): part is PolicyStatusPart => part.type === 'policy'),
          refusals,
        );
      case 'load-balancer':
        return {};
    }
  }

  #droppedOf(key: ObjectKey): number {
    return [...(this.#dropped.get(key)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }
}

function withheldProblem({ path }: Origin, missing: string): Problem {
  const message = `${path} answers 503: it would be served without its ${missing}`;
  return { type: 'GuardError', reason: 'NotEnforced', message };
}
