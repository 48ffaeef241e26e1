import { object, optional, string } from '../../schema/builder.ts';
import type { KindAdmission } from '../kind-admission.ts';
import type { IngressClass } from '../networking/v1/ingress-class.ts';
import { Faults } from './faults.ts';
import { dnsLabel, dnsSubdomain, domainPrefixedPath, pathSegment } from './names.ts';

const text = optional(string(''));

const schema = object('', {
  spec: optional(
    object('', {
      controller: text,
      parameters: optional(object('', { apiGroup: text, kind: text, name: text, scope: text, namespace: text })),
    }),
  ),
});

export const ingressClassAdmission: KindAdmission = {
  schema: () => schema.openapi,
  name: dnsSubdomain,
  complete: (object) => completeIngressClass(object as IngressClass),
  validate: (object) => validateIngressClass(object as IngressClass),
};

function completeIngressClass(ingressClass: IngressClass): IngressClass {
  const parameters = ingressClass.spec?.parameters;
  if (parameters === undefined || parameters.scope !== undefined) return ingressClass;
  return { ...ingressClass, spec: { ...ingressClass.spec, parameters: { ...parameters, scope: 'Cluster' } } };
}

function validateIngressClass({ spec = {} }: IngressClass) {
  const faults = new Faults();
  const { controller = '', parameters } = spec;
  if (faults.require(['spec', 'controller'], controller)) faults.check(['spec', 'controller'], controller, domainPrefixedPath);
  if (controller.length > 250) faults.add(['spec', 'controller'], 'must have at most 250 characters');
  if (parameters === undefined) return faults.found;
  const path = ['spec', 'parameters'];
  if (parameters.apiGroup !== undefined) faults.check([...path, 'apiGroup'], parameters.apiGroup, dnsSubdomain);
  for (const field of ['kind', 'name'] as const) {
    if (faults.require([...path, field], parameters[field])) faults.check([...path, field], parameters[field], pathSegment);
  }
  faults.oneOf([...path, 'scope'], parameters.scope ?? '', ['Cluster', 'Namespace']);
  if (parameters.scope === 'Namespace' && faults.require([...path, 'namespace'], parameters.namespace)) {
    faults.check([...path, 'namespace'], parameters.namespace ?? '', dnsLabel);
  }
  if (parameters.scope === 'Cluster' && parameters.namespace !== undefined)
    faults.add([...path, 'namespace'], 'must not be set where scope is "Cluster"');
  return faults.found;
}
