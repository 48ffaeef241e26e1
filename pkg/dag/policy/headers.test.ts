import { describe, expect, test } from '@jest/globals';
import { canonicalHeaderName, escapeHeaderValue, type HeadersInput, headersPolicy, withHeaderDefaults } from './headers.ts';

const variables = { CONTOUR_NAMESPACE: 'ns', ODD: '100%' };

describe('escapeHeaderValue', () => {
  test.each([
    ['plain', 'plain'],
    ['100%', '100%%'],
    ['%UNKNOWN%', '%%UNKNOWN%%'],
    ['%PROTOCOL%', '%PROTOCOL%'],
    ['a %HOSTNAME% b %PROTOCOL% c', 'a %HOSTNAME% b %PROTOCOL% c'],
    ['%REQ(:authority)%', '%REQ(:authority)%'],
    ['%REQ(X-A?X-B):12%', '%REQ(X-A?X-B):12%'],
    ['%REQ(bad name)%', '%%REQ(bad name)%%'],
    ['%REQ(a):123456789%', '%REQ(a):123456789%'],
    ['%REQ(a):99999999999999999999%', '%%REQ(a):99999999999999999999%%'],
    ['%%PROTOCOL%%', '%%%PROTOCOL%%%'],
    ['%UNKNOWN%PROTOCOL%', '%%UNKNOWN%PROTOCOL%'],
    ['%CONTOUR_NAMESPACE%', 'ns'],
    ['%ODD%', '100%%'],
    ['%toString%', '%%toString%%'],
    ['%DYNAMIC_METADATA(["a"])%', '%%DYNAMIC_METADATA(["a"])%%'],
    ['%', '%%'],
    ['', ''],
  ])('%j becomes %j', (text, want) => expect(escapeHeaderValue(text, variables)).toBe(want));
});

describe('canonicalHeaderName', () => {
  test.each([
    ['x-fOO', 'X-Foo'],
    ['HOST', 'Host'],
    ['etag', 'Etag'],
    ['x a', 'x a'],
  ])('%j becomes %j', (name, want) => expect(canonicalHeaderName(name)).toBe(want));
});

describe('what Envoy does not take', () => {
  test.each([
    ['X-A', 'a'.repeat(16_384), undefined],
    ['X-A', 'a'.repeat(16_385), 'invalid set header "X-A": its value is longer than 16384 bytes'],
    ['X-A', '\u65e5'.repeat(5_462), 'invalid set header "X-A": its value is longer than 16384 bytes'],
    ['X-A', '%'.repeat(8_193), 'invalid set header "X-A": its value is longer than 16384 bytes'],
    [`X-${'a'.repeat(16_382)}`, 'v', undefined],
    [`X-${'a'.repeat(16_383)}`, 'v', expect.stringMatching(/^invalid set header "X-a{254}": a header name is .* at most 16384$/)],
  ])('%.10s: %.10s', (name, value, want) => {
    const outcome = headersPolicy({ set: [{ name, value }] }, { host: 'refused', variables });
    expect(outcome.ok ? undefined : outcome.problem.message).toEqual(want);
  });
});

