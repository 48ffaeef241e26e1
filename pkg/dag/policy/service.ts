import type { Service } from '../../apis/core/v1/service.ts';
import type { CircuitBreakers, Config } from '../../config/config.ts';
import type { Reader } from '../../kubernetes-cache/reader.ts';
import type { Outcome } from '../../util/outcome.ts';
import { fail, ok } from '../../util/outcome.ts';
import type { ServicePort, UpstreamProtocol } from '../model/cluster.ts';
import { leadsToProxyItself } from './external-name.ts';

/** A port of a Service, as a route names it. */
export interface ServiceRef {
  readonly namespace: string;
  readonly name: string;
  /** A number, or a port's name; a name of digits alone is read as a number. */
  readonly port: number | string;
  /** The port that active health checks go to. Default: the same. */
  readonly healthPort?: number | undefined;
}

/** A Service's port with what the Service itself says of how to speak to it. */
export interface ResolvedService {
  readonly service: ServicePort;
  /** From `appProtocol`, or from the annotations where the port has none. */
  readonly protocol?: UpstreamProtocol;
  /** From annotations alone: what the configuration adds is filled in by `serviceCluster`. */
  readonly circuitBreakers: CircuitBreakers;
  /** As the port has it: Gateway API refuses what it does not know. */
  readonly appProtocol?: string;
}

type Port = NonNullable<NonNullable<Service['spec']>['ports']>[number];

/**
 * Finds a Service's port. The problem is a `ServiceError`/`ServiceUnresolvedReference` whose message is the bare cause,
 * such as `service "ns/name" not found`: who asks puts its own field before it.
 */
export function resolveService(reader: Reader, config: Config, ref: ServiceRef): Outcome<ResolvedService> {
  const id = `${ref.namespace}/${ref.name}`;
  const found = reader.get('Service', ref.namespace, ref.name);
  if (found === undefined) return unresolved(`service "${id}" not found`);

  const chosen = portOf(found, ref.port, id);
  if (!chosen.ok) return chosen;
  const port = chosen.value;
  const health = healthPortOf(found, port, ref.healthPort, id);
  if (!health.ok) return health;

  const externalName = found.spec?.type === 'ExternalName' ? (found.spec.externalName ?? '') : undefined;
  const refusal = externalName === undefined ? undefined : refuseExternalName(id, externalName, config);
  if (refusal !== undefined) return unresolved(refusal);

  return ok({
    service: {
      namespace: ref.namespace,
      name: ref.name,
      port: port.port,
      portName: port.name ?? '',
      ...health.value,
      ...(externalName !== undefined && { externalName }),
    },
    ...protocolOf(found, port),
    circuitBreakers: circuitBreakersOf(found),
    ...(port.appProtocol !== undefined && { appProtocol: port.appProtocol }),
  });
}

function portOf({ spec }: Service, wanted: number | string, id: string): Outcome<Port> {
  const ports = (spec?.ports ?? []).filter((port) => matches(port, wanted));
  if (ports.length === 0) return unresolved(`port "${wanted}" on service "${id}" not matched`);
  const port = ports.find((candidate) => (candidate.protocol ?? 'TCP') === 'TCP');
  return port === undefined ? unresolved(`unsupported service protocol "${ports[0]?.protocol}"`) : ok(port);
}

/** Where health checks go, if that is not where requests go. */
function healthPortOf(
  service: Service,
  port: Port,
  wanted: number | undefined,
  id: string,
): Outcome<Pick<ServicePort, 'healthPortName' | 'healthPort'>> {
  if (wanted === undefined || wanted === port.port) return ok({});
  const found = portOf(service, wanted, id);
  if (!found.ok) return found;
  const external = service.spec?.type === 'ExternalName' && { healthPort: found.value.port };
  return ok({ healthPortName: found.value.name ?? '', ...external });
}

function unresolved(cause: string): Outcome<never> {
  return fail('ServiceError', 'ServiceUnresolvedReference', cause);
}

function matches(port: Port, wanted: number | string): boolean {
  if (typeof wanted === 'number') return port.port === wanted;
  return port.name === wanted || String(port.port) === wanted;
}

function refuseExternalName(id: string, externalName: string, config: Config): string | undefined {
  if (!config.enableExternalNameService) {
    return `${id} is an ExternalName service, these are not currently enabled. See the enableExternalNameService setting`;
  }
  if (externalName === '') return `${id} is an ExternalName service with no external name`;
  if (leadsToProxyItself(externalName)) {
    return `${id} is an ExternalName service that leads to ${JSON.stringify(externalName)}, an address of the proxy itself`;
  }
  return undefined;
}

const appProtocols: Readonly<Record<string, UpstreamProtocol>> = { 'kubernetes.io/h2c': 'h2c', https: 'tls' };

function protocolOf(service: Service, port: Port): { readonly protocol?: UpstreamProtocol } {
  // A port that says what it speaks is believed, even when it says nothing that changes anything.
  if (port.appProtocol !== undefined && port.appProtocol !== '') {
    const protocol = Object.hasOwn(appProtocols, port.appProtocol) ? appProtocols[port.appProtocol] : undefined;
    return protocol === undefined ? {} : { protocol };
  }
  const annotations = service.metadata.annotations;
  if (annotations === undefined) return {};
  const protocol = (port.name ? annotatedProtocol(annotations, port.name) : undefined) ?? annotatedProtocol(annotations, String(port.port));
  return protocol === undefined ? {} : { protocol };
}

/** The annotation that lists the port; `tls` wins over `h2c`, and that over `h2`. */
function annotatedProtocol(annotations: Readonly<Record<string, string>>, port: string): UpstreamProtocol | undefined {
  return (['tls', 'h2c', 'h2'] as const).find((protocol) => {
    const listed = annotations[`projectcontour.io/upstream-protocol.${protocol}`];
    return listed?.split(',').some((entry) => entry.trim() === port);
  });
}

const limits = [
  ['maxConnections', 'max-connections'],
  ['maxPendingRequests', 'max-pending-requests'],
  ['maxRequests', 'max-requests'],
  ['maxRetries', 'max-retries'],
  ['perHostMaxConnections', 'per-host-max-connections'],
] as const;

const noLimits: CircuitBreakers = {};

function circuitBreakersOf(service: Service): CircuitBreakers {
  const annotations = service.metadata.annotations;
  if (annotations === undefined) return noLimits;
  const found = limits.flatMap(([field, name]) => {
    const value = parseLimit(annotations[`projectcontour.io/${name}`]);
    return value === undefined ? [] : [[field, value] as const];
  });
  return found.length === 0 ? noLimits : Object.fromEntries(found);
}

/** A number from 1 to 2^32 - 1; 0 and what is no number mean that no limit was set. */
function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value > 0 && value <= 0xffff_ffff ? value : undefined;
}
