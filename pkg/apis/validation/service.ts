import { boolean, dictionary, integer, intOrString, list, object, optional, string } from '../../schema/builder.ts';
import type { Service, ServicePort, ServiceSpec } from '../core/v1/service.ts';
import type { KindAdmission } from '../kind-admission.ts';
import { Faults } from './faults.ts';
import { checkLabels } from './metadata.ts';
import { dnsLabel, dnsSubdomain, portName, portNumber, qualifiedName } from './names.ts';
import { checkAddresses } from './service-addresses.ts';

const text = optional(string(''));
const texts = optional(list('', string('')));
const flag = optional(boolean(''));
const int32 = optional(integer('', { format: 'int32' }));

const port = object('', {
  name: text,
  port: int32,
  targetPort: optional(intOrString('')),
  nodePort: int32,
  protocol: text,
  appProtocol: text,
});

const spec = object('', {
  type: text,
  ports: optional(list('', port)),
  selector: optional(dictionary('', string(''))),
  clusterIP: text,
  clusterIPs: texts,
  externalName: text,
  externalIPs: texts,
  externalTrafficPolicy: text,
  internalTrafficPolicy: text,
  ipFamilies: texts,
  ipFamilyPolicy: text,
  loadBalancerIP: text,
  loadBalancerClass: text,
  loadBalancerSourceRanges: texts,
  allocateLoadBalancerNodePorts: flag,
  publishNotReadyAddresses: flag,
  sessionAffinity: text,
  sessionAffinityConfig: optional(object('', { clientIP: optional(object('', { timeoutSeconds: int32 })) })),
  healthCheckNodePort: int32,
  trafficDistribution: text,
});

const portStatus = object('', { port: integer('', { format: 'int32' }), protocol: string(''), error: text });
const loadBalancerIngress = object('', { ip: text, hostname: text, ipMode: text, ports: optional(list('', portStatus)) });

const schema = object('', {
  spec: optional(spec),
  status: optional(object('', { loadBalancer: optional(object('', { ingress: optional(list('', loadBalancerIngress)) })) })),
});

/**
 * No cluster gives a Service its addresses in file mode: those of `clusterIP` stay as they are, and those of
 * `status.loadBalancer`, which only its author can know there, are kept.
 */
export const serviceAdmission: KindAdmission = {
  schema: () => schema.openapi,
  name: dnsLabel,
  keepsStatus: true,
  complete: (service) => completeService(service as Service),
  validate: (service) => validateService(service as Service),
};

const clientIpTimeoutSeconds = 10_800;

function completeService(service: Service): Service {
  const spec = withoutEmpty((service as Partial<Service>).spec ?? {});
  const type = spec.type ?? 'ClusterIP';
  const isExposed = type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
  return {
    ...service,
    spec: {
      ...spec,
      type,
      ...affinity(spec),
      ...(spec.ports !== undefined && { ports: spec.ports.map(completePort) }),
      ...(spec.clusterIP !== undefined && spec.clusterIPs === undefined && { clusterIPs: [spec.clusterIP] }),
      ...(isExposed && { externalTrafficPolicy: spec.externalTrafficPolicy ?? 'Cluster' }),
      ...(type !== 'ExternalName' && { internalTrafficPolicy: spec.internalTrafficPolicy ?? 'Cluster' }),
      ...(type === 'LoadBalancer' && { allocateLoadBalancerNodePorts: spec.allocateLoadBalancerNodePorts ?? true }),
    },
  };
}

/** An empty text is as good as none in these fields. */
function withoutEmpty(spec: ServiceSpec): ServiceSpec {
  const emptyable = ['type', 'clusterIP', 'externalName', 'sessionAffinity', 'externalTrafficPolicy', 'loadBalancerIP'];
  return Object.fromEntries(Object.entries(spec).filter(([name, value]) => value !== '' || !emptyable.includes(name)));
}

function affinity({
  sessionAffinity = 'None',
  sessionAffinityConfig,
}: ServiceSpec): Pick<ServiceSpec, 'sessionAffinity' | 'sessionAffinityConfig'> {
  if (sessionAffinity !== 'ClientIP') return { sessionAffinity };
  const timeoutSeconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? clientIpTimeoutSeconds;
  return { sessionAffinity, sessionAffinityConfig: { clientIP: { timeoutSeconds } } };
}

function completePort({ name = '', protocol, targetPort, ...rest }: ServicePort): ServicePort {
  const hasTarget = targetPort !== undefined && targetPort !== 0 && targetPort !== '';
  return {
    ...(name !== '' && { name }),
    ...rest,
    protocol: ((protocol as string | undefined) ?? '') === '' ? 'TCP' : (protocol as 'TCP'),
    targetPort: hasTarget ? targetPort : rest.port,
  };
}

