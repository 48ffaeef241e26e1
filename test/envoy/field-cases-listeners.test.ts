import { describe, expect, test } from '@jest/globals';
import type { Config } from '../../pkg/config/config.ts';
import { FieldRig } from '../lib/field-case.ts';
import { httpProxy } from '../lib/manifests.ts';

const app = httpProxy(
  'app',
  '{virtualhost: {fqdn: app.example.com, tls: {secretName: tls-a}}, routes: [{permitInsecure: true, conditions: [{prefix: /admin}], directResponsePolicy: {statusCode: 403}}, {permitInsecure: true, services: [{name: echo-a, port: 80}]}]}',
);

const listener = (changes: Partial<Config['listener']>) => ({
  config: ({ listener }: Config) => ({ listener: { ...listener, ...changes } }),
});

describe('listeners', () => {
  test('a dot at the end of Host is cut off where that is asked for, before SNI is compared (projectcontour/contour#6792)', async () => {
    await using rig = await FieldRig.start(listener({ stripTrailingHostDot: true }), app);
    await rig.expectAnswers({
      'app.example.com./': 'echo-a',
      'app.example.com.:80/': 'echo-a',
      'https://app.example.com/ | host: app.example.com.': 'echo-a',
      'https://app.example.com/ | host: app.example.com.:8443': 'echo-a',
      'https://app.example.com/ | host: keep.example.com.': '421',
    });
  }, 30_000);

  test('by default a dot at the end of Host makes another host (projectcontour/contour#6792)', async () => {
    await using rig = await FieldRig.start({}, app);
    await rig.expectAnswers({ 'app.example.com./': '404', 'app.example.com/': 'echo-a' });
  }, 30_000);

  test('slashes are merged but where that is switched off (projectcontour/contour#2344)', async () => {
    await using rig = await FieldRig.start(listener({ disableMergeSlashes: true }), app);
    await rig.expectAnswers({
      'app.example.com//admin': 'echo-a //admin',
      'app.example.com/admin': '403',
      'app.example.com/x/../admin': '403',
    });
    expect(await rig.rejections()).toEqual([]);
  }, 30_000);
});
