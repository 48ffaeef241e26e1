import type { KindName } from '../apis/kinds.ts';
import type { KubeObject } from '../apis/meta.ts';
import type { EventHandler } from '../controller-runtime/cache/informer.ts';
import { type ControllerMetrics, controllerMetrics } from '../controller-runtime/metrics/controller-metrics.ts';
import { type MetricsProvider, noMetrics } from '../controller-runtime/metrics/metrics.ts';
import type { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import { isRelevant, type RelevanceConfig, relevance } from '../kubernetes-cache/relevant-kinds.ts';
import { objectHandler } from './object-handler.ts';

export interface KindReconcilersDeps {
  readonly cache: Pick<KubernetesCache, 'apply' | 'remove'>;
  readonly config: RelevanceConfig;
  /** Told of every object that is none of our business, now or any more. */
  readonly onForeign?: (object: KubeObject) => void;
  /** Default: none are kept. */
  readonly metrics?: MetricsProvider;
}

/** What brings the objects of a kind into the KubernetesCache. It is called in the turn of the event: no queue, nothing to retry. */
export interface KindReconciler {
  /** `HTTPRouteReconciler` for a kind that has one of its own, else `ObjectHandler`. */
  readonly name: string;
  readonly handle: EventHandler<KubeObject>;
}

/**
 * The reconciler of every kind. Kinds whose objects may be none of our business have one each, which lets pass what is and takes out
 * what no longer is; one object handler does for the rest. Their work is counted under controller-runtime's names, by
 * `controller`: the kind in lower case, or `object`.
 */
export function kindReconcilers({
  cache,
  config,
  onForeign,
  metrics = noMetrics,
}: KindReconcilersDeps): (kind: KindName) => KindReconciler {
  const write = objectHandler(cache);
  const others = { name: 'ObjectHandler', handle: counted(write, controllerMetrics(metrics, 'object', 1)) };
  const own = Object.keys(relevance).map((kind): [string, KindReconciler] => {
    const handle: EventHandler<KubeObject> = (event) => {
      if (event.type === 'delete' || isRelevant(event.object, config)) return write(event);
      write({ type: 'delete', object: event.object });
      onForeign?.(event.object);
    };
    return [kind, { name: `${kind}Reconciler`, handle: counted(handle, controllerMetrics(metrics, kind.toLowerCase(), 1)) }];
  });
  const byKind = new Map(own);
  return (kind) => byKind.get(kind) ?? others;
}

/** What throws is a bug; the informer tells of it and goes on. */
function counted(handle: EventHandler<KubeObject>, metrics: ControllerMetrics): EventHandler<KubeObject> {
  return (event) => {
    const startedMs = performance.now();
    let result: 'success' | 'panic' = 'panic';
    try {
      handle(event);
      result = 'success';
    } finally {
      metrics.reconciled(result, performance.now() - startedMs);
    }
  };
}
