import { readFile } from 'node:fs/promises';
import { ports } from './ports.ts';

/**
 * How to start a controller and the Envoy that it configures; a JSON file. Texts may hold `${NAME}`: a variable of the benchmark
 * (`Variables`), else one of the environment.
 */
export interface Driver {
  /** Names it in results. */
  readonly name: string;
  /** Folders or YAML files of CustomResourceDefinitions that it needs beside Isoline's and the Gateway API's. */
  readonly crds?: readonly string[];
  /** Objects that are applied before the first start, each with the path of its collection. */
  readonly objects?: readonly { readonly path: string; readonly object: { readonly metadata: { readonly name: string } } }[];
  /** Files that are written to `${DIR}` before each start. */
  readonly files?: Readonly<Record<string, string>>;
  /** Command line of the controller. It must serve xDS on 127.0.0.1:${XDS_PORT}. */
  readonly controller: readonly string[];
  /** More arguments by kind of route. */
  readonly kindArguments?: Readonly<Partial<Record<RouteKind, readonly string[]>>>;
  /** Environment variables of the controller and of `bootstrap`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Command that writes Envoy's bootstrap to ${DIR}/envoy.json, with the admin interface on the unix socket ${ADMIN_SOCKET}. */
  readonly bootstrap: readonly string[];
  /** More arguments of Envoy. */
  readonly envoyArguments?: readonly string[];
  /** Regular expression of the name under which Envoy counts for the cluster that leads to the controller. Default: it holds `contour`. */
  readonly xdsCluster?: string;
  /** The Gateway that routes attach to: namespace and name. Default: `projectcontour/contour`. */
  readonly gateway?: readonly [namespace: string, name: string];
}

/** The kinds of route that are measured. */
export type RouteKind = 'httpproxy' | 'httproute' | 'ingress';

/** What stands for `${NAME}` in a driver. */
export type Variables = Readonly<Record<string, string>>;

/** @throws {Error} if the file is missing, not JSON, or says not how to start a controller */
export async function readDriver(path: string): Promise<Driver> {
  const value = JSON.parse(await readFile(path, 'utf8')) as Partial<Driver>;
  if (typeof value.name !== 'string') throw new Error(`${path}: name is missing`);
  for (const key of ['controller', 'bootstrap'] as const) {
    if (!Array.isArray(value[key]) || value[key].length === 0) throw new Error(`${path}: ${key} must be a command line`);
  }
  return value as Driver;
}

/** The variables of one start. */
export function variables(start: { readonly dir: string; readonly kubeconfig: string; readonly kind: RouteKind }): Variables {
  return {
    DIR: start.dir,
    KUBECONFIG: start.kubeconfig,
    KIND: start.kind,
    ADMIN_SOCKET: `${start.dir}/admin.sock`,
    HTTP_PORT: String(ports.http),
    HTTPS_PORT: String(ports.https),
    XDS_PORT: String(ports.xds),
    METRICS_PORT: String(ports.metrics),
    HEALTH_PORT: String(ports.health),
    DEBUG_PORT: String(ports.debug),
    STATS_PORT: String(ports.stats),
  };
}

/** Puts in the variables of all texts in a value. @throws {Error} on one that is not set */
export function expand<T>(value: T, known: Variables): T {
  const text = (from: string): string =>
    from.replace(/\$\{(\w+)\}/g, (_, name: string) => {
      const found = known[name] ?? process.env[name];
      if (found === undefined) throw new Error(`the driver uses \${${name}}, which is not set`);
      return found;
    });
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return text(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, walk(item)]));
  };
  return walk(value) as T;
}
