import { readConfig } from '../../../cmd/isoline/read-config.ts';
import type { KubeObject, ObjectRef } from '../../../pkg/apis/meta.ts';
import { loadCel } from '../../../pkg/apis/validate.ts';
import { flagSpecs } from '../../../pkg/config/sources.ts';
import { kindReconcilers } from '../../../pkg/controllers/kind-reconcilers.ts';
import { parseStatusAddresses } from '../../../pkg/controllers/load-balancer-status.ts';
import { statusPatch } from '../../../pkg/controllers/status-merge.ts';
import { Pipeline } from '../../../pkg/pipeline/pipeline.ts';
import { openConnection } from '../../../pkg/provider/kubernetes/connection.ts';
import { KubernetesProvider } from '../../../pkg/provider/kubernetes.ts';
import { secretInspector } from '../../../pkg/provider/secret-inspector.ts';
import { silentLogger } from '../../../pkg/util/logger.ts';
import { typeUrls } from '../../../pkg/xdscache/resource.ts';

/** What a controller that has just been started, and to which nothing happens, makes of the objects of a cluster. */
export interface FreshView {
  /** Versions by `type name`. */
  readonly served: ReadonlyMap<string, string>;
  /** What is wrong with the statuses that the API server has, a line each. */
  readonly wrongStatuses: readonly string[];
  /** How many statuses were looked at. */
  readonly statuses: number;
}

/** @param flags those of `serve` that decide what is built, without dashes. */
export async function freshView(kubeconfig: string, flags: Readonly<Record<string, string>>): Promise<FreshView> {
  const settings = Object.fromEntries(flagSpecs().flatMap(({ flag, setting }) => (flag in flags ? [[setting, flags[flag]]] : [])));
  const { config, options } = await readConfig({ flags: settings, namespace: 'projectcontour' });
  await loadCel();
  const pipeline = new Pipeline({ config, secrets: secretInspector() });
  const { reads: rest } = await openConnection(
    { inCluster: false, kubeconfig },
    { environment: {}, userAgent: 'fresh', log: silentLogger },
  );
  const provider = new KubernetesProvider({
    rest,
    config,
    options,
    reconcilerOf: kindReconcilers({ cache: pipeline.cache, config }),
    handlers: [],
    log: silentLogger,
  });
  const stop = new AbortController();
  const run = provider.run(stop.signal);
  await provider.ready;
  pipeline.buildAll();

  const gateway = config.gatewayRef;
  const owner = { controllerName: config.gatewayControllerName, now: new Date(0), ...(gateway !== undefined && { gateway }) };
  const wanted = pipeline.statuses();
  const wrong = wanted.flatMap(({ object, status }) => {
    const live = provider.live(object);
    const patch = live === undefined ? undefined : statusPatch(live, status, owner);
    return patch === undefined ? [] : [`${object.kind} ${object.name}: lacks ${JSON.stringify(patch)}`];
  });
  const addresses = parseStatusAddresses(config.statusAddresses);
  const withoutAddress = wanted.flatMap(({ object }) => {
    const live = provider.live(object);
    return live === undefined || hasAddress(object, live, addresses) ? [] : [`${object.kind} ${object.name}: has not our address`];
  });
  stop.abort();
  await run;
  return { served: servedBy(pipeline), wrongStatuses: [...wrong, ...withoutAddress], statuses: wanted.length };
}

function hasAddress({ kind }: ObjectRef, live: KubeObject, addresses: readonly object[]): boolean {
  if (kind !== 'HTTPProxy' && kind !== 'Ingress') return true;
  const { status } = live as { readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly object[] } } };
  return JSON.stringify(status?.loadBalancer?.ingress) === JSON.stringify(addresses);
}

function servedBy(pipeline: Pipeline): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(typeUrls).flatMap(([label, type]) =>
      Array.from(pipeline.snapshot.all(type), ([name, resource]) => [`${label} ${name}`, resource.encoded('ads').version] as const),
    ),
  );
}
