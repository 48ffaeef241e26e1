import { boolean, dictionary, object, optional, string } from '../../schema/builder.ts';
import type { Secret } from '../core/v1/secret.ts';
import type { KindAdmission } from '../kind-admission.ts';
import { base64Size, decodeBase64, encodeBase64 } from './base64.ts';
import { dataLimitBytes } from './config-map.ts';
import { Faults } from './faults.ts';
import { dataKey, dnsSubdomain } from './names.ts';

const schema = object('', {
  type: optional(string('')),
  data: optional(dictionary('', string(''))),
  stringData: optional(dictionary('', string(''))),
  immutable: optional(boolean('')),
});

/** Texts in `stringData` go to `data`; a Secret without a type is `Opaque`. */
export const secretAdmission: KindAdmission = {
  schema: () => schema.openapi,
  name: dnsSubdomain,
  complete: (secret) => completeSecret(secret as Secret),
  validate: (secret) => validateSecret(secret as Secret),
};

function completeSecret({ stringData, ...secret }: Secret): Secret {
  const type = (secret.type ?? '') === '' ? 'Opaque' : (secret.type as string);
  const data = [
    ...Object.entries(secret.data ?? {}).map(([key, value]) => [key, value.replace(/[\r\n]/g, '')]),
    ...Object.entries(stringData ?? {}).map(([key, value]) => [key, encodeBase64(value)]),
  ];
  return { ...secret, type, ...(data.length > 0 && { data: Object.fromEntries(data) as Readonly<Record<string, string>> }) };
}

function validateSecret(secret: Secret) {
  const faults = new Faults();
  const { data = {} } = secret;
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    faults.check(['data', key], key, dataKey);
    const size = base64Size(value);
    if (size === undefined) faults.add(['data', key], 'must be base64');
    bytes += size ?? 0;
  }
  if (bytes > dataLimitBytes) faults.add(['data'], `must have at most ${dataLimitBytes} bytes; it has ${bytes}`);
  if (faults.found.length === 0) typeRules[secret.type ?? '']?.(secret, faults);
  return faults.found;
}

/** What each type of Secret must hold. A type that is not here may hold anything. */
const typeRules: Readonly<Record<string, (secret: Secret, faults: Faults) => void>> = {
  'kubernetes.io/tls': (secret, faults) => {
    for (const key of ['tls.crt', 'tls.key']) requireKey(secret, faults, key);
  },
  'kubernetes.io/basic-auth': (secret, faults) => {
    const { data = {} } = secret;
    if (!Object.hasOwn(data, 'username') && !Object.hasOwn(data, 'password'))
      faults.add(['data'], 'must have the key username or password');
  },
  'kubernetes.io/ssh-auth': (secret, faults) => {
    if ((secret.data?.['ssh-privatekey'] ?? '') === '') faults.add(['data', 'ssh-privatekey'], 'is required');
  },
  'kubernetes.io/service-account-token': ({ metadata }, faults) => {
    const annotation = 'kubernetes.io/service-account.name';
    faults.require(['metadata', 'annotations', annotation], metadata.annotations?.[annotation]);
  },
  'kubernetes.io/dockercfg': (secret, faults) => requireJsonObject(secret, faults, '.dockercfg'),
  'kubernetes.io/dockerconfigjson': (secret, faults) => requireJsonObject(secret, faults, '.dockerconfigjson'),
};

/** The key must be there; its value may be empty. */
function requireKey({ data = {} }: Secret, faults: Faults, key: string): boolean {
  if (Object.hasOwn(data, key)) return true;
  faults.add(['data', key], 'is required');
  return false;
}

function requireJsonObject(secret: Secret, faults: Faults, key: string): void {
  if (!requireKey(secret, faults, key)) return;
  if (!isJsonObject(decodeBase64(secret.data?.[key] ?? ''))) faults.add(['data', key], 'must be a JSON object');
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value);
  } catch {
    return false; // no JSON: the caller says so
  }
}
