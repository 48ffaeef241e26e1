import type { Config } from '../config/config.ts';
import type { SourceKind } from '../envoy/config-source.ts';
import { fixedListeners } from '../envoy/listener/fixed-listeners.ts';
import { encode } from '../envoy/protobuf.ts';
import { runtimeLayer } from '../envoy/runtime/runtime.ts';
import { statsSecrets } from '../envoy/secret/stats-secrets.ts';
import { Listener } from '../envoy-api/envoy/config/listener/v3/listener.ts';
import { Secret } from '../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { Runtime } from '../envoy-api/envoy/service/runtime/v3/rtds.ts';
import { encodedBytes, sourcedResource } from './lazy-resource.ts';
import { encodedResource, type Resource, typeUrls } from './resource.ts';
import type { UpdateBuilder } from './update-builder.ts';

/** Adds what is there from the start and never changes: Envoy's stats, health and admin listeners. */
export function addFixedResources(config: Config, update: UpdateBuilder): void {
  const named = (source: SourceKind, name: string) => fixedListeners(config, source).find((listener) => listener.name === name)!;
  for (const { name } of fixedListeners(config, 'ads')) {
    update.set(
      typeUrls.listener,
      sourcedResource(
        name,
        () => [],
        (source) => encodedBytes(encode(Listener, named(source, name))),
      ),
    );
  }
  for (const secret of config.statsTls ? statsSecrets(config, config.statsTls) : []) {
    update.set(typeUrls.secret, encodedResource(secret.name, [], encodedBytes(encode(Secret, secret))));
  }
}

/** The runtime layer for the listeners that there are now. */
export function runtimeResource(config: Config, listenerNames: readonly string[]): Resource {
  const layer = runtimeLayer(config, listenerNames);
  return encodedResource(layer.name, [], encodedBytes(encode(Runtime, layer)));
}
