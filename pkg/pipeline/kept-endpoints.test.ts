import { beforeEach, describe, expect, test } from '@jest/globals';
import type { EndpointSlice } from '../apis/discovery/v1/endpoint-slice.ts';
import type { Change } from '../kubernetes-cache/changes.ts';
import type { Key } from '../kubernetes-cache/reader.ts';
import { KeptEndpoints } from './kept-endpoints.ts';

function slice(name: string, service: string, address = '192.0.2.1'): EndpointSlice {
  const metadata = { namespace: 'demo', name, labels: { 'kubernetes.io/service-name': service } };
  const endpoints = [{ addresses: [address] }];
  return { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType: 'IPv4', endpoints } as EndpointSlice;
}

const gone = (before: EndpointSlice): Change => ({ op: 'delete', before, touched: [] });
const come = (after: EndpointSlice): Change => ({ op: 'add', after, touched: [] });
const web: ReadonlySet<Key> = new Set(['Service/demo/web']);
const nothing: ReadonlySet<Key> = new Set();

let kept: KeptEndpoints;

beforeEach(() => {
  kept = new KeptEndpoints();
});

describe('endpoints', () => {
  const [old, other] = [slice('web-1', 'web'), slice('other-1', 'other')];

  test('go with their slice where nobody waits for their Service', () => {
    expect(kept.take([gone(old), gone(other)], web)).toEqual([{ before: other }]);
    expect(kept.slices.size).toBe(1);
  });

  test('that were kept go when nobody waits any longer, after those that come', () => {
    kept.take([gone(old)], web);
    expect(kept.take([], web)).toEqual([]);
    const next = slice('web-2', 'web');
    expect(kept.take([come(next)], nothing)).toEqual([{ after: next }, { before: old }]);
    expect(kept.take([], nothing)).toEqual([]);
  });

  test('that were kept are replaced by a slice of the same name', () => {
    kept.take([gone(old)], web);
    const next = slice('web-1', 'web', '192.0.2.2');
    expect(kept.take([come(next)], web)).toEqual([{ before: old, after: next }]);
    expect(kept.take([], nothing)).toEqual([]);
  });

  test('are none of other kinds', () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'demo', name: 'web' } };
    expect(
      kept.take(
        [
          { op: 'add', after: service, touched: [] },
          { op: 'time', touched: [] },
        ],
        web,
      ),
    ).toEqual([]);
  });
});
