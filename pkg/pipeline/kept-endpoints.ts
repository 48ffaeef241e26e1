import type { EndpointSlice } from '../apis/discovery/v1/endpoint-slice.ts';
import { keyOf, type ObjectKey, objectKey } from '../apis/meta.ts';
import { serviceNameOf } from '../k8s/endpoint-slice.ts';
import type { Change } from '../kubernetes-cache/changes.ts';
import type { Key } from '../kubernetes-cache/reader.ts';

/** A slice as proxies know it, and as they are to know it. */
export interface SliceChange {
  readonly before?: EndpointSlice;
  readonly after?: EndpointSlice;
}

/**
 * Keeps the endpoints of Services up that roots wait for. Whoever deletes a Service takes its EndpointSlices along; where the Service is
 * made anew, the slices are too, a moment later, with the endpoints that there were.
 */
export class KeptEndpoints {
  /** Slices that are gone, and that proxies have still. */
  readonly #slices: Map<ObjectKey, EndpointSlice>;

  constructor(slices: ReadonlyMap<ObjectKey, EndpointSlice> = new Map()) {
    this.#slices = new Map(slices);
  }

  get slices(): ReadonlyMap<ObjectKey, EndpointSlice> {
    return this.#slices;
  }

  /** What proxies are told of a batch, and of what was kept and need not be any longer. */
  take(batch: readonly Change[], awaited: ReadonlySet<Key>): readonly SliceChange[] {
    const changes = batch.flatMap(({ before, after }) => this.#takeOne(before, after, awaited));
    const over = [...this.#slices].filter(([, slice]) => !awaited.has(serviceOf(slice)));
    for (const [key] of over) this.#slices.delete(key);
    return [...changes, ...over.map(([, before]) => ({ before }))];
  }

  #takeOne(before: Change['before'], after: Change['after'], awaited: ReadonlySet<Key>): readonly SliceChange[] {
    const slice = after ?? before;
    if (slice?.kind !== 'EndpointSlice') return [];
    const key = keyOf(slice);
    if (after === undefined && awaited.has(serviceOf(slice as EndpointSlice))) {
      this.#slices.set(key, slice as EndpointSlice);
      return [];
    }
    const known = this.#slices.get(key) ?? before;
    this.#slices.delete(key);
    return [
      { ...(known !== undefined && { before: known as EndpointSlice }), ...(after !== undefined && { after: after as EndpointSlice }) },
    ];
  }
}

function serviceOf(slice: EndpointSlice): ObjectKey {
  return objectKey('Service', slice.metadata.namespace ?? '', serviceNameOf(slice) ?? '');
}
