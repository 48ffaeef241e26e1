import { describe, expect, test } from '@jest/globals';
import type { KindName } from '../../apis/kinds.ts';
import type { KubeObject } from '../../apis/meta.ts';
import { trimmer } from './trim.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function trim(kind: KindName, object: object, metadata: object = {}): KubeObject {
  return trimmer(kind, 'v1')({ apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'ns', ...metadata }, ...object } as KubeObject);
}

describe('what is kept of an object', () => {
  test('of metadata: no managed fields of the object, no owners, not what kubectl applied last', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', mine: 'x' };
    const kept = { generation: 2, resourceVersion: '7', uid: 'u', creationTimestamp: 't', labels: { a: 'b' } };
    const trimmed = trim(
      'HTTPProxy',
      { spec: { routes: [] } },
      { ...kept, annotations, managedFields: [{}], ownerReferences: [{}], finalizers: ['f'] },
    );
    expect(trimmed).toEqual({
      apiVersion: 'v1',
      kind: 'HTTPProxy',
      metadata: { name: 'a', namespace: 'ns', ...kept, annotations: { mine: 'x' } },
      spec: { routes: [] },
    });
  });

  test('of kinds that choose a class: who wrote their status', () => {
    const managedFields = [
      { manager: 'kubectl', operation: 'Update', fieldsV1: {} },
      { manager: 'someone', operation: 'Update', subresource: 'status', fieldsV1: { 'f:status': {} } },
    ];
    const writers = { managedFields: [{ manager: 'someone', subresource: 'status' }] };
    for (const kind of ['HTTPProxy', 'Ingress'] as const) expect(trim(kind, {}, { managedFields }).metadata).toMatchObject(writers);
    expect(trim('HTTPRoute', {}, { managedFields }).metadata).not.toHaveProperty('managedFields');
  });

  test('of a Secret: certificates, keys, revocation lists and key sets', () => {
    const data = {
      'tls.crt': base64('c'),
      'tls.key': base64('k'),
      'ca.crt': base64('a'),
      'crl.pem': base64('r'),
      'any-name': base64('\n {"keys":[]}'),
      password: base64('eyes only'),
      json: base64('{"user":"x"}'),
    };
    const { password: _, json: __, ...kept } = data;
    expect(trim('Secret', { type: 'Opaque', data })).toMatchObject({ type: 'Opaque', data: kept });
    expect(trim('Secret', { type: 'Opaque', data })).not.toHaveProperty('data.password');
    expect(trim('Secret', { type: 'Opaque', data })).not.toHaveProperty('data.json');
  });

  test('of a Secret of another type: that it exists', () => {
    const secret = trim('Secret', { type: 'kubernetes.io/dockerconfigjson', data: { 'tls.crt': base64('c') } });
    expect(secret).toMatchObject({ type: 'kubernetes.io/dockerconfigjson', data: {} });
  });

  test('of a ConfigMap: the CA bundle', () => {
    expect(trim('ConfigMap', { data: { 'ca.crt': 'pem', other: 'x' }, binaryData: { other: 'x' } })).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'ns' },
      data: { 'ca.crt': 'pem' },
    });
  });

  test('of an EndpointSlice: no pods and no nodes', () => {
    const endpoint = { addresses: ['10.0.0.1'], conditions: { ready: true }, zone: 'z' };
    const slice = trim('EndpointSlice', {
      addressType: 'IPv4',
      endpoints: [{ ...endpoint, nodeName: 'n', targetRef: { kind: 'Pod' } }],
      ports: [],
    });
    expect(slice).toMatchObject({ addressType: 'IPv4', endpoints: [endpoint], ports: [] });
    expect(slice).not.toHaveProperty('endpoints.0.nodeName');
    expect(slice).not.toHaveProperty('endpoints.0.targetRef');
  });

  test('a slice whose endpoints are null has none', () => {
    expect(trim('EndpointSlice', { addressType: 'IPv4', endpoints: null })).toMatchObject({ endpoints: [] });
  });
});
