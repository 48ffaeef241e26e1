import type { Dag } from '../dag/model/dag.ts';
import type { Route } from '../dag/model/route.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';

/** The DAG as a Graphviz document: listeners, virtual hosts, routes, clusters, secrets. */
export function dagToDot({ listeners, virtualHosts }: Dag): string {
  const graph = new Graph();
  for (const { name, address, port } of listeners.values()) {
    graph.node(`listener ${name}`, `${name}\n${address}:${port}`, 'box');
    for (const host of virtualHosts.get(name)?.values() ?? []) addHost(graph, name, host);
  }
  return graph.toString();
}

function addHost(graph: Graph, listener: string, host: VirtualHost): void {
  const id = `host ${listener} ${host.host}`;
  graph.node(id, host.host, host.tls === undefined ? 'ellipse' : 'doubleoctagon');
  graph.edge(`listener ${listener}`, id);
  for (const [i, route] of host.routes.entries()) addRoute(graph, { id: `${id} ${i}`, host: id }, route);
  const secrets = host.tls?.type === 'terminate' ? host.tls.secrets : [];
  for (const { namespace, name } of secrets) {
    graph.node(`secret ${namespace}/${name}`, `${namespace}/${name}`, 'note');
    graph.edge(id, `secret ${namespace}/${name}`);
  }
  for (const { cluster } of host.tcpProxy?.clusters ?? []) addCluster(graph, id, cluster.service);
}

function addRoute(graph: Graph, ids: { readonly id: string; readonly host: string }, route: Route): void {
  const { path, headers, queryParameters } = route.match;
  const what = path.type === 'prefix' ? path.prefix : path.type === 'exact' ? path.path : path.regex;
  const conditions = [...headers.map(({ name }) => `header ${name}`), ...queryParameters.map(({ name }) => `query ${name}`)];
  graph.node(
    ids.id,
    [`${path.type} ${what}`, ...conditions, ...(route.action.type === 'forward' ? [] : [route.action.type])].join('\n'),
    'plaintext',
  );
  graph.edge(ids.host, ids.id);
  if (route.action.type !== 'forward') return;
  for (const { cluster } of route.action.clusters) addCluster(graph, ids.id, cluster.service);
}

function addCluster(
  graph: Graph,
  from: string,
  service: { readonly namespace: string; readonly name: string; readonly port: number },
): void {
  const name = `${service.namespace}/${service.name}:${service.port}`;
  graph.node(`service ${name}`, name, 'component');
  graph.edge(from, `service ${name}`);
}

class Graph {
  readonly #nodes = new Map<string, string>();
  readonly #edges = new Set<string>();

  node(id: string, label: string, shape: string): void {
    this.#nodes.set(id, `  ${quote(id)} [shape=${shape}, label=${quote(label)}];`);
  }

  edge(from: string, to: string): void {
    this.#edges.add(`  ${quote(from)} -> ${quote(to)};`);
  }

  toString(): string {
    return ['digraph isoline {', '  rankdir=LR;', ...this.#nodes.values(), ...this.#edges, '}', ''].join('\n');
  }
}

/** A DOT string: a host or a path may hold any character. */
function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
