import type { DescField, DescMessage, FileRegistry, JsonObject, JsonValue } from '@bufbuild/protobuf';
import * as protobuf from '@bufbuild/protobuf';
import type { GenExtension } from '@bufbuild/protobuf/codegenv2';
import { base64Decode } from '@bufbuild/protobuf/wire';
import { type FieldOptions, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorSetBase64 } from '../envoy-api/descriptor-set.ts';

/** How `toJson` prints. */
export interface JsonOptions {
  /**
   * `proto` prints fields as the .proto files name them (`connect_timeout`), as Envoy's documentation and its
   * admin interface do; `camel` prints lowerCamelCase (`connectTimeout`), the form of the protobuf JSON
   * specification. Envoy and `fromJson` read both. Default: `proto`.
   */
  readonly fieldNames?: 'proto' | 'camel';
  /**
   * Prints `[redacted]` in place of what the Envoy API marks as sensitive: private keys, PKCS #12 stores,
   * passwords, session ticket keys, generic secrets; and of local key sets. File names and names of environment variables stay.
   * Default: false.
   */
  readonly redactSecrets?: boolean;
}

/**
 * Prints a serialised message of the Envoy API in the canonical JSON of protobuf: an Any is expanded beside its
 * leading `@type`, a Duration is `"1.5s"`, 64-bit integers are strings, bytes are base64, enums are names. Fields come
 * in the order of their numbers; fields that are not set are left out.
 *
 * @param type a full message name or a type URL, such as `type.googleapis.com/envoy.config.cluster.v3.Cluster`.
 * @throws {RangeError} if the type is unknown, or the bytes are not such a message, or they hold an Any of an
 * unknown type.
 */
export function toJson(type: string, bytes: Uint8Array, options: JsonOptions = {}): JsonValue {
  const descriptor = messageDescriptor(type);
  const registry = envoyRegistry();
  const json = described(`cannot print ${descriptor.typeName}`, () =>
    protobuf.toJson(descriptor, protobuf.fromBinary(descriptor, bytes), { registry, useProtoFieldName: options.fieldNames !== 'camel' }),
  );
  return typeFirst(options.redactSecrets === true ? redact(descriptor, json) : json);
}

/**
 * Reads a message of the Envoy API from the JSON of protobuf and serialises it. Both spellings of field names
 * are read; map entries are serialised in the order in which they stand.
 *
 * @param type a full message name or a type URL.
 * @throws {RangeError} if the type is unknown, or a field is unknown or has a wrong value; the message names it.
 */
export function fromJson(type: string, json: unknown): Uint8Array {
  const descriptor = messageDescriptor(type);
  const registry = envoyRegistry();
  return described(`cannot read ${descriptor.typeName}`, () =>
    protobuf.toBinary(descriptor, protobuf.fromJson(descriptor, json as JsonValue, { registry })),
  );
}

let registryOnce: FileRegistry | undefined;

/** The descriptors of pkg/envoy-api, parsed at the first use: a process that prints no JSON does not pay. */
function envoyRegistry(): FileRegistry {
  registryOnce ??= protobuf.createFileRegistry(protobuf.fromBinary(FileDescriptorSetSchema, base64Decode(descriptorSetBase64)));
  return registryOnce;
}

function messageName(type: string): string {
  return type.slice(type.lastIndexOf('/') + 1);
}

function messageDescriptor(type: string): DescMessage {
  const descriptor = envoyRegistry().getMessage(messageName(type));
  if (descriptor === undefined) throw new RangeError(`${messageName(type)} is not a message of the Envoy API in use`);
  return descriptor;
}

/** Runs `work`; a failure becomes a RangeError that says what was tried. */
function described<T>(attempt: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new RangeError(`${attempt}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Puts `@type` before the fields of the message in an Any: the library puts it behind them, where a reader finds it too late. */
function typeFirst(json: JsonValue): JsonValue {
  if (Array.isArray(json)) return json.map(typeFirst);
  if (!isJsonObject(json)) return json;
  const ordered = mapValues(json, typeFirst);
  const type = ordered['@type'];
  return type === undefined ? ordered : { '@type': type, ...ordered };
}

const redactedText = '[redacted]';

/** Fields inside a sensitive message that say where a secret is, and not what it is. */
const places: ReadonlySet<string> = new Set(['@type', 'filename', 'environment_variable', 'environmentVariable']);

function redact(descriptor: DescMessage, json: JsonValue): JsonValue {
  if (!isJsonObject(json)) return json; // a message whose JSON is a plain value, such as a Duration
  const actual = descriptor.typeName === 'google.protobuf.Any' ? messageDescriptor(String(json['@type'])) : descriptor;
  const fields = redactableFields(actual);
  return mapValues(json, (value, key) => {
    const field = fields.get(key);
    if (field === undefined) return value;
    return field.sensitive ? redactAll(value) : redactInside(field.descriptor, value);
  });
}

/** Fields that can hold a secret and are not marked: a key set may have the key of a symmetric algorithm (RFC 7518, 6.4). */
const alsoSensitive: ReadonlySet<string> = new Set(['envoy.extensions.filters.http.jwt_authn.v3.JwtProvider.local_jwks']);

/** A field that is sensitive, or that holds messages which may be. */
interface RedactableField {
  readonly descriptor: DescField;
  readonly sensitive: boolean;
}

const redactableFieldsOf = new WeakMap<DescMessage, ReadonlyMap<string, RedactableField>>();

/** The redactable fields of a message, by both spellings of their names. */
function redactableFields(message: DescMessage): ReadonlyMap<string, RedactableField> {
  let fields = redactableFieldsOf.get(message);
  if (fields === undefined) {
    fields = new Map(hasOwnKeys(message) ? [] : message.fields.flatMap(redactableField));
    redactableFieldsOf.set(message, fields);
  }
  return fields;
}

function redactableField(descriptor: DescField): [string, RedactableField][] {
  const option = envoyRegistry().getExtension('udpa.annotations.sensitive') as GenExtension<FieldOptions, boolean>;
  const sensitive = protobuf.getOption(descriptor, option) || alsoSensitive.has(`${descriptor.parent.typeName}.${descriptor.name}`);
  if (!sensitive && descriptor.message === undefined) return [];
  const field = { descriptor, sensitive };
  return [
    [descriptor.name, field],
    [descriptor.jsonName, field],
  ];
}

/** Whether the keys in the message's JSON are the user's, not field names. */
function hasOwnKeys(message: DescMessage): boolean {
  return message.typeName === 'google.protobuf.Struct' || message.typeName === 'google.protobuf.Value';
}

function redactInside(field: DescField, value: JsonValue): JsonValue {
  const { message } = field;
  if (message === undefined) return value;
  if (field.fieldKind === 'list' && Array.isArray(value)) return value.map((item) => redact(message, item));
  if (field.fieldKind === 'map' && isJsonObject(value)) return mapValues(value, (item) => redact(message, item));
  return redact(message, value);
}

/** Every text below a sensitive field, be it the field itself or a part of the message in it. */
function redactAll(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(redactAll);
  if (isJsonObject(value)) return mapValues(value, (item, key) => (places.has(key) ? item : redactAll(item)));
  return typeof value === 'string' ? redactedText : value;
}

function isJsonObject(json: JsonValue): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function mapValues(json: JsonObject, change: (value: JsonValue, key: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, change(value, key)]));
}
