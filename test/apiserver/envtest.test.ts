import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { startApiServer } from '../lib/api-server.ts';

describe('the test environment', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await startApiServer({ namespaces: ['shop'] });
  }, 150_000);
  afterAll(() => environment.stop());

  test('is a real API server with the namespaces that were asked for', async () => {
    const shop = await environment.request({ method: 'GET', path: '/api/v1/namespaces/shop' });
    expect(shop).toMatchObject({ kind: 'Namespace', status: { phase: 'Active' } });
  });

  test('refuses what is wrong, with the status', async () => {
    const body = { metadata: { name: 'Not A Name' } };
    await expect(environment.request({ method: 'POST', path: '/api/v1/namespaces', body })).rejects.toMatchObject({
      status: 422,
    });
  });

  test('keeps its objects over a restart of the API server', async () => {
    await environment.stopApiServer();
    await expect(environment.request({ method: 'GET', path: '/version' })).rejects.toThrow('ECONNREFUSED');
    await environment.startApiServer();
    const shop = await environment.request({ method: 'GET', path: '/api/v1/namespaces/shop' });
    expect(shop).toMatchObject({ kind: 'Namespace' });
  }, 60_000);
});
