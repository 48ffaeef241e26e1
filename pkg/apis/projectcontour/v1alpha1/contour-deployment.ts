import { dictionary, integer, list, object, oneOf, optional, redescribed, type Static, string } from '../../../schema/builder.ts';
import { type CustomResource, objectShape } from '../../custom-resource.ts';
import type { KubeObject } from '../../meta.ts';
import { conditionsSchema } from './condition.ts';
import { contourConfigurationSpecSchema } from './contour-configuration.ts';
import {
  daemonSetUpdateStrategySchema,
  deploymentStrategySchema,
  nodeSelectorSchema,
  resourcesSchema,
  tolerationsSchema,
  volumeMountSchema,
} from './pod-parts.ts';
import { volumeSchema } from './volume.ts';

const nodePlacementSchema = object('Which nodes the Pods may run on.', {
  nodeSelector: optional(nodeSelectorSchema),
  tolerations: optional(tolerationsSchema),
});

const replicas = (description: string) => optional(integer(description, { format: 'int32', minimum: 0 }));

const deploymentSettingsSchema = object('Settings of the Deployment.', {
  replicas: replicas('How many Pods. Default: 2.'),
  strategy: optional(deploymentStrategySchema),
});

const annotationsSchema = dictionary('Annotations of the Pods.', string('A value.'));

const contourSettingsSchema = object('The controller.', {
  replicas: replicas('The old place of deployment.replicas, which goes before it.'),
  deployment: optional(
    redescribed(
      deploymentSettingsSchema,
      'Settings of the Deployment of the controller. Default: 2 Pods; of them half may be added and a quarter missing during an update.',
    ),
  ),
  nodePlacement: optional(redescribed(nodePlacementSchema, 'Which nodes the controller may run on.')),
  kubernetesLogLevel: optional(integer('How much the Kubernetes client logs. Default: 0.', { minimum: 0, maximum: 9 })),
  logLevel: optional(string('How much the controller logs: `info` (the default) or `debug`.')),
  resources: optional(redescribed(resourcesSchema, 'What the container of the controller needs and may use.')),
  podAnnotations: optional(annotationsSchema),
  watchNamespaces: optional(
    list(
      'The namespaces whose objects are served; that of the Gateway is always one of them. The controller then has no rights elsewhere. Default: all.',
      string('A namespace.', { minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }),
      { minItems: 1, maxItems: 42 },
    ),
  ),
  disabledFeatures: optional(
    list(
      'Kinds that the controller does not look at, for clusters that lack them.',
      oneOf('A kind, in the plural.', ['grpcroutes', 'tlsroutes', 'extensionservices', 'backendtlspolicies']),
      { minItems: 1, maxItems: 42 },
    ),
  ),
});

const networkPublishingSchema = object('The Service in front of Envoy.', {
  type: optional(string('`LoadBalancerService` (the default), `NodePortService` or `ClusterIPService`.')),
  externalTrafficPolicy: optional(
    string('`Local` (the default) keeps the address of the client and uses Pods of the same node only; `Cluster` spreads over all Pods.'),
  ),
  ipFamilyPolicy: optional(string('`SingleStack` (the default), `PreferDualStack` or `RequireDualStack`.')),
  serviceAnnotations: optional(dictionary('Annotations of the Service.', string('A value.'))),
});

const envoySettingsSchema = object('Envoy.', {
  workloadType: optional(string('`DaemonSet` (the default) or `Deployment`.')),
  replicas: replicas('The old place of deployment.replicas, which goes before it.'),
  deployment: optional(
    redescribed(
      deploymentSettingsSchema,
      'Settings of the Deployment, where workloadType is `Deployment`. Default: 2 Pods; a tenth may be added during an update.',
    ),
  ),
  daemonSet: optional(
    object('Settings of the DaemonSet, where workloadType is `DaemonSet`.', { updateStrategy: optional(daemonSetUpdateStrategySchema) }),
  ),
  networkPublishing: optional(networkPublishingSchema),
  nodePlacement: optional(redescribed(nodePlacementSchema, 'Which nodes Envoy may run on.')),
  extraVolumes: optional(list('More volumes for the Pods.', volumeSchema)),
  extraVolumeMounts: optional(list('Where the container mounts volumes of extraVolumes.', volumeMountSchema)),
  podAnnotations: optional(annotationsSchema),
  resources: optional(redescribed(resourcesSchema, 'What the container of Envoy needs and may use.')),
  logLevel: optional(string('How much Envoy logs: `trace`, `debug`, `info` (the default), `warn`, `error`, `critical` or `off`.')),
  baseID: optional(integer('Tells Envoys on one node apart that share its network. Default: 0.', { format: 'int32', minimum: 0 })),
  overloadMaxHeapSize: optional(
    integer('The size of the heap in bytes near which Envoy begins to refuse work. Default: no limit.', { format: 'int64' }),
  ),
  overloadMaxDownstreamConnections: optional(
    integer('How many connections of clients Envoy may have at a time. Default: no limit.', { format: 'int64' }),
  ),
});

const specSchema = object('What a Gateway of the class gets.', {
  contour: optional(contourSettingsSchema),
  envoy: optional(envoySettingsSchema),
  runtimeSettings: optional(
    redescribed(
      contourConfigurationSpecSchema,
      'The configuration that a Gateway is made with. Later changes do not reach Gateways that are there.',
    ),
  ),
  resourceLabels: optional(
    dictionary(
      'Labels for everything that is made. The labels of the Gateway, `spec.infrastructure.labels`, are the better place.',
      string('A value.'),
    ),
  ),
});

const statusSchema = object('What the provisioner says about the object. Nothing writes it today.', {
  conditions: optional(conditionsSchema),
});

export const contourDeploymentResource: CustomResource = {
  group: 'projectcontour.io',
  version: 'v1alpha1',
  kind: 'ContourDeployment',
  plural: 'contourdeployments',
  shortNames: ['contourdeploy'],
  schema: object('A ContourDeployment says what the provisioner makes for the Gateways of a GatewayClass that names it in parametersRef.', {
    ...objectShape,
    spec: optional(specSchema),
    status: optional(statusSchema),
  }),
};

export type ContourSettings = Static<typeof contourSettingsSchema>;
export type EnvoySettings = Static<typeof envoySettingsSchema>;
export type ContourDeploymentSpec = Static<typeof specSchema>;

/** What the provisioner makes for the Gateways of a class. */
export interface ContourDeployment extends KubeObject {
  readonly kind: 'ContourDeployment';
  readonly spec?: ContourDeploymentSpec;
  readonly status?: Static<typeof statusSchema>;
}
