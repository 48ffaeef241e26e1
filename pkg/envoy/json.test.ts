import { describe, expect, test } from '@jest/globals';
import { Bootstrap } from '../envoy-api/envoy/config/bootstrap/v3/bootstrap.ts';
import { Cluster, Cluster_DiscoveryType } from '../envoy-api/envoy/config/cluster/v3/cluster.ts';
import { Listener } from '../envoy-api/envoy/config/listener/v3/listener.ts';
import { Route } from '../envoy-api/envoy/config/route/v3/route_components.ts';
import { JwtAuthentication } from '../envoy-api/envoy/extensions/filters/http/jwt_authn/v3/config.ts';
import { HttpConnectionManager } from '../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { Secret } from '../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { DownstreamTlsContext } from '../envoy-api/envoy/extensions/transport_sockets/tls/v3/tls.ts';
import type { MessageFns } from '../envoy-api/google/protobuf/any.ts';
import { Any } from '../envoy-api/google/protobuf/any.ts';
import { typeUrls } from '../xdscache/resource.ts';
import { fromJson, toJson } from './json.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

function packed<T, V extends string>(codec: MessageFns<T, V>, message: T): Any {
  return { typeUrl: `type.googleapis.com/${codec.$type}`, value: codec.encode(message).finish() };
}

const cluster = Cluster.encode(
  Cluster.fromPartial({
    name: 'default/web/80',
    clusterDiscoveryType: { $case: 'type', value: Cluster_DiscoveryType.EDS },
    connectTimeout: { seconds: 1, nanos: 500_000_000 },
    perConnectionBufferLimitBytes: 0,
    circuitBreakers: { thresholds: [{ maxConnections: 7 }] },
    metadata: { filterMetadata: { 'isoline.origin': { list: [null, true, 2, { deep: 'x' }] } } },
    typedExtensionProtocolOptions: { b: packed(Route, Route.fromPartial({ name: 'r' })) },
  }),
).finish();

const clusterJson = {
  name: 'default/web/80',
  type: 'EDS',
  connect_timeout: '1.500s',
  per_connection_buffer_limit_bytes: 0,
  circuit_breakers: { thresholds: [{ max_connections: 7 }] },
  metadata: { filter_metadata: { 'isoline.origin': { list: [null, true, 2, { deep: 'x' }] } } },
  typed_extension_protocol_options: { b: { '@type': 'type.googleapis.com/envoy.config.route.v3.Route', name: 'r' } },
};

describe('toJson', () => {
  test('prints the well-known types in their own forms', () => {
    expect(toJson(Cluster.$type, cluster)).toEqual(clusterJson);
  });

  test('takes a type URL', () => {
    expect(toJson('type.googleapis.com/envoy.config.cluster.v3.Cluster', cluster)).toEqual(clusterJson);
  });

  test.each(Object.values(typeUrls))('knows %s', (type) => {
    expect(toJson(type, new Uint8Array())).toEqual({});
  });

  test('prints camelCase names when asked', () => {
    expect(toJson(Cluster.$type, cluster, { fieldNames: 'camel' })).toMatchObject({
      connectTimeout: '1.500s',
      circuitBreakers: { thresholds: [{ maxConnections: 7 }] },
    });
  });

  test('prints 64-bit integers as texts and bytes as base64', () => {
    const duration = toJson('google.protobuf.Int64Value', Uint8Array.of(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f));
    expect(duration).toBe('9223372036854775807');
    expect(toJson('google.protobuf.BytesValue', Uint8Array.of(0x0a, 2, 0xfb, 0xff))).toBe('+/8=');
  });

  test('expands an Any inside an Any', () => {
    const manager = HttpConnectionManager.fromPartial({
      statPrefix: 'http',
      httpFilters: [{ name: 'router', configType: { $case: 'typedConfig', value: packed(Route, Route.fromPartial({ name: 'inner' })) } }],
    });
    const filter = { name: 'hcm', configType: { $case: 'typedConfig' as const, value: packed(HttpConnectionManager, manager) } };
    const listener = Listener.fromPartial({ name: 'l', filterChains: [{ filters: [filter] }] });
    expect(toJson(Listener.$type, Listener.encode(listener).finish())).toHaveProperty(
      'filter_chains.0.filters.0.typed_config.http_filters.0.typed_config',
      { '@type': 'type.googleapis.com/envoy.config.route.v3.Route', name: 'inner' },
    );
  });

  test('puts the type of an Any before its fields', () => {
    const any = Any.encode(packed(Route, Route.fromPartial({ name: 'r', match: {} }))).finish();
    expect(Object.keys(toJson(Any.$type, any) as object)).toEqual(['@type', 'match', 'name']);
  });

  test('refuses a type that is not in the descriptors', () => {
    expect(() => toJson('envoy.Unheard', new Uint8Array())).toThrow(
      new RangeError('envoy.Unheard is not a message of the Envoy API in use'),
    );
  });

  test('names the type of an Any that is not in the descriptors', () => {
    const any = Any.encode({ typeUrl: 'type.googleapis.com/envoy.Unheard', value: bytesOf('') }).finish();
    expect(() => toJson(Any.$type, any)).toThrow(/cannot print google\.protobuf\.Any: .*envoy\.Unheard/);
  });

  test('refuses bytes that are not a message', () => {
    expect(() => toJson(Cluster.$type, Uint8Array.of(0x0a, 0xff))).toThrow(/cannot print envoy\.config\.cluster\.v3\.Cluster/);
  });
});

