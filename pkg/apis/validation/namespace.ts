import { list, object, optional, string } from '../../schema/builder.ts';
import type { KindAdmission } from '../kind-admission.ts';
import { dnsLabel } from './names.ts';

const schema = object('', { spec: optional(object('', { finalizers: optional(list('', string(''))) })) });

export const namespaceAdmission: KindAdmission = { schema: () => schema.openapi, name: dnsLabel };