describe('headersPolicy', () => {
  const read = (input: HeadersInput | undefined, host: 'literal-or-header' | 'literal' | 'refused' = 'literal-or-header') =>
    headersPolicy(input, { host, variables });

  test.each([undefined, {}, { set: [], remove: [] }, { set: [{ name: 'Host', value: '' }] }])('%j changes nothing', (input) => {
    expect(read(input)).toEqual({ ok: true, value: undefined });
  });

  test('names are canonical, values escaped, the order is kept', () => {
    const input = {
      set: [
        { name: 'x-b', value: '100%' },
        { name: 'x-a', value: '%CONTOUR_NAMESPACE%' },
      ],
      remove: ['x-z', 'x-c'],
    };
    expect(read(input)).toEqual({
      ok: true,
      value: {
        set: [
          { name: 'X-B', value: '100%%' },
          { name: 'X-A', value: 'ns' },
        ],
        add: [],
        remove: ['X-Z', 'X-C'],
      },
    });
  });

  test.each([
    { name: 'a literal host', value: 'new.example.com', want: { hostRewrite: 'new.example.com' } },
    { name: 'the host of a header', value: '%REQ(x-host)%', want: { hostRewriteHeader: 'X-Host' } },
  ])('$name', ({ value, want }) => {
    expect(read({ set: [{ name: 'hOsT', value }] })).toEqual({ ok: true, value: { set: [], add: [], remove: [], ...want } });
  });

  const refusals: readonly { name: string; input: HeadersInput; host?: 'literal' | 'refused'; want: string }[] = [
    { name: 'a header set twice', input: { set: [{ name: 'x-a' }, { name: 'X-A' }] }, want: 'duplicate header addition: "X-A"' },
    {
      name: 'a host set twice',
      input: {
        set: [
          { name: 'host', value: 'a' },
          { name: 'Host', value: 'b' },
        ],
      },
      want: 'duplicate header addition: "Host"',
    },
    { name: 'a header removed twice', input: { remove: ['x-a', 'X-A'] }, want: 'duplicate header removal: "X-A"' },
    { name: 'a name with a space', input: { set: [{ name: 'x a' }] }, want: 'invalid set header "x a"' },
    { name: 'a pseudo-header', input: { set: [{ name: ':path' }] }, want: 'invalid set header ":path"' },
    { name: 'a removed name with a space', input: { remove: ['x a'] }, want: 'invalid remove header "x a"' },
    { name: 'a value with a line feed', input: { set: [{ name: 'x', value: 'a\nb' }] }, want: 'control character' },
    { name: 'removal of the host', input: { remove: ['host'] }, want: 'invalid remove header "Host"' },
    {
      name: 'a host on responses',
      input: { set: [{ name: 'Host', value: 'a' }] },
      host: 'refused',
      want: 'rewriting "Host" header is not supported',
    },
    {
      name: 'a dynamic host where only literals may be',
      input: { set: [{ name: 'Host', value: '%REQ(A)%' }] },
      host: 'literal',
      want: 'rewriting "Host"',
    },
  ];
  test.each(refusals)('$name is refused', ({ input, host, want }) => {
    expect(read(input, host)).toMatchObject({ ok: false, problem: { message: expect.stringContaining(want) } });
  });
});

describe('withHeaderDefaults', () => {
  const own = { set: [{ name: 'X-Env', value: 'dev' }], add: [], remove: ['X-Mine'] };
  const defaults = { set: { 'x-env': 'prod', 'x-site': '100%', host: 'default.example.com' }, remove: ['x-drop', 'x-mine'] };

  test('what is set wins, removals are united', () => {
    expect(withHeaderDefaults(own, defaults, variables)).toEqual({
      ok: true,
      value: {
        set: [
          { name: 'X-Env', value: 'dev' },
          { name: 'X-Site', value: '100%%' },
        ],
        add: [],
        remove: ['X-Mine', 'X-Drop'],
        hostRewrite: 'default.example.com',
      },
    });
  });

  test.each([{ hostRewrite: 'own.example.com' }, { hostRewriteHeader: 'X-H' }])('a host of its own stays: %j', (host) => {
    expect(withHeaderDefaults({ ...own, ...host }, { set: { host: 'default' }, remove: [] }, variables)).toEqual({
      ok: true,
      value: { ...own, ...host },
    });
  });

  test('without a policy the defaults are all, without defaults the policy is', () => {
    expect(withHeaderDefaults(undefined, { set: { 'x-a': '1' }, remove: [] }, variables)).toMatchObject({
      value: { set: [{ name: 'X-A' }] },
    });
    expect(withHeaderDefaults(own, undefined, variables)).toEqual({ ok: true, value: own });
    expect(withHeaderDefaults(own, { set: {}, remove: [] }, variables)).toEqual({ ok: true, value: own });
  });

  test('a default that is none is a problem', () => {
    expect(withHeaderDefaults(own, { set: { 'x a': '1' }, remove: [] }, variables).ok).toBe(false);
  });
});
