import {
  boolean,
  dictionary,
  integer,
  list,
  type ObjectOf,
  object,
  oneOf,
  optional,
  redescribed,
  type Static,
  string,
} from '../../../schema/builder.ts';
import { timeoutPattern } from './patterns.ts';

const extensionServiceReferenceSchema = object('Names the ExtensionService that decides.', {
  apiVersion: optional(string('Its API version. Default: `projectcontour.io/v1alpha1`.', { minLength: 1 })),
  namespace: optional(string('Its namespace. Default: that of the object that names it.', { minLength: 1 })),
  name: optional(string('Its name.', { minLength: 1 })),
});

export const authorizationPolicySchema = object('Whether requests are authorized, and what the authorization server is told.', {
  disabled: optional(boolean('True: requests go through without authorization. Default: as the level above has it.')),
  context: optional(
    dictionary(
      'Keys and values that are sent to the authorization server with each request. Those of a route are added to those of the virtual host.',
      string('A value.'),
    ),
  ),
});

const allowedHeadersShape = {
  exact: optional(string('The name must be this.')),
  prefix: optional(string('The name must begin with this.')),
  suffix: optional(string('The name must end with this.')),
  contains: optional(string('Text that must occur in the name.')),
  ignoreCase: optional(boolean('Compare without regard to case. Default: false.')),
};

const operators = ['exact', 'prefix', 'suffix', 'contains'] as const;

const allowedHeadersSchema = object(
  'A test of a header name. Exactly one of exact, prefix, suffix and contains must be set.',
  allowedHeadersShape,
  {
    rules: [
      {
        cel: '(has(self.exact) ? 1 : 0) + (has(self.prefix) ? 1 : 0) + (has(self.suffix) ? 1 : 0) + (has(self.contains) ? 1 : 0) == 1',
        check: (header: ObjectOf<typeof allowedHeadersShape>) =>
          operators.filter((operator) => header[operator] !== undefined).length === 1,
        message: 'only one of prefix, suffix, exact, and contains should be set in the allowedHeader',
      },
    ],
  },
);

const httpSettingsSchema = object('Settings of an authorization server that speaks HTTP.', {
  pathPrefix: optional(string('Put before the path of the request that is sent to the authorization server.')),
  allowedAuthorizationHeaders: optional(
    list(
      'Headers of the request that the authorization server sees, besides Host, Method, Path, Content-Length and Authorization.',
      allowedHeadersSchema,
    ),
  ),
  allowedUpstreamHeaders: optional(
    list(
      'Headers of the answer of the authorization server that are added to the request on its way to the backend.',
      allowedHeadersSchema,
    ),
  ),
});

const bufferSettingsSchema = object('Lets the authorization server see the body of requests.', {
  maxRequestBytes: optional(
    integer('How many bytes are kept at most. A longer body is answered with 413, unless allowPartialMessage is set.', {
      format: 'int32',
      default: 1024,
      minimum: 1,
    }),
  ),
  allowPartialMessage: optional(boolean('True: of a longer body, the beginning is sent. Default: false.')),
  packAsBytes: optional(boolean('True: the body is sent as bytes, else as UTF-8 text. Default: false.')),
});

const shape = {
  extensionRef: optional(extensionServiceReferenceSchema),
  serviceType: optional(
    oneOf("The protocol of the authorization server: Envoy's ext_authz over gRPC or over HTTP.", ['http', 'grpc'], { default: 'grpc' }),
  ),
  httpSettings: optional(httpSettingsSchema),
  authPolicy: optional(redescribed(authorizationPolicySchema, 'What holds for all routes that say nothing else.')),
  responseTimeout: optional(
    string('How long to wait for an answer. Default: the response timeout of the ExtensionService.', { pattern: timeoutPattern }),
  ),
  failOpen: optional(
    boolean('True: requests go through while the authorization server does not answer. Default: false, they are refused.'),
  ),
  withRequestBody: optional(bufferSettingsSchema),
};

/** Authorization of requests by a service of the user's own. */
export const authorizationServerSchema = object("Has a service of your own decide about each request (Envoy's ext_authz).", shape, {
  rules: [
    {
      cel: "!has(self.httpSettings) || self.serviceType == 'http'",
      check: ({ httpSettings, serviceType }: ObjectOf<typeof shape>) => httpSettings === undefined || serviceType === 'http',
      message: "httpSettings can only be set when serviceType is 'http'",
    },
  ],
});

export type ExtensionServiceReference = Static<typeof extensionServiceReferenceSchema>;
export type AuthorizationPolicy = Static<typeof authorizationPolicySchema>;
export type HTTPAuthorizationServerAllowedHeaders = Static<typeof allowedHeadersSchema>;
export type HTTPAuthorizationServerSettings = Static<typeof httpSettingsSchema>;
export type AuthorizationServerBufferSettings = Static<typeof bufferSettingsSchema>;
export type AuthorizationServer = Static<typeof authorizationServerSchema>;
