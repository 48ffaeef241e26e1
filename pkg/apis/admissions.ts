import type { StructuralSchema } from '../schema/structural.ts';
import { customResources } from './crd.ts';
import { gatewaySchemas } from './gateway/schemas.gen.ts';
import type { KindAdmission } from './kind-admission.ts';
import type { KindName } from './kinds.ts';
import { configMapAdmission } from './validation/config-map.ts';
import { endpointSliceAdmission } from './validation/endpoint-slice.ts';
import { ingressAdmission } from './validation/ingress.ts';
import { ingressClassAdmission } from './validation/ingress-class.ts';
import { dnsSubdomain } from './validation/names.ts';
import { namespaceAdmission } from './validation/namespace.ts';
import { secretAdmission } from './validation/secret.ts';
import { serviceAdmission } from './validation/service.ts';

const coreAdmissions = {
  ConfigMap: configMapAdmission,
  EndpointSlice: endpointSliceAdmission,
  Ingress: ingressAdmission,
  IngressClass: ingressClassAdmission,
  Namespace: namespaceAdmission,
  Secret: secretAdmission,
  Service: serviceAdmission,
} as const;

/** How objects of each kind are admitted. */
export const kindAdmissions: ReadonlyMap<KindName, KindAdmission> = new Map<KindName, KindAdmission>([
  ...(Object.entries(coreAdmissions) as [KindName, KindAdmission][]),
  ...customResources.map(({ kind, schema }): [KindName, KindAdmission] => [
    kind as KindName,
    { schema: () => schema.openapi, name: dnsSubdomain },
  ]),
  ...Object.entries(gatewaySchemas).map(([kind, text]): [KindName, KindAdmission] => [
    kind as KindName,
    { schema: () => JSON.parse(text) as StructuralSchema, name: dnsSubdomain },
  ]),
]);
