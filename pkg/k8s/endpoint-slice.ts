import type { EndpointSlice } from '../apis/discovery/v1/endpoint-slice.ts';

/** The name of the Service that a slice is of, which is in the same namespace; `undefined`: of none. */
export function serviceNameOf({ metadata }: Pick<EndpointSlice, 'metadata'>): string | undefined {
  return metadata.labels?.['kubernetes.io/service-name'];
}
