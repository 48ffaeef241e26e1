import type { KubeObject } from '../../pkg/apis/meta.ts';
import type { Config } from '../../pkg/config/config.ts';
import type { Contribution } from '../../pkg/dag/contribution.ts';
import { gatewayApiProcessor } from '../../pkg/dag/processors/gateway-api/gateway-api-processor.ts';
import { testConfig } from './config.ts';
import { memoryReader, object } from './memory-reader.ts';

/** A configuration that serves the Gateway `gw/main`. */
export const gatewayConfig: Config = testConfig({ gatewayRef: { namespace: 'gw', name: 'main' } });

export const gatewayClass = object('GatewayClass', 'gc', { spec: { controllerName: 'example.com/controller' } });

/** The Gateway `gw/main` with these listeners. */
export function gateway(listeners: readonly object[], more: { spec?: object; status?: object } = {}): KubeObject {
  const { spec = {}, ...rest } = more;
  return object('Gateway', 'gw/main', { spec: { gatewayClassName: 'gc', listeners, ...spec }, ...rest }, { generation: 3 });
}

/** A listener that takes routes of every namespace. */
export function listener(name: string, port: number, protocol: string, more: object = {}): object {
  return { name, port, protocol, allowedRoutes: { namespaces: { from: 'All' } }, ...more };
}

/** A route that names `gw/main`, unless the spec says otherwise. */
export function route(kind: string, id: string, spec: object): KubeObject {
  return object(kind, id, { spec: { parentRefs: [{ namespace: 'gw', name: 'main' }], ...spec } }, { generation: 2 });
}

/** What an object contributes beside others. */
export function contributionOf(root: KubeObject, others: readonly KubeObject[], config = gatewayConfig): Contribution {
  const { namespace = '', name } = root.metadata;
  return gatewayApiProcessor.process({ kind: root.kind, namespace, name }, memoryReader([root, ...others]), config);
}

/** The conditions of the only parent of a route as `Type=Status/Reason`, in order. */
export function routeConditions({ statuses }: Contribution, parent = 0): readonly string[] {
  const [status] = statuses;
  if (status?.type !== 'route') throw new Error('no status of a route');
  return (status.parents[parent]?.conditions ?? []).map((condition) => `${condition.type}=${condition.status}/${condition.reason}`);
}
