import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type FieldCase, FieldRig } from '../lib/field-case.ts';
import { httpProxy } from '../lib/manifests.ts';

/** The root HTTPProxy of `app.example.com`, with the rest of its spec. */
const root = (rest: string): string => `
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {name: root, namespace: demo}
spec:
  virtualhost: {fqdn: app.example.com}
  ${rest.trim().replaceAll('\n', '\n  ')}
---
`;

const toA = 'services: [{name: echo-a, port: 80}]';
const toB = 'services: [{name: echo-b, port: 80}]';

const cases: readonly FieldCase[] = [
  {
    name: 'hosts that differ in case alone are duplicates, and no other host suffers (projectcontour/contour#3230)',
    steps: [
      {
        apply: root(`routes: [{${toA}}]`),
        statuses: { root: 'valid' },
        answers: { 'APP.EXAMPLE.COM/': 'echo-a', 'app.example.com/': 'echo-a' },
      },
      {
        unchecked: httpProxy('upper', `{virtualhost: {fqdn: APP.Example.com}, routes: [{${toB}}]}`),
        statuses: { root: 'VirtualHostError/DuplicateVhost', upper: 'VirtualHostError/DuplicateVhost' },
        answers: { 'app.example.com/': '404' },
      },
      {
        apply: httpProxy('elsewhere', `{virtualhost: {fqdn: two.example.com}, routes: [{${toB}}]}`),
        statuses: { elsewhere: 'valid' },
        answers: { 'two.example.com/': 'echo-b' },
      },
      { remove: ['HTTPProxy demo/upper'], statuses: { root: 'valid' }, answers: { 'app.example.com/': 'echo-a' } },
    ],
  },
  {
    name: 'includes that share one header condition are no duplicates (projectcontour/contour#4907)',
    steps: [
      {
        apply:
          root(`
includes:
- {name: child-a, conditions: [{header: {name: x-one, exact: red}}, {header: {name: x-two, exact: blue}}]}
- {name: child-b, conditions: [{header: {name: x-one, exact: red}}, {header: {name: x-two, exact: green}}]}`) +
          httpProxy('child-a', `{routes: [{${toA}}]}`) +
          httpProxy('child-b', `{routes: [{${toB}}]}`),
        statuses: { root: 'valid', 'child-a': 'valid', 'child-b': 'valid' },
        answers: {
          'app.example.com/ | x-one: red | x-two: blue': 'echo-a',
          'app.example.com/ | x-one: red | x-two: green': 'echo-b',
          'app.example.com/ | x-one: red': '404',
        },
      },
      {
        apply: root(`
includes:
- {name: child-a, conditions: [{header: {name: x-one, exact: red}}, {header: {name: x-two, exact: blue}}]}
- {name: child-b, conditions: [{header: {name: x-two, exact: blue}}, {header: {name: x-one, exact: red}}]}`),
        statuses: { root: 'IncludeError/DuplicateMatchConditions' },
        answers: { 'app.example.com/ | x-one: red | x-two: blue': 'echo-a' },
      },
    ],
  },
  {
    name: 'includes without conditions are no duplicates (projectcontour/contour#5014)',
    steps: [
      {
        apply:
          root('includes: [{name: child-a}, {name: child-b}]') +
          httpProxy('child-a', `{routes: [{conditions: [{prefix: /graphql}], ${toA}}]}`) +
          httpProxy('child-b', `{routes: [{${toB}}]}`),
        statuses: { root: 'valid', 'child-a': 'valid', 'child-b': 'valid' },
        answers: { 'app.example.com/graphql': 'echo-a', 'app.example.com/x': 'echo-b' },
      },
      {
        apply: root('includes: [{name: child-a, conditions: [{prefix: /}]}, {name: child-b, conditions: [{prefix: /}]}]'),
        statuses: { root: 'valid' },
        answers: { 'app.example.com/graphql': 'echo-a', 'app.example.com/x': 'echo-b' },
      },
    ],
  },
  {
    name: 'an include of a root, or of nothing, answers 502 on its own prefix alone (projectcontour/contour#5016)',
    steps: [
      {
        apply:
          root(`
includes: [{name: second-root, conditions: [{prefix: /pay}]}, {name: missing, conditions: [{prefix: /gone}]}]
routes: [{${toA}}]`) + httpProxy('second-root', `{virtualhost: {fqdn: two.example.com}, routes: [{${toB}}]}`),
        statuses: { root: 'IncludeError/RootIncludesRoot IncludeError/IncludeNotFound', 'second-root': 'valid' },
        answers: {
          'app.example.com/pay': '502',
          'app.example.com/gone/x': '502',
          'app.example.com/': 'echo-a',
          'two.example.com/': 'echo-b',
        },
      },
      {
        apply: httpProxy('missing', `{routes: [{${toB}}]}`),
        statuses: { root: 'IncludeError/RootIncludesRoot' },
        answers: { 'app.example.com/gone/x': 'echo-b', 'app.example.com/pay': '502' },
      },
    ],
  },
  {
    name: 'a wrong port of one route leaves the others serving (projectcontour/contour#2019, #3039)',
    steps: [
      {
        apply: root(`routes: [{conditions: [{prefix: /bad}], services: [{name: echo-a, port: 8181}]}, {${toB}}]`),
        statuses: { root: 'ServiceError/ServiceUnresolvedReference' },
        messages: { root: '8181' },
        answers: { 'app.example.com/bad': '503', 'app.example.com/': 'echo-b' },
      },
      {
        apply: root(`routes: [{conditions: [{prefix: /bad}], ${toA}}, {${toB}}]`),
        statuses: { root: 'valid' },
        answers: { 'app.example.com/bad': 'echo-a' },
      },
    ],
  },
  {
    name: 'a cycle of includes ends, is told, and mends when it is broken (projectcontour/contour#1458)',
    steps: [
      {
        apply:
          root(`
includes: [{name: one, conditions: [{prefix: /a}]}]
routes: [{${toA}}]`) +
          httpProxy('one', '{includes: [{name: two, conditions: [{prefix: /b}]}]}') +
          httpProxy('two', `{includes: [{name: one, conditions: [{prefix: /c}]}], routes: [{${toB}}]}`),
        statuses: { root: 'valid', one: 'IncludeError/IncludeCreatesCycle', two: 'valid' },
        messages: { one: 'demo/one -> demo/two -> demo/one' },
        answers: { 'app.example.com/': 'echo-a', 'app.example.com/a/b': 'echo-b' },
      },
      {
        apply: httpProxy('elsewhere', `{virtualhost: {fqdn: two.example.com}, routes: [{${toB}}]}`),
        answers: { 'two.example.com/': 'echo-b' },
      },
      {
        apply: httpProxy('two', `{routes: [{${toB}}]}`),
        statuses: { root: 'valid', one: 'valid', two: 'valid' },
        answers: { 'app.example.com/a/b': 'echo-b', 'app.example.com/a/b/c': 'echo-b' },
      },
    ],
  },
  {
    name: 'a header condition `contains` is literal (projectcontour/contour#1751)',
    steps: [
      {
        apply: root(`routes: [{conditions: [{header: {name: x-ver, contains: "1.2(b)+"}}], ${toB}}, {${toA}}]`),
        statuses: { root: 'valid' },
        answers: { 'app.example.com/ | x-ver: v1.2(b)+x': 'echo-b', 'app.example.com/ | x-ver: v1x2bb': 'echo-a' },
      },
    ],
  },
  {
    name: 'longer patterns and prefixes come first, whatever their letters (projectcontour/contour#5752)',
    steps: [
      {
        apply: root(`
routes:
- {conditions: [{regex: "/foo.*"}], ${toA}}
- {conditions: [{regex: "/[a-z]+/long/tail"}], ${toB}}
- {conditions: [{exact: /foo/exact}], ${toB}}
- {conditions: [{prefix: /z}], ${toA}}
- {conditions: [{prefix: /z/a}], ${toB}}`),
        statuses: { root: 'valid' },
        answers: {
          'app.example.com/foo/long/tail': 'echo-b',
          'app.example.com/foo/other': 'echo-a',
          'app.example.com/foo/exact': 'echo-b',
          'app.example.com/z/b': 'echo-a',
          'app.example.com/z/a': 'echo-b',
        },
      },
    ],
  },
  {
    name: 'two roots for one host are both refused, and the first recovers when the second goes (projectcontour/contour#640)',
    steps: [
      { apply: root(`routes: [{${toA}}]`), statuses: { root: 'valid' }, answers: { 'app.example.com/': 'echo-a' } },
      {
        apply: httpProxy('other/second', '{virtualhost: {fqdn: app.example.com}, routes: [{services: [{name: echo-c, port: 80}]}]}'),
        statuses: { root: 'VirtualHostError/DuplicateVhost', 'HTTPProxy other/second': 'VirtualHostError/DuplicateVhost' },
        messages: { root: 'other/second', 'HTTPProxy other/second': 'demo/root' },
        answers: { 'app.example.com/': '404' },
      },
      { remove: ['HTTPProxy other/second'], statuses: { root: 'valid' }, answers: { 'app.example.com/': 'echo-a' } },
    ],
  },
];

describe('HTTPProxy', () => {
  let rig: FieldRig;
  beforeAll(async () => {
    rig = await FieldRig.start();
  }, 30_000);
  afterEach(() => rig.clear());
  afterAll(() => rig[Symbol.asyncDispose]());

  test.each(cases)('$name', (fieldCase) => rig.run(fieldCase));

  test('every change of one route reaches Envoy, not the first alone (projectcontour/contour#1514)', async () => {
    for (const service of ['a', 'b', 'a', 'b', 'a', 'b']) {
      await rig.apply(root(`routes: [{services: [{name: echo-${service}, port: 80}]}]`));
      await rig.expectAnswers({ 'app.example.com/': `echo-${service}` });
    }
    expect(await rig.rejections()).toEqual([]);
  });
});
