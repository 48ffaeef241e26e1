import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { cacheDir, findEnvoy, findKubeApiserver, gatewayApiCrdDir } from './binaries.ts';

const names = ['ENVOY', 'KUBE_APISERVER', 'KUBEBUILDER_ASSETS', 'PATH', 'ISOLINE_CACHE', 'XDG_CACHE_HOME'] as const;
let saved: Partial<Record<string, string>>;
let dir: string;

beforeEach(() => {
  saved = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  for (const name of names) delete process.env[name];
  dir = mkdtempSync(join(tmpdir(), 'isoline-binaries-'));
  process.env['ISOLINE_CACHE'] = join(dir, 'cache');
});

afterEach(() => {
  for (const name of names) {
    if (saved[name] === undefined) delete process.env[name];
    else process.env[name] = saved[name];
  }
  rmSync(dir, { recursive: true });
});

/** Makes an executable file below the test's folder. */
function program(...path: string[]): string {
  const file = join(dir, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

describe('where programs are looked for', () => {
  test('the variable comes first, then PATH, then the cache', () => {
    const cached = program('cache/bin/envoy');
    expect(findEnvoy()).toBe(cached);
    const onPath = program('path/envoy');
    process.env['PATH'] = `${join(dir, 'other')}:${join(dir, 'path')}`;
    expect(findEnvoy()).toBe(onPath);
    const given = program('my-envoy');
    process.env['ENVOY'] = given;
    expect(findEnvoy()).toBe(given);
  });

  test('KUBEBUILDER_ASSETS comes before PATH', () => {
    program('path/kube-apiserver');
    const asset = program('assets/kube-apiserver');
    process.env['PATH'] = join(dir, 'path');
    process.env['KUBEBUILDER_ASSETS'] = join(dir, 'assets');
    expect(findKubeApiserver()).toBe(asset);
  });

  test('a folder or a plain file of that name is passed over', () => {
    mkdirSync(join(dir, 'path/envoy'), { recursive: true });
    mkdirSync(join(dir, 'plain'));
    writeFileSync(join(dir, 'plain/envoy'), '');
    const cached = program('cache/bin/envoy');
    process.env['PATH'] = `${join(dir, 'path')}:${join(dir, 'plain')}`;
    expect(findEnvoy()).toBe(cached);
  });

  test('a variable that names nothing is an error, whatever else is there', () => {
    program('cache/bin/envoy');
    process.env['ENVOY'] = '/nowhere/envoy';
    expect(findEnvoy).toThrow('$ENVOY is /nowhere/envoy, which is not an executable file');
  });

  test('where there is none, the error says what to run', () => {
    expect(findEnvoy).toThrow('run hack/fetch-binaries.sh envoy');
    expect(() => gatewayApiCrdDir()).toThrow('run hack/fetch-binaries.sh gateway-api-crds');
  });
});

test('the cache folder follows XDG_CACHE_HOME where it is not given', () => {
  delete process.env['ISOLINE_CACHE'];
  process.env['XDG_CACHE_HOME'] = '/var/cache/me';
  expect(cacheDir()).toBe('/var/cache/me/isoline');
});
