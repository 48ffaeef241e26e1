import { boolean, integer, list, object, oneOf, optional, redescribed, type Static, string } from '../../../schema/builder.ts';
import { headerValueSchema } from './headers-policy.ts';
import { headerMatchConditionSchema } from './match-condition.ts';

const localRateLimitPolicySchema = object(
  'A limit that each Envoy keeps by itself: with three Envoys, three times as many requests get through.',
  {
    requests: integer('How many requests a unit of time may have.', { format: 'int32', minimum: 1 }),
    unit: oneOf('The unit of time.', ['second', 'minute', 'hour']),
    burst: optional(integer('How many requests more may come at once.', { format: 'int32' })),
    responseStatusCode: optional(
      integer('The status of the answer to a request over the limit. Default: 429.', { format: 'int32', minimum: 400, maximum: 599 }),
    ),
    responseHeadersToAdd: optional(list('Headers of the answer to a request over the limit.', headerValueSchema)),
  },
);

const entrySchema = object('One part of a descriptor. Exactly one field must be set.', {
  genericKey: optional(
    object('A fixed key and value.', {
      key: optional(string('The key. Default: `generic_key`.')),
      value: string('The value.', { minLength: 1 }),
    }),
  ),
  requestHeader: optional(
    object('The value of a request header. A request without it has no such descriptor.', {
      headerName: string('The name of the header.', { minLength: 1 }),
      descriptorKey: string('The key.', { minLength: 1 }),
    }),
  ),
  requestHeaderValueMatch: optional(
    object('A fixed value for requests whose headers match. The key is `header_match`.', {
      headers: optional(list('Tests that must all hold.', headerMatchConditionSchema, { minItems: 1 })),
      expectMatch: optional(boolean('False: the value is for requests that do not match.', { default: true })),
      value: string('The value.', { minLength: 1 }),
    }),
  ),
  remoteAddress: optional(object('The address of the client, under the key `remote_address`.', {})),
});

const descriptorSchema = object('A tuple that the rate limit service counts requests by.', {
  entries: list('The parts of the tuple. If one has no value for a request, the whole descriptor is left out.', entrySchema, {
    minItems: 1,
  }),
});

/** A limit that a rate limit service keeps for all proxies together. */
export const globalRateLimitPolicySchema = object('Limits that the rate limit service keeps for all Envoys together.', {
  disabled: optional(boolean('True: the limits of the level above (the virtual host, or the configuration) do not count here.')),
  descriptors: optional(list('What the rate limit service is asked, each by itself.', descriptorSchema, { minItems: 1 })),
});

export const rateLimitPolicySchema = object('How many requests may come in.', {
  local: optional(localRateLimitPolicySchema),
  global: optional(
    redescribed(globalRateLimitPolicySchema, 'Limits that the configured rate limit service keeps for all Envoys together.'),
  ),
});

export type LocalRateLimitPolicy = Static<typeof localRateLimitPolicySchema>;
export type RateLimitDescriptorEntry = Static<typeof entrySchema>;
export type RateLimitDescriptor = Static<typeof descriptorSchema>;
export type GlobalRateLimitPolicy = Static<typeof globalRateLimitPolicySchema>;
export type RateLimitPolicy = Static<typeof rateLimitPolicySchema>;
