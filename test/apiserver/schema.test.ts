import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gatewayApiCrdDir } from '../../hack/lib/binaries.ts';
import type { KubeObject } from '../../pkg/apis/meta.ts';
import { findKind } from '../../pkg/apis/scheme.ts';
import { admit, loadCel } from '../../pkg/apis/validate.ts';
import type { TestEnvironment } from '../../pkg/controller-runtime/envtest/environment.ts';
import { type AdmissionCase, admissionCases, type JsonObject } from '../lib/admission-corpus.ts';
import { startApiServer } from '../lib/api-server.ts';

/** What a cluster gives a Service of its own accord. */
const allocated = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];

describe('file mode and the API server', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    const crds = [fileURLToPath(new URL('../../config/crd', import.meta.url)), gatewayApiCrdDir('standard')];
    [environment] = await Promise.all([startApiServer({ crds }), loadCel()]);
  }, 180_000);
  afterAll(() => environment.stop());

  test.each(admissionCases())('agree on $name', async ({ object, refused }: AdmissionCase) => {
    const answer = await create(environment, object);
    const admission = admit(object);
    // The corpus says it too, so that a case that both get wrong is seen.
    expect({ apiServer: answer.ok, fileMode: admission.ok, why: answer.ok || refused.length > 0 ? '' : answer.message }).toEqual({
      apiServer: refused.length === 0,
      fileMode: refused.length === 0,
      why: '',
    });
    if (answer.ok && admission.ok) expect(withoutEmpty(comparable(admission.object))).toEqual(withoutEmpty(comparable(answer.object)));
  });
});

type Answer = { readonly ok: true; readonly object: KubeObject } | { readonly ok: false; readonly message: string };

/** Has the API server decide, without keeping the object. */
async function create(environment: TestEnvironment, object: JsonObject): Promise<Answer> {
  const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
  const info = findKind(apiVersion, kind);
  const prefix = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const path = `${prefix}${info?.namespaced === true ? '/namespaces/default' : ''}/${info?.plural}?dryRun=All&fieldValidation=Ignore`;
  try {
    return { ok: true, object: (await environment.request({ method: 'POST', path, body: object })) as KubeObject };
  } catch (error) {
    const { status } = error as { readonly status?: number };
    if (status !== 400 && status !== 422) throw error;
    return { ok: false, message: String(error) };
  }
}

/** The object without what only a cluster adds. */
function comparable(object: KubeObject): JsonObject {
  const {
    apiVersion: _version,
    metadata,
    status,
    ...rest
  } = object as KubeObject & { readonly spec?: JsonObject; readonly status?: JsonObject };
  const { name, namespace = '', annotations = {} } = metadata;
  const isCore = ['Service', 'Ingress', 'Namespace'].includes(object.kind);
  return {
    ...rest,
    metadata: { name, namespace, annotations, labels: withoutNameLabel(object) },
    ...(!isCore && { status }),
    ...(rest.spec !== undefined && { spec: object.kind === 'Namespace' ? {} : specOf(rest.spec) }),
  };
}

/** For kinds of Kubernetes itself the API server writes an empty list as null, and an empty struct where there was none. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutEmpty);
  const entries = Object.entries(value).map(([name, item]) => [name, withoutEmpty(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => typeof item !== 'object' || (item !== null && Object.keys(item).length > 0)));
}

/** A cluster labels a Namespace with its name. */
function withoutNameLabel({ metadata }: KubeObject): JsonObject {
  const { 'kubernetes.io/metadata.name': _, ...labels } = metadata.labels ?? {};
  return labels;
}

function specOf(spec: JsonObject): JsonObject {
  const { healthCheckNodePort: _, ...rest } = spec;
  const kept = Object.fromEntries(Object.entries(rest).filter(([name]) => !allocated.includes(name)));
  if (!Array.isArray(kept['ports'])) return kept;
  return { ...kept, ports: (kept['ports'] as readonly JsonObject[]).map(({ nodePort: _port, ...port }) => port) };
}
