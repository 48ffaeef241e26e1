import type { HeadersPolicy, HeaderValue } from '../../dag/model/headers.ts';
import { HeaderValueOption, HeaderValueOption_HeaderAppendAction } from '../../envoy-api/envoy/config/core/v3/base.ts';
import { compareStrings } from '../../util/compare.ts';

/** The headers to add and remove on the way to the upstream and back, as routes and weighted clusters have them. */
export interface HeaderMutations {
  readonly requestHeadersToAdd: HeaderValueOption[];
  readonly requestHeadersToRemove: string[];
  readonly responseHeadersToAdd: HeaderValueOption[];
  readonly responseHeadersToRemove: string[];
}

/** Both policies in Envoy's form: `set` before `add`, each ordered by name. */
export function headerMutations(request: HeadersPolicy | undefined, response: HeadersPolicy | undefined): HeaderMutations {
  return {
    requestHeadersToAdd: headersToAdd(request),
    requestHeadersToRemove: [...(request?.remove ?? [])].sort(compareStrings),
    responseHeadersToAdd: headersToAdd(response),
    responseHeadersToRemove: [...(response?.remove ?? [])].sort(compareStrings),
  };
}

function headersToAdd(policy: HeadersPolicy | undefined): HeaderValueOption[] {
  if (policy === undefined) return [];
  const { OVERWRITE_IF_EXISTS_OR_ADD, APPEND_IF_EXISTS_OR_ADD } = HeaderValueOption_HeaderAppendAction;
  return [
    ...byName(policy.set).map((header) => headerOption(header, OVERWRITE_IF_EXISTS_OR_ADD)),
    ...byName(policy.add).map((header) => headerOption(header, APPEND_IF_EXISTS_OR_ADD)),
  ];
}

function byName(headers: readonly HeaderValue[]): readonly HeaderValue[] {
  return [...headers].sort((a, b) => compareStrings(a.name, b.name));
}

/** One header for Envoy to put in; the value is a format string of Envoy's. */
export function headerOption(header: HeaderValue, appendAction: HeaderValueOption_HeaderAppendAction): HeaderValueOption {
  return HeaderValueOption.fromPartial({ header: { key: header.name, value: header.value }, appendAction });
}
