import type { LocalRateLimit as DagLocalRateLimit } from '../../dag/model/host-policies.ts';
import { HeaderValueOption_HeaderAppendAction } from '../../envoy-api/envoy/config/core/v3/base.ts';
import { LocalRateLimit } from '../../envoy-api/envoy/extensions/filters/http/local_ratelimit/v3/local_rate_limit.ts';
import type { StatusCode } from '../../envoy-api/envoy/type/v3/http_status.ts';
import type { Any } from '../../envoy-api/google/protobuf/any.ts';
import { duration, packed } from '../protobuf.ts';
import { fractionOfMillion } from '../route/fraction.ts';
import { headerOption } from '../route/headers.ts';

export const localRateLimitName = 'envoy.filters.http.local_ratelimit';

/** How many requests a virtual host or route lets through; `host` names the counters. Without a limit: as the level above has it. */
export function localRateLimit(limit: DagLocalRateLimit | undefined, host: string): Any | undefined {
  if (limit === undefined) return undefined;
  const { maxTokens, tokensPerFill, fillIntervalMs, status, responseHeaders } = limit;
  const all = { defaultValue: fractionOfMillion(1), runtimeKey: '' };
  const config = LocalRateLimit.fromPartial({
    statPrefix: `vhost.${host}`,
    tokenBucket: { maxTokens, tokensPerFill, fillInterval: duration(fillIntervalMs) },
    // What is not said is done for no request.
    filterEnabled: all,
    filterEnforced: all,
    ...(status !== undefined && { status: { code: status as StatusCode } }),
    responseHeadersToAdd: responseHeaders.map((header) =>
      headerOption(header, HeaderValueOption_HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD),
    ),
  });
  return packed(LocalRateLimit, config);
}
