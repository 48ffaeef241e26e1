import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** A CustomResourceDefinition, as far as installing one needs it. */
export interface CustomResource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The CustomResourceDefinitions in a YAML file or in the `.yaml` files of a folder. Other kinds are left out. */
export function readCustomResources(path: string): readonly CustomResource[] {
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((file) => file.endsWith('.yaml') || file.endsWith('.yml'))
        .sort()
        .map((file) => join(path, file))
    : [path];
  return files.flatMap((file) =>
    parseAllDocuments(readFileSync(file, 'utf8'))
      .map((document) => document.toJS() as CustomResource | null)
      .filter((object): object is CustomResource => object?.kind === 'CustomResourceDefinition'),
  );
}

/** Whether the API server serves the kind already. */
export function isEstablished(resource: CustomResource): boolean {
  return resource.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}
