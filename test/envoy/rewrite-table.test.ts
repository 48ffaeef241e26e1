import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FieldRig } from '../lib/field-case.ts';
import { httpProxy } from '../lib/manifests.ts';

/*
 * What a prefix becomes: the table of docs/guides/prefix-rewrites.md. Each row is a host whose one rewritten route stands beside a route for all else, which goes to
 * another backend (`else`).
 */
const rows: readonly { readonly prefix: string; readonly to: string; readonly paths: Readonly<Record<string, string>> }[] = [
  {
    prefix: '/foo',
    to: '/bar',
    paths: { '/foo': '/bar', '/foo/': '/bar/', '/foo/x': '/bar/x', '/foox': '/barx', '/foo?q=1': '/bar?q=1', '/FOO': 'else' },
  },
  { prefix: '/foo', to: '/bar/', paths: { '/foo': '/bar', '/foo/': '/bar/', '/foo/x': '/bar/x' } },
  // projectcontour/contour#899
  { prefix: '/foo', to: '/', paths: { '/foo': '/', '/foo/': '/', '/foo/x?q=1': '/x?q=1', '/foo/x/y/': '/x/y/' } },
  // projectcontour/contour#6981: a slash at the end keeps siblings out.
  { prefix: '/foo/', to: '/bar/', paths: { '/foo': '/bar', '/foo/': '/bar/', '/foo/x': '/bar/x', '/foox': 'else' } },
  { prefix: '/foo/', to: '/bar', paths: { '/foo': '/bar', '/foo/': '/bar/', '/foo/x': '/bar/x', '/foox': 'else' } },
  { prefix: '/foo/', to: '/', paths: { '/foo': '/', '/foo/': '/', '/foo/x': '/x', '/foox': 'else' } },
  { prefix: '/', to: '/bar/', paths: { '/': '/bar/', '/x': '/bar/x' } },
  { prefix: '/', to: '/bar', paths: { '/': '/bar', '/x': '/barx' } },
  { prefix: '/a.b', to: '/c+d', paths: { '/a.b/x': '/c+d/x', '/axb/x': 'else' } },
  { prefix: '/foo', to: '/\\1$0', paths: { '/foo/x': '/\\1$0/x' } },
  {
    prefix: '/foo',
    to: '/bar',
    paths: { '/foo/a%2Fb': '/bar/a%2Fb', '/foo/%20': '/bar/%20', '/fo%6F/x': '/bar/x', '/foo%2Fx': '/bar%2Fx' },
  },
  { prefix: '/foo', to: '/bar', paths: { '/x/../foo/y': '/bar/y', '/foo//x': '/bar/x' } },
];

describe('a prefix that is replaced', () => {
  let rig: FieldRig;
  const hostOf = (i: number): string => `row${i}.example.com`;

  beforeAll(async () => {
    const objects = rows.map(({ prefix, to }, i) => {
      const rewrite = `pathRewritePolicy: {replacePrefix: [{replacement: ${JSON.stringify(to)}}]}`;
      const route = `{conditions: [{prefix: ${JSON.stringify(prefix)}}], ${rewrite}, services: [{name: echo-a, port: 80}]}`;
      const others = prefix === '/' ? '' : ', {services: [{name: echo-b, port: 80}]}';
      return httpProxy(`row${i}`, `{virtualhost: {fqdn: ${hostOf(i)}}, routes: [${route}${others}]}`);
    });
    rig = await FieldRig.start({}, objects.join(''));
  }, 60_000);
  afterAll(() => rig?.[Symbol.asyncDispose]());

  test.each(rows.map((row, i) => ({ ...row, i })))('$prefix by $to', async ({ paths, i }) => {
    const got: Record<string, string> = {};
    for (const path of Object.keys(paths)) {
      const answer = await rig.ask(`${hostOf(i)}${path}`);
      got[path] = answer.headers['x-backend'] === 'echo-a' ? String(answer.json()['path']) : 'else';
    }
    expect(got).toEqual(paths);
  });

  test('Envoy refuses nothing', async () => {
    expect(await rig.rejections()).toEqual([]);
  });
});
