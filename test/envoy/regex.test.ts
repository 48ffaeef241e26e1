import { expect, test } from '@jest/globals';
import { FieldRig } from '../lib/field-case.ts';
import { httpProxy } from '../lib/manifests.ts';

/** Among them what is as large as we let it be, in the forms that cost Envoy the most. */
const patterns = [
  '/\\pL{1000}'.repeat(19),
  '/[^a]{1000}'.repeat(19),
  '/(?i:\\pL{1000})'.repeat(19),
  '/(a|bb){300}'.repeat(10),
  '/.{1000}',
  '/((a{10}){10}){10}',
  '/\\x{FF}[\\x{41}-\\x{5A}]',
  '/\\Q\\x{100}\\E',
  '/é[α-ω]+',
  '/(?P<name>x)(?i)y(?s:.)\\p{Greek}[[:word:]]\\z',
  `/(${Array.from({ length: 3000 }, (_, i) => `path-${i}`).join('|')})`,
];

test('Envoy takes every expression that we take', async () => {
  await using rig = await FieldRig.start();
  const services = [{ name: 'echo-a', port: 80 }];
  const routes = patterns.map((regex) => ({ conditions: [{ regex }], services }));
  await rig.apply(httpProxy('app', JSON.stringify({ virtualhost: { fqdn: 'app.example.com' }, routes })));
  expect(rig.plane.status('HTTPProxy demo/app')).toBe('valid');
  await rig.expectAnswers({ 'app.example.com/path-2999': 'echo-a', 'app.example.com/path-x': '404' });
  expect(await rig.rejections()).toEqual([]);
}, 30_000);
