import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { StructuralSchema } from '../../pkg/schema/structural.ts';

interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
}

interface Crd {
  readonly kind: string;
  readonly spec: { readonly names: { readonly kind: string }; readonly versions: readonly CrdVersion[] };
}

/**
 * The schemas of the CRDs in a folder, by kind, without descriptions.
 * @throws {Error} if the served versions of a kind differ: an object is admitted by one schema, whatever version it is written in.
 */
export function readGatewaySchemas(directory: string): ReadonlyMap<string, StructuralSchema> {
  const files = readdirSync(directory).filter((file) => file.endsWith('.yaml'));
  const objects = files
    .sort()
    .flatMap((file) => parseAllDocuments(readFileSync(join(directory, file), 'utf8')).map((document) => document.toJS() as Crd | null));
  const crds = objects.filter((object): object is Crd => object?.kind === 'CustomResourceDefinition');
  return new Map(crds.map((crd) => [crd.spec.names.kind, schemaOf(crd)]));
}

function schemaOf(crd: Crd): StructuralSchema {
  const served = crd.spec.versions.filter((version) => version.served);
  const [first, ...others] = served.map((version) => withoutDescriptions(version.schema.openAPIV3Schema));
  if (first === undefined || others.some((schema) => !isDeepStrictEqual(schema, first))) {
    throw new Error(`the served versions of ${crd.spec.names.kind} differ`);
  }
  return first;
}

/** A property may be called `description`: only those of schemas go. */
function withoutDescriptions(schema: StructuralSchema): StructuralSchema {
  const { description: _, properties, items, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, withoutDescriptions(property)])),
    }),
    ...(items !== undefined && { items: withoutDescriptions(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: withoutDescriptions(additionalProperties) }),
  };
}
