/** A cluster that gets no endpoints or no health for long must not keep others waiting. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, test } from '@jest/globals';
import { ControlPlane } from '../lib/control-plane.ts';
import { EchoBackend } from '../lib/echo-backend.ts';
import { EnvoyProcess } from '../lib/envoy-process.ts';
import { eventually } from '../lib/eventually.ts';
import { get } from '../lib/http-client.ts';
import { endpointSlice, httpProxy, manifest, service } from '../lib/manifests.ts';

/** Takes what comes and never answers: a name server and a backend. */
let silentNames: Socket;
let silentBackend: Server;
let backend: EchoBackend;
let plane: ControlPlane;
let envoy: EnvoyProcess;

beforeEach(async () => {
  silentNames = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silentNames, 'listening');
  silentBackend = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silentBackend, 'listening');
  backend = await EchoBackend.start('live');
  const values = { live: backend.port, silent: (silentBackend.address() as AddressInfo).port };
  const config = () => ({ enableExternalNameService: true });
  plane = await ControlPlane.start({ values, config }, `${manifest('v1', 'Namespace', '/demo', '')}${app('first')}`);
  envoy = await EnvoyProcess.start({ xdsPort: plane.server.address.port }, (json) => {
    const address = { socket_address: { address: '127.0.0.1', port_value: silentNames.address().port } };
    json['typed_dns_resolver_config'] = {
      name: 'envoy.network.dns_resolver.cares',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig',
        resolvers: [address],
        dns_resolver_options: { no_default_search_domain: true },
      },
    };
  });
  await envoy.ready();
}, 60_000);

afterEach(async () => {
  await envoy[Symbol.asyncDispose]();
  await plane[Symbol.asyncDispose]();
  await backend[Symbol.asyncDispose]();
  silentNames.close();
  silentBackend.close();
});

function app(name: string): string {
  return (
    service(name) +
    endpointSlice(name, 'live') +
    httpProxy(name, `{virtualhost: {fqdn: ${name}.example.com}, routes: [{services: [{name: ${name}, port: 80}]}]}`)
  );
}

const external =
  manifest('v1', 'Service', 'outside', 'spec: {type: ExternalName, externalName: nowhere.example.org, ports: [{name: http, port: 80}]}') +
  httpProxy('outside', '{virtualhost: {fqdn: outside.example.com}, routes: [{services: [{name: outside, port: 80}]}]}');

const checked =
  service('silent') +
  endpointSlice('silent', 'silent') +
  httpProxy(
    'silent',
    '{virtualhost: {fqdn: silent.example.com}, routes: [{healthCheckPolicy: {path: /, intervalSeconds: 60, timeoutSeconds: 60}, services: [{name: silent, port: 80}]}]}',
  );

test.each([
  { name: 'a name that no server resolves', slow: external },
  { name: 'a health check that nobody answers', slow: checked },
])(
  '$name does not keep other hosts waiting',
  async ({ slow }) => {
    for (let i = 0; i < 10; i += 1) {
      const name = `app${i}`;
      // That all is answered is not waited for: the answer for the slow cluster may take any time.
      void plane.apply((i === 0 ? slow : '') + app(name)).catch(() => undefined);
      await eventually(name, async () => (await get({ port: plane.ports.http, host: `${name}.example.com` })).status === 200);
    }
  },
  240_000,
);
