// Writes pkg/apis/gateway/schemas.gen.ts: the schemas of the upstream Gateway API CRDs, without descriptions.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { StructuralSchema } from '../pkg/schema/structural.ts';
import { gatewayApiCrdDir } from './lib/binaries.ts';

interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
}

interface Crd {
  readonly kind: string;
  readonly spec: { readonly names: { readonly kind: string }; readonly versions: readonly CrdVersion[] };
}

const target = new URL('../pkg/apis/gateway/schemas.gen.ts', import.meta.url);
const directory = gatewayApiCrdDir('standard');

/** Every served version of a kind must have the same schema: an object is admitted by one, whatever version it is written in. */
function schemaOf(crd: Crd): StructuralSchema {
  const served = crd.spec.versions
    .filter((version) => version.served)
    .map((version) => withoutDescriptions(version.schema.openAPIV3Schema));
  const [first] = served;
  if (first === undefined || !served.every((schema) => isDeepStrictEqual(schema, first))) {
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

const crds = readdirSync(directory)
  .filter((file) => file.endsWith('.yaml'))
  .sort()
  .flatMap((file) => parseAllDocuments(readFileSync(join(directory, file), 'utf8')).map((document) => document.toJS() as Crd | null))
  .filter((object): object is Crd => object?.kind === 'CustomResourceDefinition');
const entries = crds.map((crd) => `  ${crd.spec.names.kind}: ${JSON.stringify(JSON.stringify(schemaOf(crd)))},`);

writeFileSync(
  target,
  `// Made by hack/generate-gateway-schemas.ts from the CRDs of Gateway API v1.6.1, standard channel. Do not edit.

/** The schemas of the kinds of Gateway API, as JSON text: most runs need few of them. */
export const gatewaySchemas: Readonly<Record<string, string>> = {
${entries.join('\n')}
};
`,
);
console.log(`wrote ${entries.length} schemas to pkg/apis/gateway/schemas.gen.ts`);
