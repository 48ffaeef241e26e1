/** Many delta clients in one process, each with a connection of its own, which do as little as an Envoy has to: ask, keep versions, accept. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { ChannelCredentials, Client, type ClientDuplexStream } from '@grpc/grpc-js';
import { ScopedRouteConfiguration } from '../../pkg/envoy-api/envoy/config/route/v3/scoped_route.ts';
import { DeltaDiscoveryRequest } from '../../pkg/envoy-api/envoy/service/discovery/v3/discovery.ts';
import { methodDefinition, xdsMethods } from '../../pkg/server/xds-methods.ts';
import { edsServiceName } from '../../pkg/xds/eds-service-name.ts';
import { type TypeUrl, typeUrls } from '../../pkg/xdscache/resource.ts';

/** What the clients are told to do. */
export type FanOutOrder =
  | { readonly do: 'open'; readonly port: number; readonly names: readonly string[] }
  /** All connections break at once, and are opened again with what each client has. */
  | { readonly do: 'reconnect' }
  /** These stop to read, or read on. */
  | { readonly do: 'pause' | 'resume'; readonly names: readonly string[] };

interface Received {
  readonly name: string;
  readonly version: string;
  readonly bytes: Uint8Array;
}

/** What a resource asks for, by its type, name and version: the same for all clients. */
const followUps = new Map<string, string | undefined>();

/** Carries out orders. */
export class FanOutClients {
  readonly #clients = new Map<string, FanOutClient>();

  follow(order: FanOutOrder): void {
    if (order.do === 'open') for (const name of order.names) this.#clients.set(name, new FanOutClient(name, `127.0.0.1:${order.port}`));
    else if (order.do === 'reconnect') for (const client of this.#clients.values()) client.reconnect();
    else for (const name of order.names) this.#clients.get(name)?.[order.do]();
  }
}

class FanOutClient {
  readonly #node: string;
  readonly #target: string;
  readonly #versions = new Map<TypeUrl, Map<string, string>>();
  readonly #asked = new Map<TypeUrl, Set<string>>();
  #client: Client;
  #call: ClientDuplexStream<Buffer, Buffer>;

  constructor(node: string, target: string) {
    this.#node = node;
    this.#target = target;
    [this.#client, this.#call] = this.#open();
  }

  reconnect(): void {
    this.#call.cancel();
    this.#client.close();
    [this.#client, this.#call] = this.#open();
  }

  pause(): void {
    this.#call.pause();
  }

  resume(): void {
    this.#call.resume();
  }

  #open(): [Client, ClientDuplexStream<Buffer, Buffer>] {
    const client = new Client(this.#target, ChannelCredentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.max_receive_message_length': -1,
    });
    const method = xdsMethods.find(({ protocol, defaultType }) => protocol === 'delta' && defaultType === undefined);
    if (method === undefined) throw new Error('no aggregated delta method is served');
    const { path, requestSerialize, responseDeserialize } = methodDefinition(method);
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    call.on('error', () => undefined);
    call.on('data', (bytes: Buffer) => this.#receive(call, bytes));
    for (const type of [typeUrls.cluster, typeUrls.endpoint, typeUrls.listener, typeUrls.scopedRoute, typeUrls.route]) {
      const names = [...(this.#asked.get(type) ?? [])];
      const wildcard = type !== typeUrls.endpoint && type !== typeUrls.route;
      if (!wildcard && names.length === 0) continue;
      const initialResourceVersions = Object.fromEntries(this.#versions.get(type) ?? []);
      this.#send(call, { typeUrl: type, resourceNamesSubscribe: names, initialResourceVersions });
    }
    return [client, call];
  }

  #send(call: ClientDuplexStream<Buffer, Buffer>, fields: Partial<DeltaDiscoveryRequest>): void {
    const node = { id: this.#node, cluster: 'fan-out' };
    call.write(Buffer.from(DeltaDiscoveryRequest.encode(DeltaDiscoveryRequest.fromPartial({ node, ...fields })).finish()));
  }

  #receive(call: ClientDuplexStream<Buffer, Buffer>, bytes: Buffer): void {
    if (call !== this.#call) return;
    const { type, nonce, resources, removed } = readResponse(bytes);
    const versions = this.#versions.getOrInsertComputed(type, () => new Map<string, string>());
    for (const { name, version } of resources) versions.set(name, version);
    for (const name of removed) versions.delete(name);
    this.#send(call, { typeUrl: type, responseNonce: nonce });
    if (type === typeUrls.cluster) this.#ask(call, typeUrls.endpoint, resources, ({ bytes: cluster }) => edsServiceName(cluster));
    if (type === typeUrls.scopedRoute) {
      const table = (scope: Received): string => ScopedRouteConfiguration.decode(scope.bytes).routeConfigurationName;
      this.#ask(call, typeUrls.route, resources, table);
    }
  }

  #ask(
    call: ClientDuplexStream<Buffer, Buffer>,
    type: TypeUrl,
    resources: readonly Received[],
    wantedBy: (resource: Received) => string | undefined,
  ): void {
    const asked = this.#asked.getOrInsertComputed(type, () => new Set<string>());
    const wanted = resources.map((one) => followUps.getOrInsertComputed(`${type} ${one.name} ${one.version}`, () => wantedBy(one)));
    const fresh = new Set(wanted.filter((name) => name !== undefined && !asked.has(name)) as string[]);
    if (fresh.size === 0) return;
    for (const name of fresh) asked.add(name);
    this.#send(call, { typeUrl: type, resourceNamesSubscribe: [...fresh] });
  }
}

// Field numbers of DeltaDiscoveryResponse, its Resource, and Any.
const [resourcesField, typeField, nonceField, removedField] = [2, 4, 5, 6];
const [versionField, anyField, nameField] = [1, 2, 3];
const anyValueField = 2;

/** Reads a DeltaDiscoveryResponse without a copy of what it carries. */
function readResponse(bytes: Buffer): { type: TypeUrl; nonce: string; resources: readonly Received[]; removed: readonly string[] } {
  const response = { type: '', nonce: '', resources: [] as Received[], removed: [] as string[] };
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === resourcesField) response.resources.push(readResource(reader.bytes()));
    else if (field === typeField) response.type = reader.string();
    else if (field === nonceField) response.nonce = reader.string();
    else if (field === removedField) response.removed.push(reader.string());
    else reader.skip(wireType, field);
  }
  return { ...response, type: response.type as TypeUrl };
}

function readResource(bytes: Uint8Array): Received {
  const resource = { name: '', version: '', bytes: new Uint8Array() as Uint8Array };
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === versionField) resource.version = reader.string();
    else if (field === nameField) resource.name = reader.string();
    else if (field === anyField) resource.bytes = anyValue(reader.bytes());
    else reader.skip(wireType, field);
  }
  return resource;
}

function anyValue(bytes: Uint8Array): Uint8Array {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === anyValueField) return reader.bytes();
    reader.skip(wireType, field);
  }
  return new Uint8Array();
}
