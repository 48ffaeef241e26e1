import type { AuthRequestBody, CustomTag, DefaultAuthPolicy, DefaultRateLimitPolicy, HeaderEdits, HttpAuthSettings } from './config.ts';
import { flag, integer, listOf, oneOf, refined, shape, text, textList, textMap, type ValueType } from './value-type.ts';

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers to set and to remove, as `policy.request-headers` has them. Names must be legal in HTTP. */
export const headerEdits: { readonly set: ValueType<HeaderEdits['set']>; readonly remove: ValueType<HeaderEdits['remove']> } = {
  set: refined(textMap, (headers) => {
    Object.keys(headers).forEach(checkHeaderName);
    return headers;
  }),
  remove: refined(textList, (names) => {
    names.forEach(checkHeaderName);
    return names;
  }),
};

function checkHeaderName(name: string): void {
  if (!headerName.test(name)) throw new RangeError(`${JSON.stringify(name)} is not a legal header name`);
}

/** Tags that are added to every span: each has a name of its own and one source. */
export const customTags: ValueType<readonly CustomTag[]> = refined(
  listOf(shape({ tagName: text, literal: text, requestHeaderName: text })),
  (tags) => {
    const names = new Set<string>();
    return tags.map(({ tagName, literal, requestHeaderName }, i) => {
      if (tagName === undefined) throw new RangeError(`[${i}].tagName: must be given`);
      if (names.has(tagName)) throw new RangeError(`[${i}].tagName: ${JSON.stringify(tagName)} is there twice`);
      names.add(tagName);
      if (literal !== undefined && requestHeaderName === undefined) return { tagName, literal };
      if (requestHeaderName !== undefined && literal === undefined) return { tagName, requestHeaderName };
      throw new RangeError(`[${i}]: exactly one of literal and requestHeaderName must be given`);
    });
  },
);

/** A share in percent, as a number or as text. */
export const sampling: ValueType<number> = refined(text, (value) => {
  const percent = value.trim() === '' ? Number.NaN : Number(value);
  if (!(percent >= 0 && percent <= 100)) throw new RangeError('must be a number from 0 to 100');
  return percent;
});

const allowedHeaders = listOf(
  refined(
    shape({ exact: text, prefix: text, suffix: text, contains: text, regex: text, ignoreCase: flag, ignorecase: flag }),
    ({ ignorecase, ...match }) => ({
      ...match,
      ...(ignorecase !== undefined && { ignoreCase: ignorecase }),
    }),
  ),
);

/** @throws {RangeError} for a path that does not begin with a slash. */
function absoluteOrEmpty(path: string): string {
  if (path === '' || path.startsWith('/')) return path;
  throw new RangeError(`pathPrefix: "${path}" must start with /`);
}

/** `globalExtAuth.httpSettings`. Contour spells its keys in lower case in the file; both spellings are taken. */
export const httpAuthSettings: ValueType<HttpAuthSettings> = refined(
  shape({
    pathPrefix: text,
    pathprefix: text,
    allowedAuthorizationHeaders: allowedHeaders,
    allowedauthorizationheaders: allowedHeaders,
    allowedUpstreamHeaders: allowedHeaders,
    allowedupstreamheaders: allowedHeaders,
  }),
  (given) => ({
    pathPrefix: absoluteOrEmpty(given.pathPrefix ?? given.pathprefix ?? ''),
    allowedAuthorizationHeaders: given.allowedAuthorizationHeaders ?? given.allowedauthorizationheaders ?? [],
    allowedUpstreamHeaders: given.allowedUpstreamHeaders ?? given.allowedupstreamheaders ?? [],
  }),
);

const headerMatch = refined(
  shape({
    name: text,
    present: flag,
    notpresent: flag,
    contains: text,
    notcontains: text,
    exact: text,
    notexact: text,
    regex: text,
    ignoreCase: flag,
    ignorecase: flag,
    treatMissingAsEmpty: flag,
    treatmissingasempty: flag,
  }),
  ({ ignorecase, treatmissingasempty, ...match }) => {
    if (match.name === undefined) throw new RangeError('name: must be given');
    return {
      ...match,
      name: match.name,
      ...(ignorecase !== undefined && { ignoreCase: ignorecase }),
      ...(treatmissingasempty !== undefined && { treatMissingAsEmpty: treatmissingasempty }),
    };
  },
);

const descriptorEntry = refined(
  shape({
    genericKey: shape({ key: text, value: text }),
    requestHeader: shape({ headerName: text, descriptorKey: text }),
    requestHeaderValueMatch: shape({ headers: listOf(headerMatch), expectMatch: flag, value: text }),
    remoteAddress: shape({}),
  }),
  (entry) => {
    if (Object.keys(entry).length !== 1) {
      throw new RangeError('exactly one of genericKey, requestHeader, requestHeaderValueMatch and remoteAddress must be given');
    }
    return entry;
  },
);

/** `rateLimitService.defaultGlobalRateLimitPolicy`: descriptors as in an HTTPProxy. */
export const rateLimitPolicy: ValueType<DefaultRateLimitPolicy> = shape({
  disabled: flag,
  descriptors: listOf(
    refined(shape({ entries: listOf(descriptorEntry) }), ({ entries = [] }) => {
      if (entries.length === 0) throw new RangeError('entries: must have at least one');
      return { entries };
    }),
  ),
});

/** `globalExtAuth.authPolicy`. */
export const authPolicy: ValueType<DefaultAuthPolicy> = shape({ disabled: flag, context: textMap });

/** `globalExtAuth.withRequestBody`; 1024 bytes where no number, or 0, is given. */
export const requestBody: ValueType<AuthRequestBody> = refined(
  shape({ maxRequestBytes: integer(0, 4_294_967_295), allowPartialMessage: flag, packAsBytes: flag }),
  ({ maxRequestBytes, allowPartialMessage = false, packAsBytes = false }) => ({
    maxRequestBytes: maxRequestBytes || 1024,
    allowPartialMessage,
    packAsBytes,
  }),
);

/** Whether the authorization server speaks gRPC or HTTP. */
export const authServiceType: ValueType<'grpc' | 'http'> = oneOf('grpc', 'http');
