import { isIP } from 'node:net';
import type { Service } from '../../apis/core/v1/service.ts';
import type { KubeObject } from '../../apis/meta.ts';
import type { FieldFault } from './object-store.ts';

/**
 * Names the addresses of a Service's endpoints, separated by commas, where no EndpointSlice does. Files only: it may name
 * loopback addresses, which an API server refuses in EndpointSlices, and anybody who may edit the Service could reach them.
 */
export const addressesAnnotation = 'isoline.io/addresses';

const field = `metadata.annotations[${addressesAnnotation}]`;

/** The EndpointSlices that a Service's annotation stands for; none without it. Requests go to `targetPort`, else to the port. */
export function staticEndpointSlices(service: Service): { readonly slices: readonly KubeObject[]; readonly faults: readonly FieldFault[] } {
  const annotation = service.metadata.annotations?.[addressesAnnotation];
  if (annotation === undefined) return { slices: [], faults: [] };
  const addresses = annotation
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  const wrong = addresses.filter((address) => isIP(address) === 0);
  const faults = wrong.map((address) => ({ field, message: `${JSON.stringify(address)} is not an IP address` }));
  if (addresses.length === 0) faults.push({ field, message: 'names no address' });
  const byName = (service.spec?.ports ?? []).filter(({ targetPort }) => typeof targetPort === 'string');
  faults.push(
    ...byName.map(({ targetPort }) => ({
      field,
      message: `targetPort ${JSON.stringify(targetPort)} must be a number: there is no pod to ask for its name`,
    })),
  );
  if (faults.length > 0) return { slices: [], faults };
  const families = [4, 6].map((family) => ({ family, addresses: addresses.filter((address) => isIP(address) === family) }));
  return {
    slices: families.filter((part) => part.addresses.length > 0).map((part) => endpointSlice(service, part.family, part.addresses)),
    faults: [],
  };
}

function endpointSlice(service: Service, family: number, addresses: readonly string[]): KubeObject {
  const { name, namespace } = service.metadata;
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-addresses-ipv${family}`,
      ...(namespace !== undefined && { namespace }),
      labels: { 'kubernetes.io/service-name': name },
    },
    addressType: `IPv${family}`,
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: (service.spec?.ports ?? []).map(({ name: portName, port, targetPort, protocol = 'TCP' }) => ({
      name: portName ?? '',
      protocol,
      port: targetPort ?? port,
    })),
  };
  return slice as KubeObject;
}
