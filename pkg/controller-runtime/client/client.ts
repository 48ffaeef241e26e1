import { isApiError } from './errors.ts';
import { apiVersionOf, collectionPath, type KubeObject, nameOf, type ObjectName, objectPath, type ResourceKind } from './object.ts';
import type { RestClient, RestRequest } from './rest-client.ts';

/** How a patch changes an object. */
export type PatchType = 'merge' | 'json' | 'strategic' | 'apply';

const contentTypes: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /** Who writes, in `managedFields`. */
  readonly fieldManager?: string;
}

export interface UpdateOptions extends WriteOptions {
  /** Such as `status`. */
  readonly subresource?: string;
}

export interface ApplyOptions extends CallOptions {
  /** Who applies; what it applied before and leaves out now is removed. */
  readonly fieldManager: string;
  /** Take over fields that somebody else manages. Default: false, and such a field is a Conflict. */
  readonly force?: boolean;
  /** Such as `status`. */
  readonly subresource?: string;
}

export interface DeleteOptions extends CallOptions {
  /** What becomes of the objects that it owns. Default: what the kind says, mostly `Background`. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** Only this very object, not one that has its name by now; else Conflict. */
  readonly uid?: string;
  /** Only in this version; else Conflict. */
  readonly resourceVersion?: string;
}

export interface PatchOptions extends WriteOptions {
  /** Default: `merge`. */
  readonly type?: PatchType;
  /** Such as `status`. */
  readonly subresource?: string;
  /** With `apply`: take over fields that somebody else manages. */
  readonly force?: boolean;
}

export interface ListOptions extends CallOptions {
  /** `''` or absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

interface ListAnswer {
  readonly items?: readonly KubeObject[];
  readonly metadata?: { readonly continue?: string; readonly resourceVersion?: string };
}

/** The HTTP method of each verb of RBAC. */
const methods = { get: 'GET', list: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

const pageSize = '500';

/**
 * Typed calls to the API server. Reads go to the server too; controllers should read from a cache (`CachedClient`).
 * All methods throw `ApiError` where the server refuses and `UnreachableError` where there is no answer.
 */
export class Client {
  readonly rest: RestClient;

  constructor(rest: RestClient) {
    this.rest = rest;
  }

  /** The object, or `undefined` if there is none. */
  async get<T extends KubeObject>(kind: ResourceKind, name: ObjectName, options: CallOptions = {}): Promise<T | undefined> {
    try {
      const request = this.#request(kind, 'get', options);
      return (await this.rest.json({ ...request, path: objectPath(kind, name) })) as T;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** All objects of a kind, read page by page. */
  async list<T extends KubeObject>(kind: ResourceKind, options: ListOptions = {}): Promise<readonly T[]> {
    const items: T[] = [];
    let token: string | undefined;
    do {
      const { labelSelector, fieldSelector } = options;
      const query = { limit: pageSize, continue: token, labelSelector, fieldSelector };
      const request = this.#request(kind, 'list', options);
      const answer = (await this.rest.json({ ...request, path: collectionPath(kind, options.namespace), query })) as ListAnswer;
      // Lists of built-in kinds say what their items are once for all.
      for (const item of answer.items ?? []) items.push({ apiVersion: apiVersionOf(kind), kind: kind.kind, ...(item as object) } as T);
      token = answer.metadata?.continue;
    } while (token !== undefined && token !== '');
    return items;
  }

  /** Adds an object and gives what the server made of it. */
  async create<T extends KubeObject>(kind: ResourceKind, object: T, options: WriteOptions = {}): Promise<T> {
    const path = collectionPath(kind, object.metadata.namespace);
    const request = this.#request(kind, 'create', options);
    return (await this.rest.json({ ...request, path, query: writeQuery(options), body: object })) as T;
  }

  /** Replaces an object; its `resourceVersion`, if it has one, must still be the newest (else Conflict). */
  async update<T extends KubeObject>(kind: ResourceKind, object: T, options: UpdateOptions = {}): Promise<T> {
    const path = objectPath(kind, nameOf(object), options.subresource);
    const request = this.#request(kind, 'update', options, options.subresource);
    return (await this.rest.json({ ...request, path, query: writeQuery(options), body: object })) as T;
  }

  /** Changes parts of an object and gives the new version. */
  async patch<T extends KubeObject>(kind: ResourceKind, name: ObjectName, patch: unknown, options: PatchOptions = {}): Promise<T> {
    const type = options.type ?? 'merge';
    const request = this.#request(kind, 'patch', options, options.subresource);
    const answer = await this.rest.json({
      ...request,
      path: objectPath(kind, name, options.subresource),
      query: { ...writeQuery(options), ...(options.force === true && { force: 'true' }) },
      contentType: contentTypes[type],
      body: patch,
    });
    return answer as T;
  }

  /**
   * Makes the fields of an object what is given, whether it is there or not, and leaves those of others alone
   * (server-side apply).
   */
  apply<T extends KubeObject>(kind: ResourceKind, object: T, options: ApplyOptions): Promise<T> {
    return this.patch<T>(kind, nameOf(object), object, { ...options, type: 'apply' });
  }

  /** Removes an object; nothing happens where there is none. */
  async delete(kind: ResourceKind, name: ObjectName, options: DeleteOptions = {}): Promise<void> {
    const { uid, resourceVersion, propagationPolicy } = options;
    const conditional = uid !== undefined || resourceVersion !== undefined;
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy,
      ...(conditional && { preconditions: { uid, resourceVersion } }),
    };
    try {
      const request = this.#request(kind, 'delete', options);
      await this.rest.json({ ...request, path: objectPath(kind, name), ...((conditional || propagationPolicy !== undefined) && { body }) });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }

  /** Merges fields into the `status` subresource and gives the new version. */
  patchStatus<T extends KubeObject>(
    kind: ResourceKind,
    name: ObjectName,
    status: Readonly<Record<string, unknown>>,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.patch<T>(kind, name, { status }, { ...options, subresource: 'status' });
  }

  /** Replaces the `status` subresource with that of the object; nothing else of it counts. */
  updateStatus<T extends KubeObject>(kind: ResourceKind, object: T, options: WriteOptions = {}): Promise<T> {
    return this.update<T>(kind, object, { ...options, subresource: 'status' });
  }

  #request(kind: ResourceKind, verb: keyof typeof methods, { signal }: CallOptions, subresource?: string): Omit<RestRequest, 'path'> {
    return {
      method: methods[verb],
      verb,
      group: kind.group,
      resource: subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`,
      ...(signal !== undefined && { signal }),
    };
  }
}

function writeQuery({ fieldManager }: WriteOptions): Readonly<Record<string, string | undefined>> {
  return { fieldManager };
}
