import { conform, type Finding } from '../schema/conform.ts';
import { compileSchema, type SchemaPlan } from '../schema/plan.ts';
import type { CelRunner } from '../schema/rules.ts';
import { checkRules } from '../schema/rules.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { isJsonObject, type JsonObject } from '../util/json-object.ts';
import { kindAdmissions } from './admissions.ts';
import type { KindAdmission } from './kind-admission.ts';
import type { KindInfo, KindName } from './kinds.ts';
import type { KubeObject } from './meta.ts';
import { apiVersionOf, findKind, kindInfos } from './scheme.ts';
import { admitMetadata } from './validation/metadata.ts';

/** The object as the API server would keep it, or every reason why it would refuse it. */
export type Admission =
  | {
      readonly ok: true;
      readonly object: KubeObject;
      /** Fields that are dropped because the kind does not have them. */
      readonly warnings: readonly Finding[];
    }
  | { readonly ok: false; readonly errors: readonly Finding[] };

// Plans and the interpreter are kept for the life of the program: they depend on nothing but the program itself.
const plans = new Map<KindName, SchemaPlan>();
let celRunner: CelRunner | undefined;

/**
 * Loads what `admit` needs for objects of Gateway API: their rules are in CEL, whose interpreter takes a tenth of a
 * second to load. Await it once before the first such object; further calls cost nothing.
 */
export async function loadCel(): Promise<void> {
  if (celRunner !== undefined) return;
  const { loadCelRunner } = await import('../schema/cel.ts');
  celRunner = await loadCelRunner();
}

/**
 * Admits a new object as the API server does, for what does not come from one: unknown fields are dropped with a
 * warning, defaults are set, then metadata, schema and rules are checked. The version becomes the one that Isoline
 * reads. A status is dropped (but that of a Service: see `serviceAdmission`), texts of a Secret are encoded, an object
 * without a namespace is in `default`.
 *
 * The object given is left as it is; what comes back may share parts with it.
 * @throws {TypeError} if the kind needs CEL and `loadCel` was not awaited.
 */
export function admit(object: unknown): Admission {
  if (!isJsonObject(object)) return refused('', 'must be an object');
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || apiVersion === '') return refused('apiVersion', 'is required');
  if (typeof kind !== 'string' || kind === '') return refused('kind', 'is required');
  const info = findKind(apiVersion, kind);
  if (info === undefined) return unknownKind(apiVersion, kind);
  return admitKind(info, kindAdmissions.get(info.kind) as KindAdmission, object);
}

function admitKind(info: KindInfo, admission: KindAdmission, object: JsonObject): Admission {
  const { apiVersion: _version, kind: _kind, metadata: givenMetadata, status, ...body } = object;
  const plan = planOf(info.kind);
  const { metadata, ...about } = admitMetadata(givenMetadata, { namespaced: info.namespaced, name: admission.name });
  const conformed = conform(plan, { ...body, ...(admission.keepsStatus === true && status !== undefined && { status }) });
  const errors = [...about.errors, ...conformed.errors];
  if (errors.length > 0) return { ok: false, errors };
  const fitted = { apiVersion: apiVersionOf(info.group, info.version), kind: info.kind, metadata, ...(conformed.value as JsonObject) };
  const complete = admission.complete?.(fitted) ?? fitted;
  const faults = [...checkRules(plan, conformed.value, celRunner), ...(admission.validate?.(complete) ?? [])];
  if (faults.length > 0) return { ok: false, errors: faults };
  return { ok: true, object: complete, warnings: [...about.warnings, ...conformed.warnings] };
}

function planOf(kind: KindName): SchemaPlan {
  const known = plans.get(kind);
  if (known !== undefined) return known;
  const plan = compileSchema(bodySchema((kindAdmissions.get(kind) as KindAdmission).schema()));
  plans.set(kind, plan);
  return plan;
}

/** The schema without what every object has at its top: that is checked by itself. */
function bodySchema(schema: StructuralSchema): StructuralSchema {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...properties } = schema.properties ?? {};
  return { ...schema, properties, required: (schema.required ?? []).filter((name) => name !== 'metadata') };
}

function unknownKind(apiVersion: string, kind: string): Admission {
  const known = kindInfos.get(kind as KindName);
  if (known === undefined) return refused('kind', `${kind} is not a kind that Isoline reads`);
  return refused('apiVersion', `${kind} is read as ${apiVersionOf(known.group, known.version)}, not as ${apiVersion}`);
}

function refused(path: string, message: string): Admission {
  return { ok: false, errors: [{ path, message }] };
}
