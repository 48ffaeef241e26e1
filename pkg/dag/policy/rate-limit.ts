import type { GlobalRateLimitPolicy, RateLimitDescriptorEntry } from '../../apis/projectcontour/v1/rate-limit-policy.ts';
import type { Config, RateLimitEntry as ConfiguredEntry } from '../../config/config.ts';
import { fail, type Outcome, ok } from '../../util/outcome.ts';
import type { GlobalRateLimit, RateLimitDescriptor, RateLimitEntry, RouteRateLimit } from '../model/guards.ts';
import { isHeaderName } from './headers.ts';
import { headerMatch } from './match.ts';
import { headerConditionsError } from './match-rules.ts';

type EntryInput = RateLimitDescriptorEntry | ConfiguredEntry;
type DescriptorsInput = readonly { readonly entries?: readonly EntryInput[] }[];

/**
 * The limits of a virtual host: its own, else those of the configuration unless it says no; `undefined`: none. The problem is a
 * `VirtualHostError`. @see reference 3.5
 */
export function hostRateLimit(config: Config, own: GlobalRateLimitPolicy | undefined): Outcome<GlobalRateLimit | undefined> {
  const isOwn = (own?.descriptors ?? []).length > 0;
  const chosen = isOwn ? own?.descriptors : own?.disabled === true ? [] : defaultDescriptors(config);
  const found = descriptorsOf(config, chosen ?? []);
  const field = isOwn ? 'Spec.VirtualHost.RateLimitPolicy' : 'Default Global RateLimit Policy';
  if (!found.ok) return fail('VirtualHostError', 'RateLimitPolicyNotValid', `${field} is invalid: ${found.problem.message}`);
  return ok(found.value.length === 0 ? undefined : { descriptors: found.value });
}

function defaultDescriptors({ rateLimitService }: Config): DescriptorsInput {
  const policy = rateLimitService?.defaultPolicy;
  return policy?.disabled === true ? [] : (policy?.descriptors ?? []);
}

/** The limits of a route; `undefined`: it has no word on them. The problem is a `RouteError`. */
export function routeRateLimit(config: Config, policy: GlobalRateLimitPolicy | undefined): Outcome<RouteRateLimit | undefined> {
  const ignoreHost = policy?.disabled === true;
  const found = descriptorsOf(config, policy?.descriptors ?? []);
  if (!found.ok) return fail('RouteError', 'RateLimitPolicyNotValid', `route.rateLimitPolicy is invalid: ${found.problem.message}`);
  return ok(found.value.length === 0 && !ignoreHost ? undefined : { descriptors: found.value, ignoreHost });
}

/** The problem is the bare cause. A limit that nobody keeps is an error: whoever set it counts on it. */
function descriptorsOf(config: Config, given: DescriptorsInput): Outcome<readonly RateLimitDescriptor[]> {
  if (given.length > 0 && config.rateLimitService === undefined) return invalid('no rate limit service is configured');
  const descriptors: RateLimitDescriptor[] = [];
  for (const { entries = [] } of given) {
    const made = entries.map(entryOf);
    const wrong = made.find((entry) => !entry.ok);
    if (wrong?.ok === false) return wrong;
    if (made.length === 0) return invalid('rate limit descriptor must have at least one entry');
    descriptors.push({ entries: made.flatMap((entry) => (entry.ok ? [entry.value] : [])) });
  }
  return ok(descriptors);
}

function invalid(cause: string): Outcome<never> {
  return fail('RateLimitError', 'Invalid', cause);
}

function entryOf(entry: EntryInput): Outcome<RateLimitEntry> {
  const { genericKey, requestHeader, requestHeaderValueMatch, remoteAddress } = entry;
  const set = [genericKey, requestHeader, requestHeaderValueMatch, remoteAddress].filter((field) => field !== undefined);
  if (set.length !== 1) return invalid('rate limit descriptor entry must have exactly one field set');
  if (genericKey !== undefined) return genericKeyOf(genericKey);
  if (requestHeader !== undefined) return requestHeaderOf(requestHeader);
  if (requestHeaderValueMatch !== undefined) return headerValueMatchOf(requestHeaderValueMatch);
  return ok({ type: 'remote-address' });
}

/** Envoy refuses a whole table for an entry without its text. */
function genericKeyOf({ key = '', value = '' }: NonNullable<EntryInput['genericKey']>): Outcome<RateLimitEntry> {
  return value === '' ? invalid('genericKey must have a value') : ok({ type: 'generic-key', key, value });
}

function requestHeaderOf({ headerName = '', descriptorKey = '' }: NonNullable<EntryInput['requestHeader']>): Outcome<RateLimitEntry> {
  if (headerName === '' || descriptorKey === '') return invalid('requestHeader must have a headerName and a descriptorKey');
  if (!isHeaderName(headerName.replace(/^:/, ''))) return invalid(`requestHeader: ${JSON.stringify(headerName)} is not a header name`);
  return ok({ type: 'request-header', header: headerName.toLowerCase(), key: descriptorKey });
}

function headerValueMatchOf(match: NonNullable<EntryInput['requestHeaderValueMatch']>): Outcome<RateLimitEntry> {
  const { headers = [], expectMatch = true, value = '' } = match;
  if (value === '') return invalid('requestHeaderValueMatch must have a value');
  const error = headerConditionsError(headers.map((header) => ({ header })));
  if (error !== undefined) return invalid(error);
  const matches = headers.flatMap((header) => headerMatch(header) ?? []);
  if (matches.length === 0) return invalid('requestHeaderValueMatch must have at least one header condition');
  return ok({ type: 'header-match', headers: matches, expectMatch, value });
}
