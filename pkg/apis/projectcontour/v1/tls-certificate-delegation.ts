import { list, object, optional, type Static, string } from '../../../schema/builder.ts';
import { type CustomResource, objectShapeWithMetadata } from '../../custom-resource.ts';
import type { KubeObject } from '../../meta.ts';
import { detailedConditionsSchema } from './detailed-condition.ts';

const delegationSchema = object('Lets namespaces use one Secret.', {
  secretName: string('The name of the Secret, in the namespace of this object.'),
  targetNamespaces: list('The namespaces that may use it, or `*` alone for all.', string('A namespace, or `*`.')),
});

const specSchema = object('Which Secrets may be used from where.', {
  delegations: list('One entry for each Secret.', delegationSchema),
});

const statusSchema = object('What the controller says about the object. Nothing writes it today.', {
  conditions: optional(detailedConditionsSchema),
});

export const tlsCertificateDelegationResource: CustomResource = {
  group: 'projectcontour.io',
  version: 'v1',
  kind: 'TLSCertificateDelegation',
  plural: 'tlscertificatedelegations',
  shortNames: ['tlscerts'],
  schema: object('A TLSCertificateDelegation lets other namespaces use Secrets of its own namespace.', {
    ...objectShapeWithMetadata,
    spec: specSchema,
    status: optional(statusSchema),
  }),
};

export type CertificateDelegation = Static<typeof delegationSchema>;
export type TLSCertificateDelegationSpec = Static<typeof specSchema>;

/** Lets other namespaces use Secrets of its own namespace. */
export interface TLSCertificateDelegation extends KubeObject {
  readonly kind: 'TLSCertificateDelegation';
  readonly spec: TLSCertificateDelegationSpec;
  readonly status?: Static<typeof statusSchema>;
}