function validateService({ spec }: Service) {
  const faults = new Faults();
  const isHeadless = spec.clusterIP === 'None';
  const ports = spec.ports ?? [];
  faults.oneOf(['spec', 'type'], spec.type ?? '', ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']);
  if (ports.length === 0 && !isHeadless && spec.type !== 'ExternalName') faults.add(['spec', 'ports'], 'is required');
  if (isHeadless && (spec.type === 'LoadBalancer' || spec.type === 'NodePort'))
    faults.add(['spec', 'clusterIP'], `must not be "None" for the type ${spec.type}`);
  if (spec.type === 'ExternalName') checkExternalName(faults, spec);
  checkPorts(faults, ports, spec.type === 'ClusterIP');
  checkLabels(faults, ['spec', 'selector'], spec.selector ?? {});
  checkPolicies(faults, spec);
  checkAddresses(faults, spec);
  checkLoadBalancer(faults, spec);
  return faults.found;
}

function checkExternalName(faults: Faults, { externalName = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy }: ServiceSpec): void {
  const name = externalName.replace(/\.$/, '');
  if (faults.require(['spec', 'externalName'], name)) faults.check(['spec', 'externalName'], name, dnsSubdomain);
  const unwanted = { clusterIPs: clusterIPs.length > 0, ipFamilies: ipFamilies.length > 0, ipFamilyPolicy: ipFamilyPolicy !== undefined };
  for (const [field, isSet] of Object.entries(unwanted)) {
    if (isSet) faults.add(['spec', field], 'must not be set for the type ExternalName');
  }
}

function checkPorts(faults: Faults, ports: readonly ServicePort[], isClusterIp: boolean): void {
  const [names, numbers, nodePorts] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const [index, port] of ports.entries()) {
    const path = ['spec', 'ports', index];
    const { name = '', protocol = '', nodePort = 0 } = port;
    if (name !== '') faults.unique([...path, 'name'], names, name);
    else if (ports.length > 1) faults.require([...path, 'name'], name);
    checkPort(faults, path, port);
    faults.unique(path, numbers, `${port.port}/${protocol}`);
    if (nodePort !== 0) faults.unique([...path, 'nodePort'], nodePorts, `${nodePort}/${protocol}`);
    if (nodePort !== 0 && isClusterIp) faults.add([...path, 'nodePort'], 'must not be set for the type ClusterIP');
  }
}

function checkPort(faults: Faults, path: readonly (string | number)[], port: ServicePort): void {
  const { name = '', protocol = '', targetPort = 0, appProtocol } = port;
  const number = (port.port as number | undefined) ?? 0;
  if (name !== '') faults.check([...path, 'name'], name, dnsLabel);
  faults.check([...path, 'port'], number, portNumber);
  faults.oneOf([...path, 'protocol'], protocol, ['TCP', 'UDP', 'SCTP']);
  if (typeof targetPort === 'string') faults.check([...path, 'targetPort'], targetPort, portName);
  else if (targetPort !== number) faults.check([...path, 'targetPort'], targetPort, portNumber);
  if (appProtocol !== undefined) faults.check([...path, 'appProtocol'], appProtocol, qualifiedName);
}

function checkPolicies(faults: Faults, spec: ServiceSpec): void {
  const { sessionAffinity = '', sessionAffinityConfig, externalTrafficPolicy, internalTrafficPolicy, trafficDistribution } = spec;
  faults.oneOf(['spec', 'sessionAffinity'], sessionAffinity, ['ClientIP', 'None']);
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? clientIpTimeoutSeconds;
  if (sessionAffinity === 'ClientIP' && (timeout <= 0 || timeout > 86_400)) {
    faults.add(['spec', 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds'], `must be between 1 and 86400; it is ${timeout}`);
  }
  const isExposed =
    spec.type === 'LoadBalancer' || spec.type === 'NodePort' || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
  if (externalTrafficPolicy !== undefined) {
    if (isExposed) faults.oneOf(['spec', 'externalTrafficPolicy'], externalTrafficPolicy, ['Cluster', 'Local']);
    else faults.add(['spec', 'externalTrafficPolicy'], 'must not be set for a Service that is not reached from outside');
  }
  if (internalTrafficPolicy !== undefined) faults.oneOf(['spec', 'internalTrafficPolicy'], internalTrafficPolicy, ['Cluster', 'Local']);
  if (trafficDistribution !== undefined) {
    faults.oneOf(['spec', 'trafficDistribution'], trafficDistribution, ['PreferClose', 'PreferSameZone', 'PreferSameNode']);
  }
}

function checkLoadBalancer(faults: Faults, spec: ServiceSpec): void {
  const { type, loadBalancerClass, allocateLoadBalancerNodePorts, healthCheckNodePort = 0, externalTrafficPolicy } = spec;
  if (type !== 'LoadBalancer') {
    if (loadBalancerClass !== undefined) faults.add(['spec', 'loadBalancerClass'], 'must not be set for a type other than LoadBalancer');
    if (allocateLoadBalancerNodePorts !== undefined) {
      faults.add(['spec', 'allocateLoadBalancerNodePorts'], 'must not be set for a type other than LoadBalancer');
    }
  } else if (loadBalancerClass !== undefined) {
    faults.check(['spec', 'loadBalancerClass'], loadBalancerClass, qualifiedName);
  }
  if (healthCheckNodePort === 0) return;
  if (type !== 'LoadBalancer' || externalTrafficPolicy !== 'Local') {
    faults.add(['spec', 'healthCheckNodePort'], 'must not be set but for the type LoadBalancer with externalTrafficPolicy "Local"');
  } else faults.check(['spec', 'healthCheckNodePort'], healthCheckNodePort, portNumber);
}
