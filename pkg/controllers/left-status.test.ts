import { describe, expect, test } from '@jest/globals';
import type { KubeObject, ManagedFieldsEntry } from '../apis/meta.ts';
import { leftStatus, statusFieldManager } from './left-status.ts';

const us = statusFieldManager({ namespace: 'projectcontour', name: 'leader-elect' });
const status = { conditions: [{ type: 'Valid' }], currentStatus: 'valid', description: 'fine', loadBalancer: {}, other: 'x' };

function proxy(managedFields: readonly ManagedFieldsEntry[], more: object = {}): KubeObject {
  const metadata = { namespace: 'demo', name: 'app', generation: 3, managedFields };
  return { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata, status, ...more } as KubeObject;
}
const wroteStatus = (manager: string): ManagedFieldsEntry => ({ manager, subresource: 'status' });

describe('what we left on an object', () => {
  test('is what we write there, if nobody else has written the status', () => {
    const { loadBalancer: _, other: __, ...ours } = status;
    const found = leftStatus(proxy([{ manager: 'kubectl' }, wroteStatus(us)]), us);
    expect(found).toEqual({ object: { kind: 'HTTPProxy', namespace: 'demo', name: 'app' }, generation: 3, status: ours });
  });

  const theirs: readonly { name: string; object: KubeObject }[] = [
    { name: 'a status of another replica set', object: proxy([wroteStatus('isoline/other/leader-elect')]) },
    { name: 'a status of Contour', object: proxy([wroteStatus('contour')]) },
    { name: 'a status that two have written', object: proxy([wroteStatus(us), wroteStatus('contour')]) },
    { name: 'a status of which nobody knows who wrote it', object: proxy([]) },
    { name: 'no status', object: proxy([wroteStatus(us)], { status: undefined }) },
    { name: 'a status that has been taken away', object: proxy([wroteStatus(us)], { status: { conditions: [] } }) },
    { name: 'a kind that chooses no class', object: proxy([wroteStatus(us)], { kind: 'HTTPRoute' }) },
  ];
  test.each(theirs)('is not $name', ({ object }) => {
    expect(leftStatus(object, us)).toBeUndefined();
  });

  test('is known by a name that the API server takes, however long that of the Lease', () => {
    expect(us).toBe('isoline/projectcontour/leader-elect');
    expect(statusFieldManager({ namespace: 'n'.repeat(63), name: 'l'.repeat(253) })).toHaveLength(128);
  });
});
