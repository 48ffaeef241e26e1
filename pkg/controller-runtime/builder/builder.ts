import type { Logger } from '../../util/logger.ts';
import type { Informer } from '../cache/informer.ts';
import type { KubeObject, ObjectName } from '../client/object.ts';
import type { Clock } from '../clock/clock.ts';
import { Controller } from '../controller/controller.ts';
import { enqueueMapped, enqueueObject } from '../handler/handler.ts';
import { and, type Predicate } from '../predicate/predicate.ts';
import type { Reconciler } from '../reconcile/reconcile.ts';
import { informerSource, type Source } from '../source/source.ts';

interface BuilderDeps {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Puts a controller together: `controllerBuilder(deps).for(informer).watches(other, map).complete(reconciler)`. */
export class ControllerBuilder {
  readonly #deps: BuilderDeps;
  readonly #sources: Source[] = [];
  #maxConcurrent = 1;

  constructor(deps: BuilderDeps) {
    this.#deps = deps;
  }

  /** The objects that are reconciled; events must pass all predicates. */
  for<T extends KubeObject>(informer: Informer<T>, ...predicates: readonly Predicate<T>[]): this {
    this.#sources.push(informerSource(informer, enqueueObject, and(...predicates)));
    return this;
  }

  /** Other objects, and which objects to reconcile because of one. */
  watches<T extends KubeObject>(
    informer: Informer<T>,
    map: (object: T) => readonly ObjectName[],
    ...predicates: readonly Predicate<T>[]
  ): this {
    this.#sources.push(informerSource(informer, enqueueMapped(map), and(...predicates)));
    return this;
  }

  /** How many objects are worked on at a time. Default: 1. */
  withMaxConcurrent(count: number): this {
    this.#maxConcurrent = count;
    return this;
  }

  /** The controller, which is to be added to a manager. */
  complete(reconciler: Reconciler): Controller {
    return new Controller({ ...this.#deps, sources: this.#sources, maxConcurrent: this.#maxConcurrent, reconciler });
  }
}

/** Begins a controller. */
export function controllerBuilder(deps: BuilderDeps): ControllerBuilder {
  return new ControllerBuilder(deps);
}
