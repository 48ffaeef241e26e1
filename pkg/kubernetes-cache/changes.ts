import { type Observable, Subject } from 'rxjs';
import type { KubeObject, ObjectRef } from '../apis/meta.ts';
import type { Key } from './reader.ts';

/** One change of the KubernetesCache that matters to a build. */
export interface Change {
  readonly op: 'add' | 'update' | 'delete' | 'time';
  /** The object; for `time` (the cache's clock moved on, or something waited long enough) there is none. */
  readonly object?: ObjectRef;
  readonly before?: KubeObject;
  readonly after?: KubeObject;
  /** The object's own key and every index entry that it entered or left. */
  readonly touched: readonly Key[];
}

/** The stream of changes: hot, synchronous, never ends, never fails. */
export class Changes {
  readonly #subject = new Subject<Change>();
  readonly observable: Observable<Change> = this.#subject.asObservable();

  emit(change: Change): void {
    this.#subject.next(change);
  }
}
