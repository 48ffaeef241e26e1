import type { Finding } from '../schema/conform.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import type { KubeObject } from './meta.ts';
import type { TextRule } from './validation/names.ts';

/** How objects of a kind are admitted. */
export interface KindAdmission {
  /** Of the whole object; its `metadata` is not looked at. Called once. */
  readonly schema: () => StructuralSchema;
  /** What `metadata.name` must be. */
  readonly name: TextRule;
  /** The API server drops a status that comes with a new object, unless this is set. */
  readonly keepsStatus?: boolean;
  /** Sets defaults that depend on other fields. Called with an object that conforms to the schema. */
  readonly complete?: (object: KubeObject) => KubeObject;
  /** Refuses what the schema cannot. Called after `complete`. */
  readonly validate?: (object: KubeObject) => readonly Finding[];
}
