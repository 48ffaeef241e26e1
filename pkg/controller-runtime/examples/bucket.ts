/**
 * A kind of one's own, with a status and a finalizer. A Bucket stands for something outside of the cluster: it is made
 * there, its status says how that went, and the Bucket goes only after what it stood for has gone.
 */
import {
  type Cluster,
  type Controller,
  controllerBuilder,
  done,
  type EventRecorder,
  generationChanged,
  type KubeObject,
  type Logger,
  type Reconciler,
  type ResourceKind,
  TerminalError,
} from '../index.ts';

export interface Bucket extends KubeObject {
  readonly spec: { readonly sizeGb: number };
  readonly status?: { readonly phase?: 'Ready' | 'Refused'; readonly address?: string; readonly observedGeneration?: number };
}

/** The world outside. Both may be called again and again for the same Bucket. */
export interface Storage {
  /** Makes a bucket, or gives it its size. @returns its address */
  ensure(id: string, sizeGb: number): Promise<string>;
  remove(id: string): Promise<void>;
}

export const bucketKind: ResourceKind = {
  kind: 'Bucket',
  group: 'storage.example.com',
  version: 'v1',
  plural: 'buckets',
  namespaced: true,
};

const finalizer = 'storage.example.com/bucket';
const largestGb = 1_000;

export interface BucketDeps {
  readonly cluster: Cluster;
  readonly storage: Storage;
  readonly events: EventRecorder;
  readonly log: Logger;
}

/** The controller. Its own status writes do not wake it: they do not raise the generation. */
export function bucketController(deps: BucketDeps): Controller {
  const buckets = deps.cluster.informer<Bucket>(bucketKind);
  return controllerBuilder({ name: 'bucket', log: deps.log })
    .for(buckets, generationChanged)
    .withMaxConcurrent(4)
    .complete(bucketReconciler(deps));
}

function bucketReconciler({ cluster: { client }, storage, events }: BucketDeps): Reconciler {
  return async (name, signal) => {
    const bucket = await client.get<Bucket>(bucketKind, name, { signal });
    if (bucket === undefined) return done;
    const { uid = '', generation = 0, deletionTimestamp, finalizers = [] } = bucket.metadata;
    const setFinalizers = (wanted: readonly string[]) => {
      // With the version that was read: finalizers are a list, and others may have changed it.
      const patch = { metadata: { finalizers: wanted, resourceVersion: bucket.metadata.resourceVersion } };
      return client.patch<Bucket>(bucketKind, name, patch, { signal });
    };

    if (deletionTimestamp !== undefined) {
      if (!finalizers.includes(finalizer)) return done;
      await storage.remove(uid);
      await setFinalizers(finalizers.filter((each) => each !== finalizer));
      return done;
    }
    // Before anything is made: else a deletion in between would leave it behind.
    if (!finalizers.includes(finalizer)) await setFinalizers([...finalizers, finalizer]);

    if (bucket.spec.sizeGb > largestGb) {
      const note = `${bucket.spec.sizeGb} GB is more than ${largestGb} GB`;
      events.record(bucket, { type: 'Warning', reason: 'TooLarge', action: 'Create', note });
      await client.patchStatus(bucketKind, name, { phase: 'Refused', address: null, observedGeneration: generation }, { signal });
      throw new TerminalError(note);
    }
    const address = await storage.ensure(uid, bucket.spec.sizeGb);
    const { status } = bucket;
    if (status?.phase !== 'Ready' || status.address !== address || status.observedGeneration !== generation) {
      await client.patchStatus(bucketKind, name, { phase: 'Ready', address, observedGeneration: generation }, { signal });
    }
    // Somebody may change the bucket where no watch sees it.
    return { requeueAfterMs: 10 * 60_000 };
  };
}
