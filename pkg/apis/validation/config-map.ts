import { boolean, dictionary, object, optional, string } from '../../schema/builder.ts';
import type { ConfigMap } from '../core/v1/config-map.ts';
import type { KindAdmission } from '../kind-admission.ts';
import { base64Size } from './base64.ts';
import { Faults } from './faults.ts';
import { dataKey, dnsSubdomain } from './names.ts';

/** What the data of a ConfigMap or Secret may have together. */
export const dataLimitBytes = 1024 * 1024;

const schema = object('', {
  data: optional(dictionary('', string(''))),
  binaryData: optional(dictionary('', string(''))),
  immutable: optional(boolean('')),
});

export const configMapAdmission: KindAdmission = {
  schema: () => schema.openapi,
  name: dnsSubdomain,
  validate: (configMap) => validateConfigMap(configMap as ConfigMap),
};

function validateConfigMap({ data = {}, binaryData = {} }: ConfigMap) {
  const faults = new Faults();
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    faults.check(['data', key], key, dataKey);
    if (Object.hasOwn(binaryData, key)) faults.add(['data', key], 'is in binaryData too');
    bytes += new TextEncoder().encode(value).length;
  }
  for (const [key, value] of Object.entries(binaryData)) {
    faults.check(['binaryData', key], key, dataKey);
    const size = base64Size(value);
    if (size === undefined) faults.add(['binaryData', key], 'must be base64');
    bytes += size ?? 0;
  }
  if (bytes > dataLimitBytes) faults.add([], `the data must have at most ${dataLimitBytes} bytes; it has ${bytes}`);
  return faults.found;
}
