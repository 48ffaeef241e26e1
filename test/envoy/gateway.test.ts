import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { selfSigned } from '../lib/certificates.ts';
import { freePort } from '../lib/envoy-process.ts';
import { FieldRig } from '../lib/field-case.ts';
import { exchange } from '../lib/http-client.ts';
import { endpointSlice, manifest, service } from '../lib/manifests.ts';

const api = 'gateway.networking.k8s.io/v1';

const objects = `
apiVersion: ${api}
kind: GatewayClass
metadata: {name: gc}
spec: {controllerName: projectcontour.io/gateway-controller}
---
apiVersion: ${api}
kind: Gateway
metadata: {name: gw, namespace: demo}
spec:
  gatewayClassName: gc
  listeners:
  - {name: http, port: "\${gateway-http}", protocol: HTTP}
  - {name: https, port: "\${gateway-https}", protocol: HTTPS, hostname: "*.example.com", tls: {certificateRefs: [{name: tls-a}]}}
  - {name: tls, port: "\${gateway-https}", protocol: TLS, hostname: pass.example.com, tls: {mode: Passthrough}}
  - {name: tcp, port: "\${gateway-tcp}", protocol: TCP}
---
`;

/** A route on the Gateway. */
const route = (kind: string, name: string, section: string, rest: string): string =>
  manifest(api, kind, name, `spec: {parentRefs: [{name: gw, sectionName: ${section}}], ${rest}}`);
const to = (name: string): string => `backendRefs: [{name: ${name}, port: 80}]`;

describe('a Gateway with listeners of every protocol', () => {
  const resources = new AsyncDisposableStack();
  let rig: FieldRig;
  let tcpPort: number;

  beforeAll(async () => {
    const { certificate, privateKey } = await selfSigned({ dnsNames: ['pass.example.com'] });
    const secured = createServer({ cert: certificate, key: privateKey }, (_, response) =>
      response.setHeader('x-backend', 'secured').end('{}'),
    );
    secured.listen(0, '127.0.0.1');
    await once(secured, 'listening');
    resources.defer(async () => void (await secured[Symbol.asyncDispose]()));
    rig = resources.use(await FieldRig.start({ config: () => ({ gatewayRef: { namespace: 'demo', name: 'gw' } }) }));
    tcpPort = await freePort();
    // Envoy listens 8000 above the port of a Gateway.
    const ports = { 'gateway-http': rig.plane.ports.http, 'gateway-https': rig.plane.ports.https, 'gateway-tcp': tcpPort };
    for (const [name, port] of Object.entries(ports)) rig.plane.values.set(name, port - 8000);
    await rig.apply(
      objects +
        service('secured') +
        endpointSlice('secured', (secured.address() as AddressInfo).port) +
        route('HTTPRoute', 'web', 'https', `hostnames: [app.example.com], rules: [{${to('echo-a')}}]`) +
        route('TLSRoute', 'pass', 'tls', `hostnames: [pass.example.com], rules: [{${to('secured')}}]`) +
        route('TCPRoute', 'raw', 'tcp', `rules: [{${to('echo-b')}}]`) +
        route(
          'GRPCRoute',
          'grpc',
          'http',
          `hostnames: [grpc.example.com], rules: [{matches: [{method: {service: pkg.Things, method: List}}], ${to('echo-b')}}]`,
        ),
    );
  }, 30_000);
  afterAll(() => resources.disposeAsync());

  test('says that all of it is programmed', () => {
    const taken = 'Accepted ResolvedRefs';
    const statuses = ['HTTPRoute demo/web', 'TLSRoute demo/pass', 'TCPRoute demo/raw', 'GRPCRoute demo/grpc'].map((id) =>
      rig.plane.status(id),
    );
    expect(statuses).toEqual(['https', 'tls', 'tcp', 'http'].map((section) => `${section}: ${taken}`));
    expect(rig.plane.status('Gateway demo/gw')).toBe('Accepted Programmed');
  });

  test('ends TLS for an HTTPRoute, and passes it through for a TLSRoute on the same port', async () => {
    await rig.expectAnswers({
      'https://app.example.com/': 'echo-a',
      'https://pass.example.com/': 'secured',
      'https://app.example.com/ | host: other.example.com': '421',
      'https://other.example.org/': 'refused',
      'app.example.com/': '404',
    });
  });

  test('passes connections on for a TCPRoute, whatever is in them', async () => {
    const answer = await exchange(tcpPort, 'GET /raw HTTP/1.1\r\nhost: any\r\nconnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer).toContain('x-backend: echo-b');
  });

  test('matches the methods of a GRPCRoute', async () => {
    // The backend speaks HTTP/1.1, and a GRPCRoute forwards in HTTP/2: the answer of a match comes from Envoy.
    expect((await rig.ask('grpc.example.com/pkg.Things/List')).status).not.toBe(404);
    await rig.expectAnswers({ 'grpc.example.com/pkg.Things/Other': '404', 'grpc.example.com/': '404' });
  });

  test('Envoy refuses nothing', async () => {
    expect(await rig.rejections()).toEqual([]);
  });
});
