import type { StructuralSchema } from '../schema/structural.ts';
import type { CustomResource } from './custom-resource.ts';
import { httpProxyResource } from './projectcontour/v1/httpproxy.ts';
import { tlsCertificateDelegationResource } from './projectcontour/v1/tls-certificate-delegation.ts';
import { contourConfigurationResource } from './projectcontour/v1alpha1/contour-configuration.ts';
import { contourDeploymentResource } from './projectcontour/v1alpha1/contour-deployment.ts';
import { extensionServiceResource } from './projectcontour/v1alpha1/extension-service.ts';

/** The kinds whose schema is ours. */
export const customResources: readonly CustomResource[] = [
  contourConfigurationResource,
  contourDeploymentResource,
  extensionServiceResource,
  httpProxyResource,
  tlsCertificateDelegationResource,
];

/** The CustomResourceDefinition of a kind, for `kubectl apply`. */
export function customResourceDefinition(resource: CustomResource): Readonly<Record<string, unknown>> {
  const { group, version, kind, plural, shortNames, printerColumns, schema } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, shortNames, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(printerColumns !== undefined && { additionalPrinterColumns: printerColumns }),
          schema: { openAPIV3Schema: publicSchema(schema.openapi) },
          subresources: { status: {} },
        },
      ],
    },
  };
}

/** The schema without what file mode alone needs. */
function publicSchema(schema: StructuralSchema): StructuralSchema {
  const { properties, additionalProperties, items, 'x-kubernetes-validations': rules, ...rest } = schema;
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, publicSchema(property)])),
    }),
    ...(additionalProperties !== undefined && { additionalProperties: publicSchema(additionalProperties) }),
    ...(items !== undefined && { items: publicSchema(items) }),
    ...(rules !== undefined && { 'x-kubernetes-validations': rules.map(({ check: _, ...rule }) => rule) }),
  };
}
