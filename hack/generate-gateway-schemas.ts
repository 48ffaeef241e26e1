// Writes pkg/apis/gateway/schemas.gen.ts: the schemas of the upstream Gateway API CRDs, without descriptions.
import { writeFileSync } from 'node:fs';
import { gatewayApiCrdDir } from './lib/binaries.ts';
import { readGatewaySchemas } from './lib/gateway-schemas.ts';

const schemas = readGatewaySchemas(gatewayApiCrdDir('standard'));
const entries = [...schemas].map(([kind, schema]) => `  ${kind}: ${JSON.stringify(JSON.stringify(schema))},`);
writeFileSync(
  new URL('../pkg/apis/gateway/schemas.gen.ts', import.meta.url),
  `// Made by hack/generate-gateway-schemas.ts from the CRDs of Gateway API, standard channel. Do not edit.

/** The schemas of the kinds of Gateway API, as JSON text: most runs need few of them. */
export const gatewaySchemas: Readonly<Record<string, string>> = {
${entries.join('\n')}
};
`,
);
console.log(`wrote ${entries.length} schemas to pkg/apis/gateway/schemas.gen.ts`);
