import { boolean, dictionary, integer, list, object, optional, string } from '../../schema/builder.ts';
import { isIpv4 } from '../../schema/formats.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from '../discovery/v1/endpoint-slice.ts';
import type { KindAdmission } from '../kind-admission.ts';
import { Faults } from './faults.ts';
import { canonicalIpAddress, endpointAddress } from './ip-address.ts';
import { checkLabels } from './metadata.ts';
import { dnsLabel, dnsSubdomain, fullyQualifiedDomainName, labelValue, qualifiedName } from './names.ts';

const text = optional(string(''));
const flag = optional(boolean(''));
const hint = optional(list('', object('', { name: text })));

const endpoint = object('', {
  addresses: optional(list('', string(''))),
  conditions: optional(object('', { ready: flag, serving: flag, terminating: flag })),
  hostname: text,
  targetRef: optional(
    object('', { kind: text, namespace: text, name: text, uid: text, apiVersion: text, resourceVersion: text, fieldPath: text }),
  ),
  deprecatedTopology: optional(dictionary('', string(''))),
  nodeName: text,
  zone: text,
  hints: optional(object('', { forZones: hint, forNodes: hint })),
});

const schema = object('', {
  addressType: text,
  endpoints: optional(list('', endpoint)),
  ports: optional(
    list('', object('', { name: text, port: optional(integer('', { format: 'int32' })), protocol: text, appProtocol: text })),
  ),
});

export const endpointSliceAdmission: KindAdmission = {
  schema: () => schema.openapi,
  name: dnsSubdomain,
  complete: (slice) => completeEndpointSlice(slice as EndpointSlice),
  validate: (slice) => validateEndpointSlice(slice as EndpointSlice),
};

function completeEndpointSlice(slice: EndpointSlice): EndpointSlice {
  const { endpoints = [], ports } = slice as Partial<EndpointSlice>;
  return {
    ...slice,
    endpoints,
    ...(ports !== undefined && { ports: ports.map((port) => ({ name: '', protocol: 'TCP' as const, ...port })) }),
  };
}

const limits = { endpoints: 1000, addresses: 100, ports: 20_000, topology: 16, hints: 8 };

type Path = readonly (string | number)[];

function validateEndpointSlice({ addressType = '' as never, endpoints, ports = [] }: EndpointSlice) {
  const faults = new Faults();
  if (faults.require(['addressType'], addressType)) faults.oneOf(['addressType'], addressType, ['IPv4', 'IPv6', 'FQDN']);
  if (endpoints.length > limits.endpoints) faults.add(['endpoints'], `must have at most ${limits.endpoints} items`);
  for (const [index, item] of endpoints.entries()) checkEndpoint(faults, ['endpoints', index], item, addressType);
  checkPorts(faults, ports);
  return faults.found;
}

function checkEndpoint(faults: Faults, path: Path, endpoint: Endpoint, addressType: string): void {
  const { hostname, nodeName, hints } = endpoint;
  const { addresses = [], deprecatedTopology = {} } = endpoint as Endpoint & {
    readonly deprecatedTopology?: Readonly<Record<string, string>>;
  };
  if (addresses.length === 0 || addresses.length > limits.addresses)
    faults.add([...path, 'addresses'], `must have 1 to ${limits.addresses} items`);
  for (const [index, address] of addresses.entries()) checkAddress(faults, [...path, 'addresses', index], address, addressType);
  if (nodeName !== undefined) faults.check([...path, 'nodeName'], nodeName, dnsSubdomain);
  if (hostname !== undefined) faults.check([...path, 'hostname'], hostname, dnsLabel);
  if (Object.keys(deprecatedTopology).length > limits.topology)
    faults.add([...path, 'deprecatedTopology'], `must have at most ${limits.topology} entries`);
  checkLabels(faults, [...path.map(String), 'deprecatedTopology'], deprecatedTopology);
  checkHints(faults, [...path, 'hints', 'forZones'], hints?.forZones ?? [], labelValue);
  checkHints(faults, [...path, 'hints', 'forNodes'], hints?.forNodes ?? [], dnsSubdomain);
}

function checkAddress(faults: Faults, path: Path, address: string, addressType: string): void {
  if (addressType === 'FQDN') {
    faults.check(path, address, fullyQualifiedDomainName);
  } else if (addressType === 'IPv4' || addressType === 'IPv6') {
    const before = faults.found.length;
    faults.check(path, address, (text) => endpointAddress(text) ?? canonicalIpAddress(text));
    const isRightFamily = isIpv4(address) === (addressType === 'IPv4');
    if (faults.found.length === before && !isRightFamily) faults.add(path, `must be an ${addressType} address; it is "${address}"`);
  }
}

function checkHints(
  faults: Faults,
  path: Path,
  hints: readonly { readonly name?: string }[],
  rule: (name: string) => string | undefined,
): void {
  if (hints.length > limits.hints) faults.add(path, `must have at most ${limits.hints} items`);
  const seen = new Set<string>();
  for (const [index, { name = '' }] of hints.entries()) {
    faults.unique([...path, index, 'name'], seen, name);
    faults.check([...path, index, 'name'], name, rule);
  }
}

function checkPorts(faults: Faults, ports: readonly EndpointPort[]): void {
  if (ports.length > limits.ports) faults.add(['ports'], `must have at most ${limits.ports} items`);
  const seen = new Set<string>();
  for (const [index, { name = '', protocol = '', appProtocol }] of ports.entries()) {
    const path = ['ports', index];
    if (name !== '') faults.check([...path, 'name'], name, dnsLabel);
    faults.unique([...path, 'name'], seen, name);
    faults.oneOf([...path, 'protocol'], protocol, ['TCP', 'UDP', 'SCTP']);
    if (appProtocol !== undefined) faults.check([...path, 'appProtocol'], appProtocol, qualifiedName);
  }
}
