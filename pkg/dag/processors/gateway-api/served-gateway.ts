import type { Gateway } from '../../../apis/gateway/gateway.ts';
import { type ObjectRef, refOf } from '../../../apis/meta.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import { checkListeners, configuredGateway } from '../../policy/gateway-listeners.ts';
import { type ServedListener, servedListener } from './served-listener.ts';

/** The Gateway that we serve, as its routes see it. */
export interface ServedGateway {
  readonly gateway: Gateway;
  readonly ref: ObjectRef;
  /** `spec.controllerName` of its class: what a route's status says of who wrote it. */
  readonly controllerName: string;
  /** Set when none of the addresses that it asks for is assigned: then no route is served. */
  readonly addressProblem?: string;
  /** In the order of `spec.listeners`. */
  readonly listeners: readonly ServedListener[];
}

/** The configured Gateway with everything that its listeners need looked up; `undefined` while it or its class is absent. */
export function servedGateway(reader: Reader, config: Config): ServedGateway | undefined {
  const found = configuredGateway(reader, config);
  if (found === undefined) return undefined;
  const { gateway, gatewayClass } = found;
  const ref = refOf(gateway);
  const problem = addressProblem(gateway);
  return {
    gateway,
    ref,
    controllerName: gatewayClass.spec.controllerName,
    ...(problem !== undefined && { addressProblem: problem }),
    listeners: checkListeners(gateway.spec.listeners).map((checked) => servedListener(checked, { ref, reader, config })),
  };
}

const defaultAddressType = 'IPAddress';

function addressProblem({ spec, status }: Gateway): string | undefined {
  const wanted = spec.addresses ?? [];
  if (wanted.length === 0) return undefined;
  const assigned = (status?.addresses ?? []).map(({ type = defaultAddressType, value }) => ({ type, value }));
  const isAssigned = wanted.some(({ type = defaultAddressType, value = '' }) =>
    assigned.some((address) => address.type === type && (value === '' || address.value === value)),
  );
  return isAssigned ? undefined : 'None of the addresses in Spec.Addresses have been assigned to the Gateway';
}
