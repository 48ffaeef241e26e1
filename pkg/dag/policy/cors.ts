import type { CORSPolicy } from '../../apis/projectcontour/v1/httpproxy.ts';
import { parseGoDuration } from '../../k8s/duration.ts';
import { errorMessage } from '../../util/error-text.ts';
import { fail, type Outcome, ok } from '../../util/outcome.ts';
import type { CorsOrigin, CorsPolicy } from '../model/host-policies.ts';
import { regexError } from './regex.ts';

/** Reads a CORS policy. The problem is a `CORSError`/`PolicyDidNotParse`. @see reference 3.4 */
export function corsPolicy(policy: CORSPolicy): Outcome<CorsPolicy> {
  const origins: CorsOrigin[] = [];
  for (const origin of policy.allowOrigin) {
    const rule = originRule(origin);
    if (!rule.ok) return rule;
    origins.push(rule.value);
  }
  const maxAge = maxAgeSeconds(policy.maxAge ?? '');
  if (!maxAge.ok) return maxAge;
  return ok({
    origins,
    methods: policy.allowMethods,
    headers: policy.allowHeaders ?? [],
    exposeHeaders: policy.exposeHeaders ?? [],
    ...(maxAge.value !== undefined && { maxAgeSeconds: maxAge.value }),
    allowCredentials: policy.allowCredentials ?? false,
    allowPrivateNetwork: policy.allowPrivateNetwork ?? false,
  });
}

function invalid(cause: string): Outcome<never> {
  return fail('CORSError', 'PolicyDidNotParse', `Spec.VirtualHost.CORSPolicy: ${cause}`);
}

/** Nothing but scheme, host and port: how browsers spell an origin (RFC 6454, 6.2), in either case. */
const exactOrigin = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

function originRule(origin: string): Outcome<CorsOrigin> {
  if (origin === '*') return ok({ type: 'any' });
  if (exactOrigin.test(origin)) return ok({ type: 'exact', origin });
  const error = regexError(origin);
  if (error === undefined) return ok({ type: 'regex', regex: origin });
  return invalid(`invalid allowed origin "${origin}": allowed origin is invalid exact match and invalid regex match: ${error}`);
}

/** Whole seconds; what is left of one does not count. */
function maxAgeSeconds(text: string): Outcome<number | undefined> {
  if (text === '') return ok(undefined);
  try {
    const ms = parseGoDuration(text);
    return ms < 0 ? invalid(`invalid max age value "${text}"`) : ok(Math.floor(ms / 1000));
  } catch (error) {
    return invalid(`invalid max age value "${text}": ${errorMessage(error)}`);
  }
}
