import { boolean, dictionary, integer, list, object, optional, redescribed, type Static, string } from '../../../schema/builder.ts';
import { type CustomResource, objectShape } from '../../custom-resource.ts';
import type { KubeObject } from '../../meta.ts';
import { authorizationServerSchema } from '../v1/authorization.ts';
import { detailedConditionsSchema } from '../v1/detailed-condition.ts';
import { globalRateLimitPolicySchema } from '../v1/rate-limit-policy.ts';
import { envoyConfigSchema, healthSchema, metricsSchema, namespacedNameSchema } from './envoy-config.ts';

export type { EnvoyConfig, NamespacedNameReference } from './envoy-config.ts';

const xdsServerSchema = object('Where Envoy asks for its configuration.', {
  address: optional(string('The address to listen on. Default: `0.0.0.0`.', { minLength: 1 })),
  port: optional(integer('The port to listen on. Default: 8001.')),
  tls: optional(
    object('Certificates of both sides.', {
      caFile: optional(string('A file with the CA certificates that the certificate of Envoy is checked with. Default: `/certs/ca.crt`.')),
      certFile: optional(string('A file with the certificate. Default: `/certs/tls.crt`.')),
      keyFile: optional(string('A file with the key. Default: `/certs/tls.key`.')),
      insecure: optional(boolean('True: no TLS. Default: false.')),
    }),
  ),
});

const headersSchema = object('Headers to set and to take away.', {
  set: optional(dictionary('Headers that get a value, by name.', string('The value.'))),
  remove: optional(list('Names of headers to take away.', string('The name of a header.'))),
});

const policySchema = object('Policies for all routes. Those of an HTTPProxy go before.', {
  requestHeaders: optional(redescribed(headersSchema, 'Changes to the headers of requests.')),
  responseHeaders: optional(redescribed(headersSchema, 'Changes to the headers of responses.')),
  applyToIngress: optional(boolean('True: the policies hold for routes of an Ingress too. Default: false.')),
});

const rateLimitServiceSchema = object('The service that keeps global rate limits.', {
  extensionService: redescribed(namespacedNameSchema, 'The ExtensionService that is asked.'),
  domain: optional(string('The domain that is sent along, by which the service tells its clients apart.')),
  failOpen: optional(boolean('True: requests go through while the service does not answer. Default: false.')),
  enableXRateLimitHeaders: optional(boolean('True: responses say in X-RateLimit headers what is left. Default: false.')),
  enableResourceExhaustedCode: optional(
    boolean('True: a gRPC call over the limit ends with RESOURCE_EXHAUSTED, else with UNAVAILABLE. Default: false.'),
  ),
  defaultGlobalRateLimitPolicy: optional(
    redescribed(globalRateLimitPolicySchema, 'Limits for virtual hosts that have no global limits of their own.'),
  ),
});

const sampling = (what: string) => optional(string(`${what}, in percent, as a decimal number. Default: \`100\`.`));

const tracingSchema = object('Sends traces to a collector that speaks OpenTelemetry.', {
  extensionService: redescribed(namespacedNameSchema, 'The ExtensionService of the collector.'),
  includePodDetail: optional(boolean('True: spans carry the name and namespace of the Pod of Envoy. Default: true.')),
  serviceName: optional(string('The name of the service in spans. Default: `contour`.')),
  overallSampling: sampling('How many of all requests may be traced at most'),
  clientSampling: sampling('How many of the requests are traced that ask for it by header'),
  randomSampling: sampling('How many of the other requests are traced'),
  maxPathTagLength: optional(integer('How long the path in a span may be. Default: 256.', { format: 'int32' })),
  customTags: optional(
    list(
      'Tags to add to spans.',
      object('A tag. Exactly one of literal and requestHeaderName must be set.', {
        tagName: string('The name of the tag; no other tag may have it.'),
        literal: optional(string('The value of the tag.')),
        requestHeaderName: optional(string('The request header whose value the tag gets.')),
      }),
    ),
  ),
});

/** The whole configuration; ContourDeployment holds it too. */
export const contourConfigurationSpecSchema = object('How the controller and Envoy behave. It is read when the controller starts.', {
  xdsServer: optional(xdsServerSchema),
  ingress: optional(
    object('Ingress objects.', {
      classNames: optional(
        list('Classes of the objects that are served. Default: `contour`, and objects without a class.', string('A class.')),
      ),
      statusAddress: optional(string('Addresses to publish in statuses, parted by commas, in place of those of the Service of Envoy.')),
    }),
  ),
  debug: optional(
    object('Where the controller serves debug data.', {
      address: optional(string('The address to listen on. Default: `127.0.0.1`.')),
      port: optional(integer('The port to listen on. Default: 6060.')),
    }),
  ),
  health: optional(redescribed(healthSchema, 'Where the controller serves its health. Default: `0.0.0.0:8000`.')),
  envoy: optional(envoyConfigSchema),
  gateway: optional(
    object('Gateway API.', {
      gatewayRef: redescribed(namespacedNameSchema, 'The Gateway that is served. Without one, Gateway API objects are not looked at.'),
    }),
  ),
  httpproxy: optional(
    object('HTTPProxy objects.', {
      disablePermitInsecure: optional(boolean('True: permitInsecure of routes does not count. Default: false.')),
      rootNamespaces: optional(list('The namespaces that may have root HTTPProxies. Default: all.', string('A namespace.'))),
      fallbackCertificate: optional(
        redescribed(namespacedNameSchema, 'The Secret with the certificate for clients that send no SNI, or one that nobody serves.'),
      ),
    }),
  ),
  enableExternalNameService: optional(
    boolean(
      'True: Services of type ExternalName may be backends. Whoever may write them can then reach any host that Envoy can. Default: false.',
    ),
  ),
  globalExtAuth: optional(
    redescribed(
      authorizationServerSchema,
      'Has a service of your own decide about requests to all virtual hosts that have no authorization of their own.',
    ),
  ),
  rateLimitService: optional(rateLimitServiceSchema),
  policy: optional(policySchema),
  metrics: optional(redescribed(metricsSchema, 'Where the controller serves its metrics. Default: `0.0.0.0:8000`.')),
  tracing: optional(tracingSchema),
  featureFlags: optional(list('Switches for what is new or about to go. None has a meaning today.', string('A switch.'))),
});

const statusSchema = object('What the controller says about the object. Nothing writes it today.', {
  conditions: optional(detailedConditionsSchema),
});

export const contourConfigurationResource: CustomResource = {
  group: 'projectcontour.io',
  version: 'v1alpha1',
  kind: 'ContourConfiguration',
  plural: 'contourconfigurations',
  shortNames: ['contourconfig'],
  schema: object('A ContourConfiguration is the configuration of a controller, named by the flag `--contour-config-name`.', {
    ...objectShape,
    spec: contourConfigurationSpecSchema,
    status: optional(statusSchema),
  }),
};

export type ContourConfigurationSpec = Static<typeof contourConfigurationSpecSchema>;

/** The configuration of a controller. */
export interface ContourConfiguration extends KubeObject {
  readonly kind: 'ContourConfiguration';
  readonly spec: ContourConfigurationSpec;
  readonly status?: Static<typeof statusSchema>;
}
