import { opaque, optional, type Schema, string } from '../schema/builder.ts';
import type { ObjectMeta } from './meta.ts';

/** A kind of our own: its schema and how the API server shows it. */
export interface CustomResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly printerColumns?: readonly PrinterColumn[];
  /** Of the whole object. */
  readonly schema: Schema<unknown>;
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly description: string;
  readonly type: 'string';
  readonly jsonPath: string;
}

/** The properties that every object has at its top. */
export const objectShape = {
  apiVersion: optional(string('The group and version of the API that the object is written in.')),
  kind: optional(string('The kind of the object.')),
  metadata: optional(opaque<ObjectMeta>()),
};

/** As `objectShape`, where the schema demands `metadata`. */
export const objectShapeWithMetadata = { ...objectShape, metadata: opaque<ObjectMeta>() };
