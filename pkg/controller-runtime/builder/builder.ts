import type { Logger } from '../../util/logger.ts';
import type { Informer } from '../cache/informer.ts';
import type { KubeObject, ObjectName, ResourceKind } from '../client/object.ts';
import type { Clock } from '../clock/clock.ts';
import { Controller, type RetryOptions } from '../controller/controller.ts';
import { enqueueMapped, enqueueObject, enqueueOwner, type Handler, type OwnerOptions } from '../handler/handler.ts';
import type { MetricsProvider } from '../metrics/metrics.ts';
import { and, type Predicate } from '../predicate/predicate.ts';
import type { Reconciler } from '../reconcile/reconcile.ts';
import { informerSource, type Source } from '../source/source.ts';

interface BuilderDeps {
  /** For logs and metrics; no two controllers of a process have the same. */
  readonly name: string;
  /** Default: the system's. */
  readonly clock?: Clock;
  readonly log: Logger;
  /** Default: none. */
  readonly metrics?: MetricsProvider;
}

/** Makes a source once it is known which predicates hold for all. */
type SourceFactory = (all: Predicate<KubeObject>) => Source;

/** Puts a controller together: `controllerBuilder(deps).for(informer).watches(other, map).complete(reconciler)`. */
export class ControllerBuilder {
  readonly #deps: BuilderDeps;
  readonly #sources: SourceFactory[] = [];
  #predicates: readonly Predicate<KubeObject>[] = [];
  #kind: ResourceKind | undefined;
  #maxConcurrent = 1;
  #retries: RetryOptions | undefined;

  constructor(deps: BuilderDeps) {
    this.#deps = deps;
  }

  /** The objects that are reconciled; events must pass all predicates. */
  for<T extends KubeObject>(informer: Informer<T>, ...predicates: readonly Predicate<T>[]): this {
    this.#kind = informer.kind;
    return this.#add(informer, enqueueObject, predicates);
  }

  /**
   * Objects that the reconciler makes: an event wakes the owner, which is of the kind given to `for`.
   * @throws {RangeError} before `for`
   */
  owns<T extends KubeObject>(informer: Informer<T>, options: OwnerOptions = {}, ...predicates: readonly Predicate<T>[]): this {
    if (this.#kind === undefined) throw new RangeError(`controller ${this.#deps.name}: "owns" needs the kind of "for" first`);
    return this.#add(informer, enqueueOwner(this.#kind, options), predicates);
  }

  /** Other objects, and which objects to reconcile because of one. */
  watches<T extends KubeObject>(
    informer: Informer<T>,
    map: (object: T) => readonly ObjectName[],
    ...predicates: readonly Predicate<T>[]
  ): this {
    return this.#add(informer, enqueueMapped(map), predicates);
  }

  /** Work that comes from elsewhere, such as a channel. Predicates of `withPredicates` do not apply to it. */
  from(source: Source): this {
    this.#sources.push(() => source);
    return this;
  }

  /** What events of every informer must pass as well, whether it was named before or is named after. */
  withPredicates(...predicates: readonly Predicate<KubeObject>[]): this {
    this.#predicates = [...this.#predicates, ...predicates];
    return this;
  }

  /** How many objects are worked on at a time. Default: 1. */
  withMaxConcurrent(count: number): this {
    this.#maxConcurrent = count;
    return this;
  }

  /** When objects come back that failed. */
  withRetries(retries: RetryOptions): this {
    this.#retries = retries;
    return this;
  }

  /** The controller, which is to be added to a manager. @throws {RangeError} if nothing would ever wake it */
  complete(reconciler: Reconciler): Controller {
    if (this.#sources.length === 0) throw new RangeError(`controller ${this.#deps.name} has nothing to watch`);
    const all = and(...this.#predicates);
    return new Controller({
      ...this.#deps,
      sources: this.#sources.map((source) => source(all)),
      maxConcurrent: this.#maxConcurrent,
      reconciler,
      ...(this.#retries !== undefined && { retries: this.#retries }),
    });
  }

  #add<T extends KubeObject>(informer: Informer<T>, handler: Handler<T>, predicates: readonly Predicate<T>[]): this {
    this.#sources.push((all) => informerSource(informer, handler, and<T>(all, ...predicates)));
    return this;
  }
}

/** Begins a controller. */
export function controllerBuilder(deps: BuilderDeps): ControllerBuilder {
  return new ControllerBuilder(deps);
}
