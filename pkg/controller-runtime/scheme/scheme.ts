import { apiVersionOf, type ResourceKind } from '../client/object.ts';
import { builtInKinds } from './built-in-kinds.ts';

/** Which kinds there are, and where the API server keeps each. Nothing is asked of a server. */
export class Scheme {
  readonly #kinds = new Map<string, ResourceKind>();

  constructor(kinds: Iterable<ResourceKind> = []) {
    this.add(...kinds);
  }

  /**
   * Adds kinds; one that is there already in the same place is no fault.
   * @throws {RangeError} if a kind is there in another place, or its names cannot be part of a path
   */
  add(...kinds: readonly ResourceKind[]): this {
    for (const kind of kinds) {
      checkNames(kind);
      const key = keyOf(apiVersionOf(kind), kind.kind);
      const known = this.#kinds.get(key);
      if (known !== undefined && (known.plural !== kind.plural || known.namespaced !== kind.namespaced)) {
        throw new RangeError(`${key} is in the scheme as ${placeOf(known)} and cannot be ${placeOf(kind)} too`);
      }
      this.#kinds.set(key, known ?? kind);
    }
    return this;
  }

  /** The kind that an object names; `undefined` if nobody added it. */
  find({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ResourceKind | undefined {
    return this.#kinds.get(keyOf(apiVersion, kind));
  }

  /** As `find`. @throws {RangeError} naming the kind if nobody added it */
  kindOf(named: { readonly apiVersion: string; readonly kind: string }): ResourceKind {
    const kind = this.find(named);
    if (kind === undefined) throw new RangeError(`the scheme has no kind ${keyOf(named.apiVersion, named.kind)}; add it first`);
    return kind;
  }

  /** The kind that an URL names by group, version and plural, such as `apps`, `v1` and `deployments`. */
  findResource(group: string, version: string, plural: string): ResourceKind | undefined {
    return this.kinds().find((kind) => kind.group === group && kind.version === version && kind.plural === plural);
  }

  /** All kinds, in the order in which they were added. */
  kinds(): readonly ResourceKind[] {
    return [...this.#kinds.values()];
  }
}

/** The kinds that every cluster has. Add your own to it. */
export function builtInScheme(): Scheme {
  return new Scheme(builtInKinds);
}

/** Every part is put into paths as it is. Groups are DNS names; versions and plurals are labels. */
function checkNames({ kind, group, version, plural }: ResourceKind): void {
  const bad =
    !/^[A-Z][A-Za-z0-9]*$/.test(kind) ||
    !/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/.test(group) ||
    ![version, plural].every((label) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(label));
  if (bad) throw new RangeError(`no kind can be called ${JSON.stringify({ kind, group, version, plural })}`);
}

function keyOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}

function placeOf({ plural, namespaced }: ResourceKind): string {
  return `${namespaced ? 'namespaced' : 'cluster-scoped'} ${plural}`;
}
