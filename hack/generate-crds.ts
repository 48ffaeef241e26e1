// Writes config/crd/: one CustomResourceDefinition a file, from the schemas in pkg/apis.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { customResourceDefinition, customResources } from '../pkg/apis/crd.ts';

const directory = new URL('../config/crd/', import.meta.url);
const banner = '# Made by hack/generate-crds.ts from the schemas in pkg/apis. Do not edit: run `make generate`.\n';

mkdirSync(directory, { recursive: true });
const files = new Map(customResources.map((resource) => [`${resource.group}_${resource.plural}.yaml`, customResourceDefinition(resource)]));
for (const stale of readdirSync(directory)) {
  if (!files.has(stale)) rmSync(new URL(stale, directory));
}
for (const [file, definition] of files) {
  writeFileSync(
    new URL(file, directory),
    `${banner}---\n${stringify(definition, { sortMapEntries: true, aliasDuplicateObjects: false, lineWidth: 120 })}`,
  );
}
console.log(`wrote ${files.size} files to config/crd`);
