import { describe, expect, test } from '@jest/globals';
import { buildProxies, proxies } from '../../../../test/lib/httpproxies.ts';
import { service } from '../../../../test/lib/memory-reader.ts';
import type { Route } from '../../model/route.ts';

const services = [service('ns/a'), service('ns/b'), service('other/c')];
const world = (yaml: string) => buildProxies([...services, ...proxies(yaml)]);
const app = 'virtualhost: {fqdn: app.example.com}';

/** A route in few words: its path, and the Service or status that answers. */
function told({ match, action }: Route): string {
  const path =
    match.path.type === 'prefix' ? match.path.prefix : match.path.type === 'exact' ? `=${match.path.path}` : `~${match.path.regex}`;
  const answer =
    action.type === 'forward'
      ? action.clusters.map(({ cluster }) => cluster.service.name).join('+')
      : action.type === 'redirect'
        ? 'redirect'
        : action.status;
  return `${path} ${[...match.headers.map(({ name }) => name), answer].join(' ')}`;
}

describe('includes', () => {
  test('conditions are joined along the chain, across namespaces', () => {
    const { routes, status } = world(`
root: {${app}, includes: [{name: mid, namespace: other, conditions: [{prefix: /one}, {header: {name: x-a, present: true}}]}], routes: [{services: [{name: a, port: 80}]}]}
---
other/mid: {includes: [{name: leaf, namespace: ns, conditions: [{prefix: /two}]}], routes: [{services: [{name: c, port: 80}]}]}
---
leaf: {routes: [{conditions: [{prefix: /three}], services: [{name: b, port: 80}]}, {conditions: [{exact: /only}], services: [{name: b, port: 80}]}]}`);
    expect(routes().map(told)).toEqual(['/one/two/three x-a b', '=/one/two/only x-a b', '/one x-a c', '/ a']);
    expect(['root', 'other/mid', 'leaf'].map(status)).toEqual(['valid', 'valid', 'valid']);
    expect(routes().map(({ origin }) => `${origin.namespace}/${origin.name} ${origin.path}`)).toEqual([
      'ns/leaf spec.routes[0]',
      'ns/leaf spec.routes[1]',
      'other/mid spec.routes[0]',
      'ns/root spec.routes[0]',
    ]);
  });

  test('a child may be reached by two roots', () => {
    const { routes, status, statuses } = world(`
one: {virtualhost: {fqdn: one.example.com}, includes: [{name: child, conditions: [{prefix: /x}]}]}
---
two: {virtualhost: {fqdn: two.example.com}, includes: [{name: child, conditions: [{prefix: /y}]}]}
---
child: {routes: [{services: [{name: a, port: 80}]}]}`);
    expect([...routes('one.example.com'), ...routes('two.example.com')].map(told)).toEqual(['/x a', '/y a']);
    expect(status('child')).toBe('valid');
    expect(statuses.filter(({ object: { name } }) => name === 'child')).toHaveLength(3);
  });

  test.each([
    { name: 'missing', others: '', want: 'IncludeError/IncludeNotFound' },
    {
      name: 'a root itself',
      others: '---\nchild: {virtualhost: {fqdn: two.example.com}, routes: [{services: [{name: b, port: 80}]}]}',
      want: 'IncludeError/RootIncludesRoot',
    },
  ])('of a proxy that is $name answers 502 in place of a broader route', ({ others, want }) => {
    const { routes, status } = world(`
root: {${app}, includes: [{name: child, conditions: [{prefix: /pay}, {header: {name: x-a, present: true}}]}], routes: [{services: [{name: a, port: 80}]}]}
${others}`);
    expect(status('root')).toBe(want);
    expect(routes().map(told)).toEqual(['/pay x-a 502', '/ a']);
    expect(routes()[0]?.origin.path).toBe('spec.includes[0]');
  });

  test('a missing one without conditions takes nothing from the others', () => {
    const { routes, status } = world(`root: {${app}, includes: [{name: child}], routes: [{services: [{name: a, port: 80}]}]}`);
    expect(status('root')).toBe('IncludeError/IncludeNotFound');
    expect(routes().map(told)).toEqual(['/ a']);
  });

  test('the 502 of a nested include stays below what its proxy was given', () => {
    const { routes, status } = world(`
root: {${app}, includes: [{name: child, conditions: [{prefix: /team}]}], routes: [{services: [{name: a, port: 80}]}]}
---
child: {includes: [{name: nope, conditions: [{prefix: /x}]}]}`);
    expect(status('child')).toBe('IncludeError/IncludeNotFound');
    expect(routes().map(told)).toEqual(['/team/x 502', '/ a']);
  });

  test('one that is missing is waited for', () => {
    expect([...world(`root: {${app}, includes: [{name: child, namespace: other}]}`).keys]).toContain('HTTPProxy/other/child');
  });

  test('a cycle is told on the proxy that is reached again; the rest is served', () => {
    const { routes, status, messages } = world(`
root: {${app}, includes: [{name: one, conditions: [{prefix: /a}]}], routes: [{services: [{name: a, port: 80}]}]}
---
one: {includes: [{name: two, conditions: [{prefix: /b}]}]}
---
two: {includes: [{name: one, conditions: [{prefix: /c}]}], routes: [{services: [{name: b, port: 80}]}]}`);
    expect(['root', 'one', 'two'].map(status)).toEqual(['valid', 'IncludeError/IncludeCreatesCycle', 'valid']);
    expect(messages('one')).toContain('ns/root -> ns/one -> ns/two -> ns/one');
    expect(routes().map(told)).toEqual(['/a/b b', '/ a']);
  });

  test('includes that multiply with every level end at a limit, and what is left out answers 502', () => {
    const levels = Array.from({ length: 20 }, (_, i) => {
      const [left, right] = ['a', 'b'].map((side) => `{name: l${i + 1}, conditions: [{prefix: /${side}${i}}]}`);
      return `l${i}: {${i === 0 ? `${app}, ` : ''}includes: [${left}, ${right}]}`;
    });
    const { routes, status } = world([...levels, 'l20: {routes: [{services: [{name: a, port: 80}]}]}'].join('\n---\n'));
    expect(status('l0')).toBe('IncludeError/TooManyIncludes');
    expect(routes().some((route) => told(route).endsWith(' 502'))).toBe(true);
    expect(routes().length).toBeLessThan(20_000);
  });

  test('a proxy that includes itself is a cycle', () => {
    const { status } = world(`
root: {${app}, includes: [{name: one}]}
---
one: {includes: [{name: one}], routes: [{services: [{name: a, port: 80}]}]}`);
    expect(status('one')).toBe('IncludeError/IncludeCreatesCycle');
  });

  const refusals: readonly { name: string; conditions: string; want: string }[] = [
    { name: 'an exact path', conditions: '[{exact: /x}]', want: 'IncludeError/PathMatchConditionsNotValid' },
    { name: 'a regex', conditions: '[{regex: /x}]', want: 'IncludeError/PathMatchConditionsNotValid' },
    { name: 'two paths', conditions: '[{prefix: /x}, {prefix: /y}]', want: 'IncludeError/PathMatchConditionsNotValid' },
    { name: 'no slash', conditions: '[{prefix: x}]', want: 'IncludeError/PathMatchConditionsNotValid' },
    { name: 'a bad header regex', conditions: '[{header: {name: x, regex: "["}}]', want: 'RouteError/HeaderMatchConditionsNotValid' },
    { name: 'no query operator', conditions: '[{queryParameter: {name: x}}]', want: 'RouteError/QueryParameterMatchConditionsNotValid' },
  ];
  test.each(refusals)('with $name is skipped, the others stay', ({ conditions, want }) => {
    const { routes, status } = world(`
root: {${app}, includes: [{name: child, conditions: ${conditions}}, {name: child, conditions: [{prefix: /ok}]}]}
---
child: {routes: [{services: [{name: a, port: 80}]}]}`);
    expect(status('root')).toBe(want);
    expect(routes().map(told)).toEqual(['/ok a']);
  });
});

