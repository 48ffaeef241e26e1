import type { JsonObject } from '../util/json-object.ts';
import { isOfType, jsonTypeOf, quote } from './bounds.ts';
import { formatFieldPath, type PathSegment } from './field-path.ts';
import type { SchemaPlan } from './plan.ts';
import type { JsonValue } from './structural.ts';

/** Something to say about a field. */
export interface Finding {
  /** Such as `spec.routes[0].services[1].port`; `''` for the whole object. */
  readonly path: string;
  readonly message: string;
}

/** A value as its schema wants it, and what is wrong with it. */
export interface Conformed {
  /** Pruned and defaulted; of use only where there are no errors. */
  readonly value: unknown;
  readonly errors: readonly Finding[];
  /** Fields that were dropped because the schema does not know them. */
  readonly warnings: readonly Finding[];
}

/**
 * Fits a value to its schema as the API server does when an object is created: nulls that the schema does not allow
 * count as absent, unknown fields are dropped, defaults are set, then types, bounds and the uniqueness of list keys
 * are checked. Rules are not: see `checkRules`. The value given is left as it is.
 */
export function conform(plan: SchemaPlan, value: unknown): Conformed {
  const visitor = new Visitor();
  const conformed = visitor.visit(plan, value);
  return { value: conformed, errors: visitor.errors, warnings: visitor.warnings };
}

class Visitor {
  readonly errors: Finding[] = [];
  readonly warnings: Finding[] = [];
  /** Where the visit is now. Text is made of it only for findings. */
  readonly #path: PathSegment[] = [];

  visit(plan: SchemaPlan, value: unknown): unknown {
    if (!this.#hasType(plan, value)) return value;
    const fitted = Array.isArray(value)
      ? this.#visitList(plan, value)
      : jsonTypeOf(value) === 'object'
        ? this.#visitObject(plan, value as JsonObject)
        : value;
    for (const bound of plan.bounds) {
      const fault = bound(fitted);
      if (fault !== undefined) this.#refuse(fault);
    }
    return fitted;
  }

  #hasType(plan: SchemaPlan, value: unknown): boolean {
    const { schema } = plan;
    if (value === null && schema.nullable === true) return false;
    const types = schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : schema.type === undefined ? [] : [schema.type];
    if (types.length === 0 || types.some((type) => isOfType(value, type))) return true;
    this.#refuse(`must be of type ${types.join(' or ')}; it is ${value === null ? 'null' : `${jsonTypeOf(value)}: ${quote(value)}`}`);
    return false;
  }

  #visitObject(plan: SchemaPlan, value: JsonObject): JsonObject {
    const entries = Object.entries(value).flatMap(([name, given]) => this.#visitProperty(plan, name, given));
    const present = new Set(entries.map(([name]) => name));
    for (const [name, preset] of plan.defaults) {
      if (present.has(name)) continue;
      entries.push([name, this.#preset(plan.properties.get(name) as SchemaPlan, preset)]);
      present.add(name);
    }
    for (const name of plan.schema.required ?? []) {
      if (!present.has(name)) this.#at(name, () => this.#refuse('is required'));
    }
    return Object.fromEntries(entries);
  }

  #visitProperty(plan: SchemaPlan, name: string, given: unknown): readonly [string, unknown][] {
    const part = plan.properties.get(name) ?? plan.values;
    if (given === undefined) return [];
    if (part === undefined) {
      if (plan.schema['x-kubernetes-preserve-unknown-fields'] === true) return [[name, given]];
      this.#at(name, () => this.#warn('unknown field; it is ignored'));
      return [];
    }
    if (given === null && part.schema.nullable !== true) return [];
    return [[name, this.#at(name, () => this.visit(part, given))]];
  }

  /** A default may be an object with defaults of its own inside. It was checked when the schema was made. */
  #preset(plan: SchemaPlan, preset: JsonValue): unknown {
    return typeof preset === 'object' ? this.visit(plan, preset) : preset;
  }

  #visitList(plan: SchemaPlan, value: readonly unknown[]): readonly unknown[] {
    const { items } = plan;
    if (items === undefined) return value;
    const fitted = value.map((item, index) => this.#at(index, () => this.visit(items, item)));
    const listType = plan.schema['x-kubernetes-list-type'];
    if (listType === 'map' || listType === 'set') this.#refuseDuplicates(fitted, plan.schema['x-kubernetes-list-map-keys'] ?? []);
    return fitted;
  }

  #refuseDuplicates(list: readonly unknown[], keys: readonly string[]): void {
    const seen = new Set<string>();
    for (const [index, item] of list.entries()) {
      const identity = keys.length === 0 ? item : keys.map((key) => (item as JsonObject)?.[key] ?? null);
      const text = JSON.stringify(identity);
      if (seen.has(text)) this.#at(index, () => this.#refuse(`is a duplicate: ${quote(identity)} is there already`));
      seen.add(text);
    }
  }

  #at<T>(segment: PathSegment, visit: () => T): T {
    this.#path.push(segment);
    const result = visit();
    this.#path.pop();
    return result;
  }

  #refuse(message: string): void {
    this.errors.push({ path: formatFieldPath(this.#path), message });
  }

  #warn(message: string): void {
    this.warnings.push({ path: formatFieldPath(this.#path), message });
  }
}
