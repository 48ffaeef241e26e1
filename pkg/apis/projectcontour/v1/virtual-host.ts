import { boolean, list, object, oneOf, optional, redescribed, type Static, string } from '../../../schema/builder.ts';
import { authorizationServerSchema } from './authorization.ts';
import { jwtProviderSchema } from './jwt.ts';
import { durationOrZeroPattern, hostPattern, httpTokenPattern } from './patterns.ts';
import { rateLimitPolicySchema } from './rate-limit-policy.ts';

const clientCertificateDetailsSchema = object(
  'Parts of the client certificate that the backend gets, in the header `x-forwarded-client-cert`. Its hash is always there.',
  {
    subject: optional(boolean('The subject.')),
    cert: optional(boolean('The certificate, as PEM in URL encoding.')),
    chain: optional(boolean('The chain with the certificate, as PEM in URL encoding.')),
    dns: optional(boolean('The DNS names among the subject alternative names.')),
    uri: optional(boolean('The URI among the subject alternative names.')),
  },
);

const downstreamValidationSchema = object('Asks clients for a certificate and checks it.', {
  caSecret: optional(
    string(
      'The Secret with the CA certificates, under the key `ca.crt`: a name, or `namespace/name` where that namespace delegates it. Needed unless skipClientCertValidation is set.',
      {
        minLength: 1,
      },
    ),
  ),
  skipClientCertValidation: optional(
    boolean('True: a certificate is asked for but not checked here, for a backend or an authorization server that does it.'),
  ),
  forwardClientCertificate: optional(clientCertificateDetailsSchema),
  crlSecret: optional(
    string(
      'The Secret with certificate revocation lists, under the key `crl.pem`: a name, or `namespace/name` where that namespace delegates it. Every CA of the chain needs a list, unless crlOnlyVerifyLeafCert is set.',
      {
        minLength: 1,
      },
    ),
  ),
  crlOnlyVerifyLeafCert: optional(boolean('True: the lists count for the last certificate of the chain alone.')),
  optionalClientCertificate: optional(boolean('True: clients without a certificate are served too; one that is given must be good.')),
});

const tlsSchema = object('Serves the virtual host over TLS. Exactly one of secretName and passthrough must be set.', {
  secretName: optional(
    string(
      'The Secret with certificate and key, under the keys `tls.crt` and `tls.key`: a name, or `namespace/name` where that namespace delegates it.',
    ),
  ),
  minimumProtocolVersion: optional(
    string('The oldest version of TLS that clients may use, `1.2` or `1.3`. Default: `1.2`, or what the configuration has.'),
  ),
  maximumProtocolVersion: optional(
    string('The newest version of TLS that clients may use, `1.2` or `1.3`. Default: `1.3`, or what the configuration has.'),
  ),
  passthrough: optional(boolean('True: the TLS stream goes to the backend as it is, chosen by SNI. Needs tcpproxy.')),
  enableFallbackCertificate: optional(
    boolean('True: clients that send no SNI, or one that nobody serves, reach this host under the configured fallback certificate.'),
  ),
  clientValidation: optional(downstreamValidationSchema),
});

const corsPolicySchema = object('Lets pages of other origins call this virtual host (CORS).', {
  allowOrigin: list(
    'Origins that may call.',
    string('An origin such as `https://app.example.com`, `*` for all, or a regular expression (RE2) over the whole origin.'),
    {
      minItems: 1,
    },
  ),
  allowMethods: list('Methods that they may use.', string('A method, or `*`.', { pattern: httpTokenPattern }), { minItems: 1 }),
  allowHeaders: optional(
    list('Request headers that they may send.', string('The name of a header, or `*`.', { pattern: httpTokenPattern }), { minItems: 1 }),
  ),
  exposeHeaders: optional(
    list('Response headers that they may read.', string('The name of a header, or `*`.', { pattern: httpTokenPattern }), { minItems: 1 }),
  ),
  maxAge: optional(
    string('How long a browser may keep the answer to a preflight request. `0` turns that off. Default: as the browser likes.', {
      pattern: durationOrZeroPattern,
    }),
  ),
  allowCredentials: optional(boolean('True: requests may carry cookies and other credentials. Default: false.')),
  allowPrivateNetwork: optional(boolean('True: pages of public networks may call a host of a private one. Default: false.')),
});

/** One address range of a filter. */
export const ipFilterPolicySchema = object('A range of addresses.', {
  source: oneOf(
    'Which address is looked at: `Peer` is that of the connection, `Remote` that of the client as X-Forwarded-For or the PROXY protocol tell it.',
    ['Peer', 'Remote'],
  ),
  cidr: string('A range such as `10.0.0.0/8`, or one address.'),
});

export const ipAllowPolicySchema = list(
  'Address ranges whose requests are let through; all others get 403. Not together with ipDenyPolicy.',
  ipFilterPolicySchema,
);
export const ipDenyPolicySchema = list(
  'Address ranges whose requests get 403; all others are let through. Not together with ipAllowPolicy.',
  ipFilterPolicySchema,
);

export const virtualHostSchema = object(
  'The host that is served. An HTTPProxy that has it is a root; one without is there to be included.',
  {
    fqdn: string('The host name in lower case. A leading `*.` stands for exactly one label. No two HTTPProxies may have the same.', {
      minLength: 1,
      pattern: hostPattern,
    }),
    tls: optional(tlsSchema),
    authorization: optional(
      redescribed(authorizationServerSchema, "Has a service of your own decide about each request (Envoy's ext_authz). Needs tls."),
    ),
    corsPolicy: optional(corsPolicySchema),
    rateLimitPolicy: optional(redescribed(rateLimitPolicySchema, 'How many requests may come in for the whole host.')),
    jwtProviders: optional(list('Sources of JSON Web Tokens that routes may ask for. Needs tls.', jwtProviderSchema)),
    ipAllowPolicy: optional(ipAllowPolicySchema),
    ipDenyPolicy: optional(ipDenyPolicySchema),
  },
);

export type ClientCertificateDetails = Static<typeof clientCertificateDetailsSchema>;
export type DownstreamValidation = Static<typeof downstreamValidationSchema>;
export type TLS = Static<typeof tlsSchema>;
export type CORSPolicy = Static<typeof corsPolicySchema>;
export type IPFilterPolicy = Static<typeof ipFilterPolicySchema>;
export type VirtualHost = Static<typeof virtualHostSchema>;
