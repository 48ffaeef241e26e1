import { boolean, dictionary, integer, list, object, optional, type Static, string } from '../../schema/builder.ts';
import { conform, type Finding } from '../../schema/conform.ts';
import { compileSchema, type SchemaPlan } from '../../schema/plan.ts';
import type { ObjectMeta } from '../meta.ts';
import { Faults } from './faults.ts';
import { dnsLabel, labelValue, qualifiedName, type TextRule } from './names.ts';

const text = optional(string(''));
const time = optional(string('', { format: 'date-time' }));

const metadataSchema = object('', {
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: optional(integer('', { format: 'int64' })),
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: optional(integer('', { format: 'int64' })),
  labels: optional(dictionary('', string(''))),
  annotations: optional(dictionary('', string(''))),
  finalizers: optional(list('', string(''))),
  ownerReferences: optional(
    list(
      '',
      object('', {
        apiVersion: text,
        kind: text,
        name: text,
        uid: text,
        controller: optional(boolean('')),
        blockOwnerDeletion: optional(boolean('')),
      }),
    ),
  ),
});

type Metadata = Static<typeof metadataSchema>;

// managedFields has no use here, and its content is free.
const plan: SchemaPlan = compileSchema({
  ...metadataSchema.openapi,
  properties: {
    ...metadataSchema.openapi.properties,
    managedFields: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
});

const annotationsLimitBytes = 256 * 1024;

/** What the metadata of a kind must be. */
export interface MetadataRules {
  readonly namespaced: boolean;
  readonly name: TextRule;
}

/**
 * Fits `metadata` to what every object has there, and checks names, labels and annotations. An object of a namespaced
 * kind without a namespace is in `default`, as with kubectl; the namespace of an object of another kind is dropped.
 * Paths begin with `metadata`.
 */
export function admitMetadata(
  given: unknown,
  rules: MetadataRules,
): { readonly metadata: ObjectMeta; readonly errors: readonly Finding[]; readonly warnings: readonly Finding[] } {
  const { value, errors, warnings } = conform(plan, given ?? {});
  const below = (findings: readonly Finding[]) =>
    findings.map(({ path, message }) => ({ path: path === '' ? 'metadata' : `metadata.${path}`, message }));
  if (errors.length > 0) return { metadata: { name: '' }, errors: below(errors), warnings: below(warnings) };
  const { managedFields: _, namespace = '', ...kept } = value as Metadata & { readonly managedFields?: unknown };
  const metadata = rules.namespaced ? { ...kept, namespace: namespace === '' ? 'default' : namespace } : kept;
  return { metadata: metadata as ObjectMeta, errors: checkMetadata(metadata, rules), warnings: below(warnings) };
}

function checkMetadata(metadata: Metadata, rules: MetadataRules): readonly Finding[] {
  const faults = new Faults();
  const { name, namespace = '' } = metadata;
  if (faults.require(['metadata', 'name'], name)) faults.check(['metadata', 'name'], name as string, rules.name);
  if (rules.namespaced) faults.check(['metadata', 'namespace'], namespace, dnsLabel);
  checkLabels(faults, ['metadata', 'labels'], metadata.labels ?? {});
  checkAnnotations(faults, metadata.annotations ?? {});
  for (const [index, finalizer] of (metadata.finalizers ?? []).entries())
    faults.check(['metadata', 'finalizers', index], finalizer, qualifiedName);
  for (const [index, owner] of (metadata.ownerReferences ?? []).entries()) {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const)
      faults.require(['metadata', 'ownerReferences', index, field], owner[field]);
  }
  return faults.found;
}

/** Checks labels, or a selector of labels. */
export function checkLabels(faults: Faults, path: readonly string[], labels: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(labels)) {
    faults.check([...path, key], key, qualifiedName);
    faults.check([...path, key], value, labelValue);
  }
}

function checkAnnotations(faults: Faults, annotations: Readonly<Record<string, string>>): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    faults.check(['metadata', 'annotations', key], key, (name) => qualifiedName(name.toLowerCase()));
    bytes += new TextEncoder().encode(key).length + new TextEncoder().encode(value).length;
  }
  if (bytes > annotationsLimitBytes)
    faults.add(['metadata', 'annotations'], `must have at most ${annotationsLimitBytes} bytes; it has ${bytes}`);
}
