import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { Secret } from '../../pkg/apis/core/v1/secret.ts';
import type { KubeObject } from '../../pkg/apis/meta.ts';
import type { ContourConfiguration } from '../../pkg/apis/projectcontour/v1alpha1/contour-configuration.ts';
import { admit, loadCel } from '../../pkg/apis/validate.ts';
import type { Config } from '../../pkg/config/config.ts';
import { resolveConfig } from '../../pkg/config/resolve.ts';
import type { SecretInspector } from '../../pkg/kubernetes-cache/secret-inspector.ts';
import { Pipeline } from '../../pkg/pipeline/pipeline.ts';

/** What stands for the certificates of the cases, and how it is looked into. */
export interface KeyMaterial {
  readonly certificate: string;
  readonly key: string;
  readonly secrets: SecretInspector;
}

/** Texts in place of key material: none is stored with the cases, and goldens must not change from run to run. */
export const placeholders: KeyMaterial = {
  certificate: 'a certificate',
  key: 'a key',
  secrets: {
    keyPair: (secret: Secret) => {
      const [certificate, privateKey] = [decoded(secret, 'tls.crt'), decoded(secret, 'tls.key')];
      return { ok: true, value: { certificate, privateKey, notBeforeMs: 0, notAfterMs: Number.MAX_SAFE_INTEGER } };
    },
    caBundle: (holder) => {
      const certificates = holder.kind === 'ConfigMap' ? holder.data?.['ca.crt'] : decoded(holder, 'ca.crt');
      return certificates === undefined || certificates === ''
        ? { ok: false, error: 'the cases have no CA' }
        : { ok: true, value: { certificates } };
    },
    revocationList: (secret: Secret) => ({ ok: true, value: { crl: decoded(secret, 'crl.pem') } }),
  },
};

const decoded = ({ data }: Secret, name: string): string => Buffer.from(data?.[name] ?? '', 'base64').toString();

/**
 * Builds a case: objects in YAML, before which a ContourConfiguration may stand. Every object must be one that the
 * API server would take. Objects have generation 1. `adapt` may alter the configuration, such as its ports.
 */
export async function buildCase(
  file: URL,
  material: KeyMaterial,
  adapt: (config: Config) => Config = (config) => config,
): Promise<{ readonly config: Config; readonly pipeline: Pipeline }> {
  await loadCel();
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as unknown);
  const objects = documents.map((document) => admitted(document, material));
  const configuration = objects.find(({ kind }) => kind === 'ContourConfiguration') as ContourConfiguration | undefined;
  const config = adapt(configOf(configuration));
  const pipeline = new Pipeline({ config, secrets: material.secrets });
  for (const object of objects) if (object !== configuration) pipeline.cache.apply(object);
  const { faults } = pipeline.buildAll();
  if (faults[0] !== undefined) throw new Error(`${faults[0].root.kind} ${faults[0].root.name}`, { cause: faults[0].error });
  return { config, pipeline };
}

function configOf(configuration: ContourConfiguration | undefined): Config {
  const resolved = resolveConfig({ flags: {}, namespace: 'projectcontour', ...(configuration !== undefined && { object: configuration }) });
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
  return resolved.value.config;
}

function admitted(document: unknown, { certificate, key }: KeyMaterial): KubeObject {
  const filled = JSON.parse(
    JSON.stringify(document, (_, value: unknown) => (value === '${certificate}' ? certificate : value === '${key}' ? key : value)),
  ) as unknown;
  const result = admit(filled);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return { ...result.object, metadata: { ...result.object.metadata, generation: 1 } };
}