describe('duplicate includes', () => {
  const two = (first: string, second: string) =>
    world(`
root: {${app}, includes: [{name: one, conditions: ${first}}, {name: two, conditions: ${second}}]}
---
one: {routes: [{services: [{name: a, port: 80}]}]}
---
two: {routes: [{services: [{name: b, port: 80}]}]}`);

  test.each([
    ['[{prefix: /x}]', '[{prefix: /x}]'],
    ['[{prefix: /x}]', '[{prefix: //x}]'],
    ['[{header: {name: x, exact: a}}, {header: {name: y, exact: b}}]', '[{header: {name: Y, exact: b}}, {header: {name: x, exact: a}}]'],
    ['[{prefix: /}, {queryParameter: {name: q, exact: a}}]', '[{queryParameter: {name: q, exact: a}}]'],
  ])('%s and %s are: the first is served', (first, second) => {
    const { routes, status } = two(first, second);
    expect(status('root')).toBe('IncludeError/DuplicateMatchConditions');
    expect(status('two')).toBe('orphaned');
    expect(routes().map(({ action }) => action)).toMatchObject([{ clusters: [{ cluster: { service: { name: 'a' } } }] }]);
  });

  test.each([
    ['[]', '[]'],
    ['[]', '[{prefix: /}]'],
    ['[{prefix: /x}]', '[{prefix: /x/}]'],
    [
      '[{header: {name: x, exact: red}}, {header: {name: y, exact: blue}}]',
      '[{header: {name: x, exact: red}}, {header: {name: y, exact: green}}]',
    ],
    ['[{queryParameter: {name: q, exact: a}}]', '[{queryParameter: {name: q, exact: a, ignoreCase: true}}]'],
  ])('%s and %s are none', (first, second) => {
    expect(two(first, second).status('root')).toBe('valid');
  });
});

