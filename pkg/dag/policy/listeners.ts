import type { Config } from '../../config/config.ts';
import type { Reader } from '../../kubernetes-cache/reader.ts';
import type { Outcome } from '../../util/outcome.ts';
import { fail, ok } from '../../util/outcome.ts';
import type { Listener, ListenerProtocol } from '../model/listener.ts';
import { configRoot } from '../processor.ts';
import { listenerGuards } from './authorization.ts';
import { checkListeners, configuredGateway } from './gateway-listeners.ts';

/**
 * The listeners that Envoy may get: the two static ones, or in Gateway mode those of the configured Gateway, in the order of its
 * listeners. A listener that nothing is served on is left out later. While the configured Gateway or its class is absent there
 * are none, so nothing is served: falling back to the static ones would open ports that nobody asked for.
 */
export function dagListeners(reader: Reader, config: Config): readonly Listener[] {
  return config.gatewayRef === undefined ? staticListeners(config) : gatewayDagListeners(reader, config);
}

/** The same with what holds for every request to them. Only for who brings them: nobody else depends on what guards them. */
export function guardedListeners(reader: Reader, config: Config): readonly Listener[] {
  const guards = listenerGuards(reader, config);
  return dagListeners(reader, config).map((listener) => (listener.protocol === 'tcp' ? listener : { ...listener, ...guards }));
}

/** The listener for plaintext virtual hosts of HTTPProxies and Ingresses; it fails unless exactly one speaks HTTP. */
export function httpListener(reader: Reader, config: Config): Outcome<Listener> {
  return onlyListener(reader, config, 'http');
}

/** The listener for TLS virtual hosts of HTTPProxies and Ingresses; it fails unless exactly one speaks HTTPS. */
export function httpsListener(reader: Reader, config: Config): Outcome<Listener> {
  return onlyListener(reader, config, 'https');
}

function onlyListener(reader: Reader, config: Config, protocol: ListenerProtocol): Outcome<Listener> {
  const found = dagListeners(reader, config).filter((listener) => listener.protocol === protocol);
  const [only] = found;
  if (only !== undefined && found.length === 1) return ok(only);
  const what = protocol.toUpperCase();
  const message = found.length === 0 ? `no ${what} listener configured` : `more than one ${what} listener configured`;
  return fail('ListenerError', 'ErrorIdentifyingListener', message);
}

function staticListeners(config: Config): readonly Listener[] {
  return [staticListener('http', config), staticListener('https', config)];
}

function staticListener(protocol: 'http' | 'https', config: Config): Listener {
  const { address, port } = config.listener[protocol];
  const origin = { ...configRoot, path: `envoy.${protocol}` };
  return { name: `ingress_${protocol}`, protocol, address, port, origin };
}

function gatewayDagListeners(reader: Reader, config: Config): readonly Listener[] {
  const found = configuredGateway(reader, config);
  if (found === undefined) return [];
  const { name, namespace = '' } = found.gateway.metadata;
  const listeners = new Map<string, Listener>();
  for (const { place, index } of checkListeners(found.gateway.spec.listeners)) {
    if (place === undefined || listeners.has(place.name)) continue;
    const { address } = place.protocol === 'https' ? config.listener.https : config.listener.http;
    const origin = { kind: 'Gateway', namespace, name, path: `spec.listeners[${index}]` };
    listeners.set(place.name, { ...place, address, origin });
  }
  return [...listeners.values()];
}
