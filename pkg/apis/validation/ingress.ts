import { integer, list, object, optional, string } from '../../schema/builder.ts';
import type { KindAdmission } from '../kind-admission.ts';
import type { Ingress, IngressBackend, IngressPath, IngressTLS } from '../networking/v1/ingress.ts';
import { Faults } from './faults.ts';
import { ipAddress } from './ip-address.ts';
import { dnsLabel, dnsSubdomain, hostName, pathSegment, portName, portNumber } from './names.ts';

const text = optional(string(''));

const backend = object('', {
  service: optional(
    object('', { name: text, port: optional(object('', { number: optional(integer('', { format: 'int32' })), name: text })) }),
  ),
  resource: optional(object('', { apiGroup: text, kind: text, name: text })),
});

const rule = object('', {
  host: text,
  http: optional(object('', { paths: optional(list('', object('', { path: text, pathType: text, backend: optional(backend) }))) })),
});

const schema = object('', {
  spec: optional(
    object('', {
      ingressClassName: text,
      defaultBackend: optional(backend),
      tls: optional(list('', object('', { hosts: optional(list('', string(''))), secretName: text }))),
      rules: optional(list('', rule)),
    }),
  ),
});

export const ingressAdmission: KindAdmission = {
  schema: () => schema.openapi,
  name: dnsSubdomain,
  complete: (ingress) => ({ ...ingress, spec: (ingress as Ingress).spec ?? {} }) as Ingress,
  validate: (ingress) => validateIngress(ingress as Ingress),
};

type Path = readonly (string | number)[];

const classAnnotation = 'kubernetes.io/ingress.class';

function validateIngress({ metadata, spec }: Ingress) {
  const faults = new Faults();
  const { rules = [], tls = [], defaultBackend } = spec;
  if (rules.length === 0 && defaultBackend === undefined) faults.add(['spec'], 'must have defaultBackend or rules');
  if (defaultBackend !== undefined) checkBackend(faults, ['spec', 'defaultBackend'], defaultBackend);
  for (const [index, { host = '', http }] of rules.entries()) {
    const path = ['spec', 'rules', index];
    if (host !== '') checkHost(faults, [...path, 'host'], host);
    if (http !== undefined) checkPaths(faults, [...path, 'http', 'paths'], http.paths ?? []);
  }
  for (const [index, entry] of tls.entries()) checkTls(faults, ['spec', 'tls', index], entry);
  checkClass(faults, spec.ingressClassName, metadata.annotations?.[classAnnotation]);
  return faults.found;
}

function checkTls(faults: Faults, path: Path, { hosts = [], secretName = '' }: IngressTLS): void {
  for (const [index, host] of hosts.entries()) faults.check([...path, 'hosts', index], host, hostName);
  if (secretName !== '') faults.check([...path, 'secretName'], secretName, dnsSubdomain);
}

function checkClass(faults: Faults, className: string | undefined, annotated: string | undefined): void {
  if (className === undefined) return;
  faults.check(['spec', 'ingressClassName'], className, dnsSubdomain);
  if (annotated !== undefined && annotated !== className) {
    faults.add(['metadata', 'annotations', classAnnotation], 'must be the same as spec.ingressClassName where both are set');
  }
}

function checkHost(faults: Faults, path: Path, host: string): void {
  if (ipAddress(host) === undefined) faults.add(path, 'must be a DNS name, not an IP address');
  else faults.check(path, host, hostName);
}

function checkPaths(faults: Faults, path: Path, paths: readonly IngressPath[]): void {
  if (paths.length === 0) faults.add(path, 'is required');
  for (const [index, entry] of paths.entries()) {
    const at = [...path, index];
    if ((entry.pathType as string | undefined) === undefined) {
      faults.add([...at, 'pathType'], 'is required');
      continue;
    }
    faults.oneOf([...at, 'pathType'], entry.pathType, ['Exact', 'Prefix', 'ImplementationSpecific']);
    checkPath(faults, [...at, 'path'], entry);
    checkBackend(faults, [...at, 'backend'], (entry.backend as IngressBackend | undefined) ?? {});
  }
}

const forbiddenInPaths = ['//', '/./', '/../', '%2f', '%2F'];

function checkPath(faults: Faults, at: Path, { path = '', pathType }: IngressPath): void {
  const isOptional = pathType !== 'Exact' && pathType !== 'Prefix';
  if (!path.startsWith('/') && !(isOptional && path === '')) faults.add(at, 'must begin with "/"');
  if (isOptional) return;
  for (const part of forbiddenInPaths.filter((forbidden) => path.includes(forbidden))) faults.add(at, `must not contain "${part}"`);
  if (/\/\.{1,2}$/.test(path)) faults.add(at, 'must not end in "/." or "/.."');
}

function checkBackend(faults: Faults, path: Path, { service, resource }: IngressBackend): void {
  if ((service === undefined) === (resource === undefined)) {
    faults.add(path, 'must have exactly one of service and resource');
  } else if (resource !== undefined) {
    if (resource.apiGroup !== undefined) faults.check([...path, 'resource', 'apiGroup'], resource.apiGroup, dnsSubdomain);
    for (const field of ['kind', 'name'] as const) {
      if (faults.require([...path, 'resource', field], resource[field]))
        faults.check([...path, 'resource', field], resource[field], pathSegment);
    }
  } else if (service !== undefined) {
    if (faults.require([...path, 'service', 'name'], service.name)) faults.check([...path, 'service', 'name'], service.name, dnsLabel);
    checkServicePort(faults, [...path, 'service', 'port'], service.port ?? {});
  }
}

function checkServicePort(
  faults: Faults,
  path: Path,
  { name = '', number = 0 }: { readonly name?: string; readonly number?: number },
): void {
  if ((name === '') === (number === 0)) faults.add(path, 'must have exactly one of name and number');
  else if (name !== '') faults.check([...path, 'name'], name, portName);
  else faults.check([...path, 'number'], number, portNumber);
}
