import { gatewayApiCrdDir } from '../../../hack/lib/binaries.ts';
import type { TestEnvironment } from '../../../pkg/controller-runtime/envtest/environment.ts';
import { TestRequestError } from '../../../pkg/controller-runtime/envtest/request.ts';
import { startApiServer } from '../../lib/api-server.ts';
import { type Driver, expand, type Variables } from './driver.ts';
import { addressPair, baseName, collections, namespace, service, slice, type Workload } from './workload.ts';

const crds = new URL('../../../config/crd', import.meta.url).pathname;
/** The API server must not be what a burst waits for. */
const apiServerFlags = ['--max-requests-inflight=3000', '--max-mutating-requests-inflight=1000'];
const writers = 16;

/** The API server of a benchmark. */
export class BenchCluster implements AsyncDisposable {
  readonly environment: TestEnvironment;

  private constructor(environment: TestEnvironment) {
    this.environment = environment;
  }

  static async start(): Promise<BenchCluster> {
    const namespaces = [namespace, 'projectcontour'];
    return new BenchCluster(await startApiServer({ crds: [crds, gatewayApiCrdDir()], namespaces, apiServerFlags }));
  }

  /** Applies what a driver needs. */
  async prepare(driver: Driver, variables: Variables): Promise<void> {
    const { crds: more = [], objects = [] } = expand({ crds: driver.crds, objects: driver.objects }, variables);
    await this.environment.installCrds(...more);
    for (const { path, object } of objects) {
      await this.environment.request({
        method: 'PATCH',
        path: `${path}/${object.metadata.name}?fieldManager=bench&force=true`,
        body: object,
        contentType: 'application/apply-patch+yaml',
      });
    }
  }

  async create(collection: string, body: object): Promise<void> {
    await this.environment.request({ method: 'POST', path: collection, body });
  }

  async patch(path: string, body: object): Promise<void> {
    await this.environment.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  }

  /** Deletes an object that may be gone. */
  async delete(path: string): Promise<void> {
    await this.environment.request({ method: 'DELETE', path }).catch((error: unknown) => {
      if (!(error instanceof TestRequestError) || error.status !== 404) throw error;
    });
  }

  /** Creates a Service with its endpoints. */
  async createService(name: string, addresses: readonly string[]): Promise<void> {
    await this.create(collections.services, service(name));
    await this.create(collections.slices, slice(name, addresses));
  }

  async deleteService(name: string): Promise<void> {
    await this.delete(`${collections.slices}/${name}`);
    await this.delete(`${collections.services}/${name}`);
  }

  /** Creates the routes that are there all the time, each with its Service. */
  async createBase(workload: Workload, count: number): Promise<void> {
    await parallel(count, async (i) => {
      await this.createService(baseName(i), addressPair('base', i));
      await this.create(workload.collection, workload.route(baseName(i), { service: baseName(i) }));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.environment.stop();
  }
}

/** Does the work of 0 to count - 1, some at a time. */
export async function parallel(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await work(i);
  };
  await Promise.all(Array.from({ length: writers }, worker));
}
