import { describe, expect, test } from '@jest/globals';
import { bootstrapOptions } from '../../../test/lib/envoy-process.ts';
import { Bootstrap } from '../../envoy-api/envoy/config/bootstrap/v3/bootstrap.ts';
import { toJson } from '../json.ts';
import { encode } from '../protobuf.ts';
import { bootstrap } from './bootstrap.ts';
import type { BootstrapOptions } from './options.ts';
import { sdsFiles } from './xds-tls.ts';

const printed = (changes: Partial<BootstrapOptions> = {}) =>
  toJson(Bootstrap.$type, encode(Bootstrap, bootstrap(bootstrapOptions(changes)))) as Record<string, unknown>;
const tls = { caFile: '/certs/ca.crt', certFile: '/certs/tls.crt', keyFile: '/certs/tls.key' };

describe('the bootstrap', () => {
  test('asks for changes only, over one stream', () => {
    expect(printed()).toMatchObject({
      dynamic_resources: {
        lds_config: { ads: {} },
        cds_config: { ads: {} },
        ads_config: { api_type: 'DELTA_GRPC', transport_api_version: 'V3' },
      },
      layered_runtime: {
        layers: [
          { name: 'dynamic', rtds_layer: { name: 'dynamic' } },
          { name: 'admin', admin_layer: {} },
        ],
      },
      cluster_manager: { enable_deferred_cluster_creation: true },
      deferred_stat_options: { enable_deferred_creation_stats: true },
    });
  });

  test('has the control plane and the admin interface', () => {
    const socket = { address: '127.0.0.1', port_value: 8001 };
    expect(printed()).toMatchObject({
      admin: { address: { pipe: { path: '/admin/admin.sock', mode: 0o644 } } },
      static_resources: {
        clusters: [
          {
            name: 'contour',
            alt_stat_name: 'projectcontour_contour_8001',
            load_assignment: { endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: socket } } }] }] },
          },
          { name: 'envoy-admin', alt_stat_name: 'projectcontour_envoy-admin_9001' },
        ],
      },
    });
  });

  test.each([
    { xdsAddress: '10.0.0.1', dnsLookupFamily: 'auto', want: {} },
    { xdsAddress: '::1', dnsLookupFamily: 'auto', want: {} },
    { xdsAddress: 'contour', dnsLookupFamily: 'auto', want: { type: 'STRICT_DNS' } },
    { xdsAddress: 'contour', dnsLookupFamily: 'v6', want: { type: 'STRICT_DNS', dns_lookup_family: 'V6_ONLY' } },
    { xdsAddress: 'contour', dnsLookupFamily: 'all', want: { type: 'LOGICAL_DNS', dns_lookup_family: 'ALL' } },
  ] as const)('the control plane $xdsAddress is found by $want', ({ want, ...options }) => {
    const [control] = (printed(options)['static_resources'] as { clusters: readonly Record<string, unknown>[] }).clusters;
    const { type, dns_lookup_family } = control!;
    expect(JSON.parse(JSON.stringify({ type: type === 'STATIC' ? undefined : type, dns_lookup_family }))).toEqual(want);
  });

  test('defends itself only against limits that are set', () => {
    expect(printed()).not.toHaveProperty('overload_manager');
    expect(printed({ maximumHeapSizeBytes: 2 ** 40 })).toMatchObject({
      overload_manager: {
        resource_monitors: [{ typed_config: { max_heap_size_bytes: String(2 ** 40) } }],
        actions: [{ name: 'envoy.overload_actions.shrink_heap' }, { name: 'envoy.overload_actions.stop_accepting_requests' }],
      },
    });
    const connections = printed({ maximumDownstreamConnections: 5 })['overload_manager'];
    expect(connections).toMatchObject({ resource_monitors: [{ typed_config: { max_active_downstream_connections: '5' } }] });
    expect(connections).not.toHaveProperty('actions');
  });

  test('names the files of its certificate', () => {
    const text = JSON.stringify(printed({ tls }));
    for (const file of Object.values(tls)) expect(text).toContain(`"filename":"${file}"`);
    expect(text).toContain('"exact":"contour"');
  });

  test('follows its certificate by way of SDS files in a folder', () => {
    const text = JSON.stringify(printed({ tls: { ...tls, resourcesDir: '/config/' } }));
    expect(text).toContain('"path":"/config/sds/xds-tls-certificate.json"');
    expect(text).toContain('"path":"/config/sds/xds-validation-context.json"');
    for (const file of Object.values(tls)) expect(text).not.toContain(file);
  });
});

test('the SDS files have what the bootstrap asks for', () => {
  expect(sdsFiles({ ...tls, resourcesDir: '/config' })).toMatchObject([
    { path: '/config/sds/xds-tls-certificate.json', secret: { name: 'contour_xds_tls_certificate', type: { $case: 'tlsCertificate' } } },
    {
      path: '/config/sds/xds-validation-context.json',
      secret: { name: 'contour_xds_tls_validation_context', type: { $case: 'validationContext' } },
    },
  ]);
});
