import { beforeEach, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import type { KindName } from '../apis/kinds.ts';
import type { KubeObject } from '../apis/meta.ts';
import { prometheusProvider } from '../telemetry/prometheus-provider.ts';
import { kindReconcilers } from './kind-reconcilers.ts';

const controllerName = 'example.com/ours';
const config = { ingressClassNames: ['ours'], gatewayRef: { namespace: 'edge', name: 'gw' }, gatewayControllerName: controllerName };

let told: string[];
let registry: Registry;
let reconcilerOf: ReturnType<typeof kindReconcilers>;

beforeEach(() => {
  told = [];
  registry = new Registry();
  const cache = {
    apply: ({ metadata }: KubeObject) => {
      if (metadata.name === 'broken') throw new Error('a bug');
      told.push(`apply ${metadata.name}`);
    },
    remove: (_kind: string, _namespace: string, name: string) => told.push(`remove ${name}`),
  };
  const onForeign = ({ metadata }: KubeObject) => told.push(`foreign ${metadata.name}`);
  reconcilerOf = kindReconcilers({ cache, config, onForeign, metrics: prometheusProvider(registry) });
});

function tell(kind: KindName, body: object, type: 'add' | 'delete' = 'add'): readonly string[] {
  told = [];
  const object = {
    apiVersion: 'v1',
    kind,
    ...body,
    metadata: { namespace: 'shop', name: 'app', ...(body as { metadata?: object }).metadata },
  };
  reconcilerOf(kind).handle({ type, object });
  return told;
}

describe('the reconciler of a kind', () => {
  test('is named for the kind where objects may be none of our business, and one does for the rest', () => {
    const named = ['Gateway', 'HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute', 'ListenerSet', 'HTTPProxy', 'Ingress'] as const;
    expect(named.map((kind) => reconcilerOf(kind).name)).toEqual(named.map((kind) => `${kind}Reconciler`));
    const others = ['Service', 'Secret', 'BackendTLSPolicy', 'ReferenceGrant'] as const;
    expect(others.map((kind) => reconcilerOf(kind).name)).toEqual(others.map(() => 'ObjectHandler'));
  });

  const to = (name: string, more: object = {}) => ({ namespace: 'edge', name, ...more });
  const entry = (name: string, by = controllerName) => ({ parentRef: to(name), controllerName: by, conditions: [] });
  const cases: readonly { name: string; kind: KindName; body: object; passes: boolean }[] = [
    { name: 'an HTTPProxy of our class', kind: 'HTTPProxy', body: { spec: { ingressClassName: 'ours' } }, passes: true },
    { name: 'an HTTPProxy of another class', kind: 'HTTPProxy', body: { spec: { ingressClassName: 'theirs' } }, passes: false },
    { name: 'an Ingress of another class', kind: 'Ingress', body: { spec: { ingressClassName: 'theirs' } }, passes: false },
    { name: 'our Gateway', kind: 'Gateway', body: { metadata: { namespace: 'edge', name: 'gw' } }, passes: true },
    { name: 'a Gateway of our name elsewhere', kind: 'Gateway', body: { metadata: { namespace: 'shop', name: 'gw' } }, passes: false },
    { name: 'a route to our Gateway', kind: 'HTTPRoute', body: { spec: { parentRefs: [to('other'), to('gw')] } }, passes: true },
    { name: 'a route to another Gateway', kind: 'GRPCRoute', body: { spec: { parentRefs: [to('other')] } }, passes: false },
    {
      name: 'a route to a Gateway of our name in its own namespace',
      kind: 'TLSRoute',
      body: { spec: { parentRefs: [{ name: 'gw' }] } },
      passes: false,
    },
    {
      name: 'a route to a Service',
      kind: 'HTTPRoute',
      body: { spec: { parentRefs: [to('gw', { kind: 'Service', group: '' })] } },
      passes: false,
    },
    {
      name: 'a route to a set of listeners',
      kind: 'TCPRoute',
      body: { spec: { parentRefs: [to('set', { kind: 'ListenerSet' })] } },
      passes: true,
    },
    {
      name: 'a route whose status says that it was ours',
      kind: 'UDPRoute',
      body: { spec: {}, status: { parents: [entry('gw')] } },
      passes: true,
    },
    {
      name: 'a route whose status speaks of others',
      kind: 'HTTPRoute',
      body: { spec: {}, status: { parents: [entry('gw', 'example.com/theirs'), entry('other')] } },
      passes: false,
    },
    { name: 'listeners for our Gateway', kind: 'ListenerSet', body: { spec: { parentRef: to('gw'), listeners: [] } }, passes: true },
    { name: 'listeners for another', kind: 'ListenerSet', body: { spec: { parentRef: { name: 'gw' }, listeners: [] } }, passes: false },
  ];
  test.each(cases)('decides on $name', ({ kind, body, passes }) => {
    const { name = 'app' } = (body as { metadata?: { name?: string } }).metadata ?? {};
    expect(tell(kind, body)).toEqual(passes ? [`apply ${name}`] : [`remove ${name}`, `foreign ${name}`]);
  });

  test('takes what is deleted out, whosever it was', () => {
    expect(tell('HTTPProxy', { spec: { ingressClassName: 'theirs' } }, 'delete')).toEqual(['remove app']);
    expect(tell('Service', {}, 'delete')).toEqual(['remove app']);
  });

  test('counts its work, and what fails in it', async () => {
    const ours = { spec: { ingressClassName: 'ours' } };
    tell('HTTPProxy', ours);
    tell('Secret', {});
    expect(() => tell('HTTPProxy', { ...ours, metadata: { name: 'broken' } })).toThrow('a bug');
    const text = await registry.metrics();
    expect(text).toContain('controller_runtime_reconcile_total{controller="httpproxy",result="success"} 1');
    expect(text).toContain('controller_runtime_reconcile_total{controller="httpproxy",result="error"} 1');
    expect(text).toContain('controller_runtime_reconcile_total{controller="object",result="success"} 1');
    expect(text).toContain('controller_runtime_reconcile_total{controller="httproute",result="success"} 0');
  });
});
