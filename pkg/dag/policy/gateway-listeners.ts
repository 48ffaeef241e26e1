import type { Gateway, GatewayListener } from '../../apis/gateway/gateway.ts';
import type { GatewayClass } from '../../apis/gateway/gateway-class.ts';
import type { Config } from '../../config/config.ts';
import type { Reader } from '../../kubernetes-cache/reader.ts';
import type { ListenerProtocol } from '../model/listener.ts';

/** The group of all kinds of the Gateway API. */
export const gatewayGroup = 'gateway.networking.k8s.io';

/** What the listeners of a Gateway say without looking at any other object. */
export interface CheckedListener {
  readonly listener: GatewayListener;
  /** Place in `spec.listeners`. */
  readonly index: number;
  /** Why it cannot be served; absent for a listener that has a place in Envoy. */
  readonly fault?: ListenerFault;
  /** The place in Envoy: present where there is no fault. */
  readonly place?: ListenerPlace;
}

/** A condition that keeps a listener from being served. */
export interface ListenerFault {
  readonly type: 'Accepted' | 'Conflicted' | 'Programmed';
  readonly reason: string;
  readonly message: string;
}

/** Where Envoy serves a listener; all listeners of a Gateway on one port share it. */
export interface ListenerPlace {
  /** `http-80`, `https-443`, `tcp-9000`: by the port that the Gateway names. */
  readonly name: string;
  readonly protocol: ListenerProtocol;
  /** The port that Envoy listens on (`containerPort`). */
  readonly port: number;
}

/** The protocol whose TLS details come from HTTPProxies and Ingresses. */
export const contourHttpsProtocol = 'projectcontour.io/https';

const protocols: Readonly<Record<string, ListenerProtocol>> = {
  HTTP: 'http',
  HTTPS: 'https',
  TLS: 'https',
  [contourHttpsProtocol]: 'https',
  TCP: 'tcp',
};

/**
 * The Gateway that this Isoline serves, with its class; `undefined` while either is absent (then nothing is served),
 * and outside Gateway mode.
 */
export function configuredGateway(reader: Reader, config: Config): { gateway: Gateway; gatewayClass: GatewayClass } | undefined {
  if (config.gatewayRef === undefined) return undefined;
  const gateway = reader.get('Gateway', config.gatewayRef.namespace, config.gatewayRef.name);
  if (gateway === undefined) return undefined;
  const gatewayClass = reader.get('GatewayClass', '', gateway.spec.gatewayClassName);
  return gatewayClass === undefined ? undefined : { gateway, gatewayClass };
}

/**
 * Checks listeners against each other, in order: a listener conflicts only with one before it that is served, so the
 * first of two wins. Hostname, protocol and port only; certificates and routes are no matter here.
 */
export function checkListeners(listeners: readonly GatewayListener[]): readonly CheckedListener[] {
  const served: GatewayListener[] = [];
  return listeners.map((listener, index) => {
    const fault = ownFault(listener) ?? firstConflict(listener, served);
    if (fault !== undefined) return { listener, index, fault };
    served.push(listener);
    const protocol = protocolOf(listener)!;
    const place = { name: `${protocol}-${listener.port}`, protocol, port: containerPort(listener.port) };
    return { listener, index, place };
  });
}

/**
 * The port that Envoy listens on for a port of a Gateway: 8000 above it (80 is 8080, 443 is 8443), wrapped at 65535 and kept
 * out of the privileged ports. @see Contour `internal/gatewayapi/listeners.go`
 */
export function containerPort(port: number): number {
  const shifted = port + 8000;
  const wrapped = shifted > 65535 ? shifted - 65535 : shifted;
  return wrapped <= 1023 ? wrapped + 1023 : wrapped;
}

function protocolOf(listener: GatewayListener): ListenerProtocol | undefined {
  return Object.hasOwn(protocols, listener.protocol) ? protocols[listener.protocol] : undefined;
}

function ownFault(listener: GatewayListener): ListenerFault | undefined {
  const problem = hostnameProblem(listener.hostname ?? '');
  if (problem !== undefined) return { type: 'Programmed', reason: 'Invalid', message: problem };
  if (protocolOf(listener) !== undefined) return undefined;
  return {
    type: 'Accepted',
    reason: 'UnsupportedProtocol',
    message: `Listener protocol "${listener.protocol}" is unsupported, must be one of ${Object.keys(protocols).join(', ')}`,
  };
}

function firstConflict(listener: GatewayListener, served: readonly GatewayListener[]): ListenerFault | undefined {
  for (const other of served) {
    const fault = conflict(listener, other);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function conflict(listener: GatewayListener, other: GatewayListener): ListenerFault | undefined {
  if (listener.port !== other.port) {
    if (containerPort(listener.port) !== containerPort(other.port)) return undefined;
    const message = `Port ${listener.port} would take the same port of Envoy as listener "${other.name}" on port ${other.port}`;
    return { type: 'Accepted', reason: 'PortUnavailable', message };
  }
  if (protocolOf(listener) !== protocolOf(other)) {
    const message = `Protocol ${listener.protocol} cannot share port ${listener.port} with listener "${other.name}" (${other.protocol})`;
    return { type: 'Conflicted', reason: 'ProtocolConflict', message };
  }
  if ((listener.hostname ?? '').toLowerCase() !== (other.hostname ?? '').toLowerCase()) return undefined;
  const message = `Listener "${other.name}" already has this hostname on port ${listener.port}`;
  return { type: 'Conflicted', reason: 'HostnameConflict', message };
}

const dnsLabel = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const hostnamePattern = new RegExp(`^(\\*\\.)?${dnsLabel}(\\.${dnsLabel})*$`);
const ipv4Pattern = /^\d+(\.\d+){3}$/;

/** What is wrong with a hostname of a Gateway or a route; `undefined` for a good one and for `''`, which is any host. */
export function hostnameProblem(hostname: string): string | undefined {
  const host = hostname.toLowerCase();
  if (host === '') return undefined;
  if (ipv4Pattern.test(host) || host.includes(':')) return `invalid hostname "${hostname}": must be a DNS name, not an IP address`;
  if (host.length > 253 || !hostnamePattern.test(host)) return `invalid hostname "${hostname}": must be a DNS name or a wildcard DNS name`;
  return undefined;
}
