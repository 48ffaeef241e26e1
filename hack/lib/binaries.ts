/**
 * Finds the programs that tests, the demo and benchmarks run beside Isoline. `hack/fetch-binaries.sh` puts what is
 * missing into the cache folder; `make test` and `make demo` call it.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

/**
 * The folder for what is fetched or built once a machine: `$ISOLINE_CACHE`, else `isoline` in
 * `$XDG_CACHE_HOME`, else `~/.cache/isoline`.
 */
export function cacheDir(): string {
  const { ISOLINE_CACHE, XDG_CACHE_HOME } = process.env;
  return resolve(ISOLINE_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'isoline'));
}

/**
 * The Envoy to test with: `$ENVOY`, else `envoy` on PATH, else the cached one.
 * @returns an absolute path.
 * @throws {Error} if there is none; the message says how to get it.
 */
export function findEnvoy(): string {
  return findBinary('envoy', 'ENVOY');
}

/**
 * The etcd below the API server of the tests: `$ETCD`, else in `$KUBEBUILDER_ASSETS`, else on PATH, else the
 * cached one.
 * @returns an absolute path.
 * @throws {Error} if there is none; the message says how to get it.
 */
export function findEtcd(): string {
  return findBinary('etcd', 'ETCD', process.env['KUBEBUILDER_ASSETS']);
}

/**
 * The API server of the tests: `$KUBE_APISERVER`, else in `$KUBEBUILDER_ASSETS`, else on PATH, else the cached one.
 * @returns an absolute path.
 * @throws {Error} if there is none; the message says how to get it.
 */
export function findKubeApiserver(): string {
  return findBinary('kube-apiserver', 'KUBE_APISERVER', process.env['KUBEBUILDER_ASSETS']);
}

/**
 * The folder of the upstream Gateway API CRDs (YAML files) of a channel, of the version that Isoline implements.
 * @returns an absolute path.
 * @throws {Error} if they have not been fetched; the message says how.
 */
export function gatewayApiCrdDir(channel: 'standard' | 'experimental' = 'standard'): string {
  const dir = join(cacheDir(), 'gateway-api', channel);
  if (!existsSync(dir)) throw notFound('the Gateway API CRDs are not there', 'gateway-api-crds', [dir]);
  return dir;
}

function findBinary(name: string, variable: string, assetsDir?: string): string {
  const given = process.env[variable];
  if (given) {
    if (isProgram(given)) return resolve(given);
    throw new Error(`$${variable} is ${given}, which is not an executable file`);
  }
  const dirs = [assetsDir, ...(process.env['PATH'] ?? '').split(delimiter), join(cacheDir(), 'bin')];
  const candidates = dirs.filter((dir) => dir !== undefined && dir !== '').map((dir) => resolve(dir as string, name));
  const found = candidates.find(isProgram);
  if (found === undefined) throw notFound(`${name} is not there`, name, [`$${variable}`, ...candidates]);
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // absent, or not for us to run
  }
}

function notFound(what: string, name: string, tried: readonly string[]): Error {
  return new Error(`${what}; run hack/fetch-binaries.sh ${name} (looked in ${tried.join(', ')})`);
}