describe('an error in a route', () => {
  test('leaves its proxy and what that includes without routes, and the others alone', () => {
    const { routes, status } = world(`
root: {${app}, includes: [{name: bad, conditions: [{prefix: /bad}]}, {name: good, conditions: [{prefix: /good}]}], routes: [{services: [{name: a, port: 80}]}]}
---
bad: {includes: [{name: leaf, conditions: [{prefix: /leaf}]}], routes: [{services: [{name: a, port: 80}]}, {conditions: [{prefix: x}], services: [{name: a, port: 80}]}]}
---
leaf: {routes: [{services: [{name: a, port: 80}]}]}
---
good: {routes: [{services: [{name: b, port: 80}]}]}`);
    expect(['root', 'bad', 'leaf', 'good'].map(status)).toEqual(['valid', 'RouteError/PathMatchConditionsNotValid', 'valid', 'valid']);
    expect(routes().map(told)).toEqual(['/good b', '/ a']);
  });
});

describe('prefix rewrites', () => {
  const rewriting = (prefix: string, replacement: string) =>
    `{conditions: [{prefix: ${prefix}}], pathRewritePolicy: {replacePrefix: [{replacement: ${replacement}}]}, services: [{name: a, port: 80}]}`;
  const rewrites = (built: ReturnType<typeof world>) =>
    built.routes().map((route) => {
      const rewrite = route.action.type === 'forward' ? route.action.forward?.pathRewrite : undefined;
      return `${told(route)} -> ${rewrite?.type === 'prefix' ? rewrite.replacement : 'as it is'}`;
    });

  test.each([
    { prefix: '/foo', replacement: '/bar', want: ['/foo a -> /bar', '/foo/ a -> /bar/'] },
    { prefix: '/foo', replacement: '/bar/', want: ['/foo a -> /bar', '/foo/ a -> /bar/'] },
    { prefix: '/foo', replacement: '/', want: ['/foo a -> /', '/foo/ a -> /'] },
    { prefix: '/foo/', replacement: '/bar', want: ['=/foo a -> /bar', '/foo/ a -> /bar/'] },
    { prefix: '/', replacement: '/bar/', want: ['/ a -> /bar/'] },
  ])('$prefix to $replacement', ({ prefix, replacement, want }) => {
    expect(rewrites(world(`app: {${app}, routes: [${rewriting(prefix, replacement)}]}`))).toEqual(want);
  });

  test('a user who has both forms is left alone', () => {
    const yaml = `app: {${app}, routes: [${rewriting('/foo', '/bar')}, ${rewriting('/foo/', '/baz/')}]}`;
    expect(rewrites(world(yaml))).toEqual(['/foo a -> /bar', '/foo/ a -> /baz/']);
  });

  test('what a child split its parents do not split again', () => {
    const built = world(`
root: {${app}, includes: [{name: child, conditions: [{prefix: /app}]}], routes: [{services: [{name: b, port: 80}]}]}
---
child: {routes: [${rewriting('/docs/', '/v1/')}]}`);
    expect(rewrites(built)).toEqual(['=/app/docs a -> /v1', '/app/docs/ a -> /v1/', '/ b -> as it is']);
  });

  test('the entry for the whole routing prefix counts', () => {
    const child =
      'child: {routes: [{conditions: [{prefix: /api}], pathRewritePolicy: {replacePrefix: [{prefix: /one/api, replacement: /special}, {replacement: /default}]}, services: [{name: a, port: 80}]}]}';
    const from = (prefix: string) =>
      rewrites(world(`root: {${app}, includes: [{name: child, conditions: [{prefix: ${prefix}}]}]}\n---\n${child}`));
    expect(from('/one')[0]).toBe('/one/api a -> /special');
    expect(from('/two')[0]).toBe('/two/api a -> /default');
  });

  test.each([
    { policy: '[{replacement: /b}]', condition: '{exact: /a}', want: 'MustHavePrefix' },
    { policy: '[{prefix: /a, replacement: /b}, {prefix: /a, replacement: /c}]', condition: '{prefix: /a}', want: 'DuplicateReplacement' },
    { policy: '[{replacement: /b}, {replacement: /c}]', condition: '{prefix: /a}', want: 'AmbiguousReplacement' },
  ])('$want', ({ policy, condition, want }) => {
    const yaml = `app: {${app}, routes: [{conditions: [${condition}], pathRewritePolicy: {replacePrefix: ${policy}}, services: [{name: a, port: 80}]}]}`;
    const { status, parts } = world(yaml);
    expect(status('app')).toBe(`PrefixReplaceError/${want}`);
    expect(parts).toEqual([]);
  });
});
