import { boolean, list, type ObjectOf, object, oneOf, optional, redescribed, type Static, string } from '../../../schema/builder.ts';
import { durationPattern } from './patterns.ts';
import { upstreamValidationSchema } from './upstream-validation.ts';

const remoteJwksSchema = object('A key set that Envoy fetches over HTTP.', {
  uri: string('Where the key set is, with scheme `http` or `https`.', { minLength: 1 }),
  validation: optional(
    redescribed(upstreamValidationSchema, 'How the certificate of the server of the key set is checked. Only with `https`.'),
  ),
  timeout: optional(string('How long to wait for the key set. Default: `1s`.', { pattern: durationPattern })),
  cacheDuration: optional(string('How long the key set is kept before it is fetched again. Default: `5m`.', { pattern: durationPattern })),
  dnsLookupFamily: optional(
    oneOf('Which addresses of the server are used. Default: as the configuration has it for all clusters.', ['auto', 'v4', 'v6']),
  ),
});

const localJwksSchema = object('A key set in a Secret of the same namespace.', {
  secretName: string('The name of the Secret.', { minLength: 1 }),
  key: string('The key of the Secret that holds the key set in JSON.', { minLength: 1 }),
});

const shape = {
  name: string('Names the provider; unique in its virtual host.', { minLength: 1 }),
  default: optional(
    boolean('True: the provider holds for routes that have no policy of their own. At most one provider may be the default.'),
  ),
  issuer: optional(string('What the claim `iss` of a token must be. Default: anything.')),
  audiences: optional(list('Of these the claim `aud` of a token must have one. Default: anything.', string('An audience.'))),
  remoteJWKS: optional(remoteJwksSchema),
  localJWKS: optional(localJwksSchema),
  forwardJWT: optional(boolean('True: the token is sent on to the backend. Default: false.')),
};

/** Where tokens come from and how they are checked. */
export const jwtProviderSchema = object(
  'A source of JSON Web Tokens and the keys that they are checked with. Exactly one of remoteJWKS and localJWKS must be set.',
  shape,
  {
    rules: [
      {
        cel: '(has(self.remoteJWKS) && !has(self.localJWKS)) || (!has(self.remoteJWKS) && has(self.localJWKS))',
        check: ({ remoteJWKS, localJWKS }: ObjectOf<typeof shape>) => (remoteJWKS === undefined) !== (localJWKS === undefined),
        message: 'exactly one of remoteJWKS or localJWKS must be set',
      },
    ],
  },
);

export const jwtVerificationPolicySchema = object(
  'Which token a request needs. Without it the default provider of the virtual host holds.',
  {
    require: optional(string('The name of the provider whose token a request must have.')),
    disabled: optional(boolean('True: no token is needed. Not together with require.')),
  },
);

export type RemoteJWKS = Static<typeof remoteJwksSchema>;
export type LocalJWKS = Static<typeof localJwksSchema>;
export type JWTProvider = Static<typeof jwtProviderSchema>;
export type JWTVerificationPolicy = Static<typeof jwtVerificationPolicySchema>;