describe('toJson with redactSecrets', () => {
  const certificate = {
    certificateChain: { specifier: { $case: 'inlineBytes' as const, value: bytesOf('chain') } },
    privateKey: { specifier: { $case: 'inlineBytes' as const, value: bytesOf('key') } },
  };
  const redacted = { certificate_chain: { inline_bytes: btoa('chain') }, private_key: { inline_bytes: '[redacted]' } };

  test('hides a local key set, which may have a symmetric key', () => {
    const provider = {
      issuer: 'i',
      jwksSourceSpecifier: {
        $case: 'localJwks' as const,
        value: { specifier: { $case: 'inlineString' as const, value: '{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}' } },
      },
    };
    const bytes = JwtAuthentication.encode(JwtAuthentication.fromPartial({ providers: { p: provider } })).finish();
    expect(toJson(JwtAuthentication.$type, bytes, { redactSecrets: true })).toEqual({
      providers: { p: { issuer: 'i', local_jwks: { inline_string: '[redacted]' } } },
    });
  });

  test('hides the key and shows the certificate', () => {
    const secret = Secret.fromPartial({ name: 's', type: { $case: 'tlsCertificate', value: certificate } });
    const bytes = Secret.encode(secret).finish();
    expect(toJson(Secret.$type, bytes, { redactSecrets: true })).toEqual({ name: 's', tls_certificate: redacted });
    expect(toJson(Secret.$type, bytes)).toHaveProperty('tls_certificate.private_key.inline_bytes', btoa('key'));
  });

  test('reaches through Any, lists and maps, in both spellings', () => {
    const context = packed(
      DownstreamTlsContext,
      DownstreamTlsContext.fromPartial({ commonTlsContext: { tlsCertificates: [certificate] } }),
    );
    const withMap = Cluster.fromPartial({ typedExtensionProtocolOptions: { key: context } });
    const json = toJson(Cluster.$type, Cluster.encode(withMap).finish(), { redactSecrets: true, fieldNames: 'camel' });
    expect(json).toHaveProperty('typedExtensionProtocolOptions.key.commonTlsContext.tlsCertificates.0', {
      certificateChain: { inlineBytes: btoa('chain') },
      privateKey: { inlineBytes: '[redacted]' },
    });
  });

  test('shows where a key is read from', () => {
    const bytes = fromJson(Secret.$type, { tls_certificate: { private_key: { filename: '/certs/tls.key' } } });
    expect(toJson(Secret.$type, bytes, { redactSecrets: true })).toEqual({
      tls_certificate: { private_key: { filename: '/certs/tls.key' } },
    });
  });

  test('leaves the keys of a user alone, whatever their names', () => {
    const bytes = fromJson(Bootstrap.$type, { node: { metadata: { private_key: 'not a key' } } });
    expect(toJson(Bootstrap.$type, bytes, { redactSecrets: true })).toEqual({ node: { metadata: { private_key: 'not a key' } } });
  });
});

describe('fromJson', () => {
  test('gives back the message that was printed, in either spelling', () => {
    for (const fieldNames of ['proto', 'camel'] as const) {
      expect(toJson(Cluster.$type, fromJson(Cluster.$type, toJson(Cluster.$type, cluster, { fieldNames })))).toEqual(clusterJson);
    }
  });

  test('gives bytes that the generated code reads', () => {
    const { connectTimeout, clusterDiscoveryType } = Cluster.decode(fromJson(Cluster.$type, { connect_timeout: '0.25s', type: 'STATIC' }));
    expect(connectTimeout).toEqual({ seconds: 0, nanos: 250_000_000 });
    expect(clusterDiscoveryType).toEqual({ $case: 'type', value: Cluster_DiscoveryType.STATIC });
  });

  test.each([
    { name: 'an unknown field', json: { colour: 'red' }, says: /colour/ },
    { name: 'a wrong kind of value', json: { name: 7 }, says: /name/ },
    { name: 'an enum name that is not one', json: { type: 'EDSS' }, says: /EDSS/ },
    { name: 'not an object', json: 'x', says: /cannot read envoy\.config\.cluster\.v3\.Cluster/ },
  ])('refuses $name', ({ json, says }) => {
    expect(() => fromJson(Cluster.$type, json)).toThrow(RangeError);
    expect(() => fromJson(Cluster.$type, json)).toThrow(says);
  });
});
