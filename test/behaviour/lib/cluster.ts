import type { KindName } from '../../../pkg/apis/kinds.ts';
import { kindInfos } from '../../../pkg/apis/scheme.ts';
import { Client } from '../../../pkg/controller-runtime/client/client.ts';
import { isApiError } from '../../../pkg/controller-runtime/client/errors.ts';
import { loadKubeconfig } from '../../../pkg/controller-runtime/client/kubeconfig.ts';
import { type ObjectName, objectPath, type ResourceKind } from '../../../pkg/controller-runtime/client/object.ts';
import { RestClient } from '../../../pkg/controller-runtime/client/rest-client.ts';
import { systemClock } from '../../../pkg/controller-runtime/clock/clock.ts';
import type { TestEnvironment } from '../../../pkg/controller-runtime/envtest/environment.ts';
import type { CaseObject, Values } from './case.ts';

/** An object of a case by its name. */
export interface Reference extends ObjectName {
  readonly kind: string;
}

/** The API server, as somebody with kubectl uses it. */
export class Cluster {
  readonly environment: TestEnvironment;
  readonly #client: Client;

  private constructor(environment: TestEnvironment, client: Client) {
    this.environment = environment;
    this.#client = client;
  }

  static async connect(environment: TestEnvironment): Promise<Cluster> {
    const credentials = await loadKubeconfig(environment.kubeconfig);
    return new Cluster(environment, new Client(new RestClient({ credentials, clock: systemClock })));
  }

  /** Server-side apply: an object that is applied again is replaced. */
  async apply(object: CaseObject): Promise<void> {
    const { group = '', version } = splitApiVersion(object.apiVersion);
    const kind = { ...resource(object.kind), group, version };
    await this.#client.apply(kind, object, { fieldManager: 'case', force: true });
  }

  async applyNamespace(name: string): Promise<void> {
    await this.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  async get({ kind, ...name }: Reference): Promise<CaseObject | undefined> {
    return (await this.#client.get(resource(kind), name)) as CaseObject | undefined;
  }

  async delete({ kind, ...name }: Reference): Promise<void> {
    await this.#client.delete(resource(kind), name);
    if (kind === 'Namespace') await this.#finalize(name);
  }

  async setStatus({ kind, ...name }: Reference, status: Values): Promise<void> {
    await this.#client.patchStatus(resource(kind), name, status);
  }

  /** Nobody runs the controller that ends namespaces. */
  async #finalize(name: ObjectName): Promise<void> {
    const kind = resource('Namespace');
    const namespace = await this.#client.get(kind, name);
    if (namespace === undefined) return;
    const body = { ...namespace, spec: { finalizers: [] } };
    await this.environment.request({ method: 'PUT', path: `${objectPath(kind, name)}/finalize`, body });
  }
}

/** Whether the API server said that an object is not valid. */
export function isRefusal(error: unknown): error is Error {
  return isApiError(error, 'Invalid') || isApiError(error, 'BadRequest');
}

function resource(kind: string): ResourceKind {
  const info = kindInfos.get(kind as KindName);
  if (info === undefined) throw new Error(`no kind ${kind}`);
  return info;
}

function splitApiVersion(apiVersion: string): { readonly group?: string; readonly version: string } {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? { version: first } : { group: first, version: second };
}
