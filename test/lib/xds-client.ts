/** A client of the xDS protocols for tests: it subscribes, answers, and keeps what it was sent, as an Envoy would. */
import { ChannelCredentials, Client, type ClientDuplexStream, type StatusObject } from '@grpc/grpc-js';
import { toJson } from '../../pkg/envoy/json.ts';
import { Cluster } from '../../pkg/envoy-api/envoy/config/cluster/v3/cluster.ts';
import { ClusterLoadAssignment } from '../../pkg/envoy-api/envoy/config/endpoint/v3/endpoint.ts';
import { Listener } from '../../pkg/envoy-api/envoy/config/listener/v3/listener.ts';
import { RouteConfiguration } from '../../pkg/envoy-api/envoy/config/route/v3/route.ts';
import { ScopedRouteConfiguration } from '../../pkg/envoy-api/envoy/config/route/v3/scoped_route.ts';
import { Secret } from '../../pkg/envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import {
  DeltaDiscoveryRequest,
  DeltaDiscoveryResponse,
  DiscoveryRequest,
  DiscoveryResponse,
} from '../../pkg/envoy-api/envoy/service/discovery/v3/discovery.ts';
import { Runtime } from '../../pkg/envoy-api/envoy/service/runtime/v3/rtds.ts';
import { methodDefinition, type XdsMethod, xdsMethods } from '../../pkg/server/xds-methods.ts';
import { type TypeUrl, typeUrls } from '../../pkg/xdscache/resource.ts';

const decoders = {
  [typeUrls.cluster]: Cluster,
  [typeUrls.endpoint]: ClusterLoadAssignment,
  [typeUrls.listener]: Listener,
  [typeUrls.route]: RouteConfiguration,
  [typeUrls.scopedRoute]: ScopedRouteConfiguration,
  [typeUrls.secret]: Secret,
  [typeUrls.runtime]: Runtime,
} as const;

/** The message of a resource type. */
export type MessageOf<T extends TypeUrl> = ReturnType<(typeof decoders)[T]['decode']>;

/** Types whose state-of-the-world responses list all that there is. */
const fullStateTypes: ReadonlySet<string> = new Set([typeUrls.cluster, typeUrls.listener, typeUrls.scopedRoute]);

/** Less than a test's own limit, so that the message says what was missing. */
const waitLimitMs = 4_500;

/** A resource as it came. `version` is empty in the state-of-the-world protocol. */
export interface ReceivedResource {
  readonly name: string;
  readonly version: string;
  readonly bytes: Uint8Array;
}

/** A response of either protocol. */
export interface ReceivedResponse {
  readonly type: TypeUrl;
  readonly nonce: string;
  readonly version: string;
  readonly resources: readonly ReceivedResource[];
  readonly removed: readonly string[];
}

export interface XdsStreamOptions {
  /** Default: delta. */
  readonly protocol?: 'delta' | 'sotw';
  /** The type of a single-type stream; absent: the aggregated stream. */
  readonly single?: TypeUrl;
  /** The node id. Default: `test`. */
  readonly node?: string;
  /** Says what to answer: `undefined` accepts, a text refuses, `'wait'` leaves it to `answer`. Default: accepts all. */
  readonly judge?: (response: ReceivedResponse) => string | 'wait' | undefined;
}

/** One connection to an xDS server. */
export class XdsClient implements AsyncDisposable {
  readonly #client: Client;
  readonly #streams: XdsClientStream[] = [];

  /**
   * @param target such as `127.0.0.1:8001`.
   * @param credentials with TLS, the server must have a certificate for the name `contour`. Default: no TLS.
   */
  constructor(target: string, credentials: ChannelCredentials = ChannelCredentials.createInsecure()) {
    this.#client = new Client(target, credentials, {
      // Tests of the same process must not share a connection.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.max_receive_message_length': -1,
      'grpc.ssl_target_name_override': 'contour',
    });
  }

  /** Opens a stream. Nothing is asked for until `subscribe` or `send`. */
  open(options: XdsStreamOptions = {}): XdsClientStream {
    const protocol = options.protocol ?? 'delta';
    const method = xdsMethods.find((one) => one.protocol === protocol && one.defaultType === options.single);
    if (method === undefined) throw new Error(`no method streams ${options.single}`);
    const { path, requestSerialize, responseDeserialize } = methodDefinition(method);
    const call = this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    const stream = new XdsClientStream(call, method, options);
    this.#streams.push(stream);
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.#streams) stream.close();
    await Promise.all(this.#streams.map((stream) => stream.status));
    this.#client.close();
  }
}

/** One stream, with all that came over it. */
export class XdsClientStream {
  /** Every response, in order. */
  readonly responses: ReceivedResponse[] = [];
  /** How the stream ended. */
  readonly status: Promise<StatusObject>;
  readonly #call: ClientDuplexStream<Buffer, Buffer>;
  readonly #method: XdsMethod;
  readonly #options: XdsStreamOptions;
  readonly #resources = new Map<TypeUrl, Map<string, ReceivedResource>>();
  /** What a state-of-the-world request lists each time. */
  readonly #names = new Map<TypeUrl, Set<string>>();
  /** The last nonce by type, which each state-of-the-world request repeats. */
  readonly #nonces = new Map<string, string>();
  readonly #waiters = new Set<() => void>();
  #ended: StatusObject | undefined;

  constructor(call: ClientDuplexStream<Buffer, Buffer>, method: XdsMethod, options: XdsStreamOptions) {
    this.#call = call;
    this.#method = method;
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<StatusObject>();
    this.status = promise;
    call.on('data', (bytes: Buffer) => this.#receive(bytes));
    call.on('error', () => undefined); // the status says the same
    call.on('status', (status: StatusObject) => {
      this.#ended = status;
      resolve(status);
      this.#wake();
    });
  }

  /** The resources of a type that the client has now, by name. */
  resources(type: TypeUrl): ReadonlyMap<string, ReceivedResource> {
    return this.#resources.get(type) ?? new Map();
  }

  /** The names that the client has, sorted. */
  names(type: TypeUrl): readonly string[] {
    return [...this.resources(type).keys()].sort();
  }

  /** A resource as a message. @throws {Error} if the client does not have it. */
  message<T extends TypeUrl>(type: T, name: string): MessageOf<T> {
    return decoders[type].decode(this.#resource(type, name).bytes) as MessageOf<T>;
  }

  /** A resource in canonical JSON. @throws {Error} if the client does not have it. */
  json(type: TypeUrl, name: string): unknown {
    return toJson(type, this.#resource(type, name).bytes);
  }

  /** Asks for names, or for everything where there are none (in a first request) or by `*`. */
  subscribe(type: TypeUrl, names: readonly string[] = [], initialVersions: Readonly<Record<string, string>> = {}): void {
    const all = this.#names.getOrInsertComputed(type, () => new Set<string>());
    for (const name of names) all.add(name);
    this.send({
      typeUrl: type,
      resourceNamesSubscribe: [...names],
      initialResourceVersions: { ...initialVersions },
      resourceNames: [...all],
    });
  }

  /** Gives names up. */
  unsubscribe(type: TypeUrl, names: readonly string[]): void {
    for (const name of names) {
      this.#names.get(type)?.delete(name);
      this.#resources.get(type)?.delete(name);
    }
    this.send({ typeUrl: type, resourceNamesUnsubscribe: [...names], resourceNames: [...(this.#names.get(type) ?? [])] });
  }

  /** Accepts a response, or refuses it with a text. */
  answer(response: ReceivedResponse, refusal?: string): void {
    this.send({
      typeUrl: response.type,
      responseNonce: response.nonce,
      versionInfo: refusal === undefined ? response.version : '',
      resourceNames: [...(this.#names.get(response.type) ?? [])],
      ...(refusal !== undefined && { errorDetail: { code: 13, message: refusal, details: [] } }),
    });
  }

  /** Sends a request with these fields, of whichever protocol, and the node. */
  send(fields: Partial<DeltaDiscoveryRequest> & Partial<DiscoveryRequest>): void {
    const last = this.#method.protocol === 'sotw' ? { responseNonce: this.#nonces.get(fields.typeUrl ?? '') ?? '' } : {};
    const message = { node: { id: this.#options.node ?? 'test' }, ...last, ...fields };
    const bytes =
      this.#method.protocol === 'delta'
        ? DeltaDiscoveryRequest.encode(DeltaDiscoveryRequest.fromPartial(message)).finish()
        : DiscoveryRequest.encode(DiscoveryRequest.fromPartial(message)).finish();
    this.sendBytes(Buffer.from(bytes));
  }

  /** Sends bytes that need be no request. */
  sendBytes(bytes: Buffer): void {
    this.#call.write(bytes);
  }

  /** Stops reading; the server's writes pile up as far as flow control lets them. */
  pause(): void {
    this.#call.pause();
  }

  resume(): void {
    this.#call.resume();
  }

  close(): void {
    this.#call.cancel();
  }

  /** Waits until something holds, looking after each response. @throws {Error} when the stream ends or 4.5 s have gone before. */
  until(what: string, holds: (stream: this) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(new Error(`waited in vain for ${what}; ${this.#summary()}`)), waitLimitMs);
      const finish = (error?: Error): void => {
        clearTimeout(timer);
        this.#waiters.delete(look);
        if (error === undefined) resolve();
        else reject(error);
      };
      const look = (): void => {
        if (holds(this)) finish();
        else if (this.#ended !== undefined)
          finish(new Error(`the stream ended before ${what}: ${this.#ended.code} ${this.#ended.details}`));
      };
      this.#waiters.add(look);
      look();
    });
  }

  /** Waits until the client has exactly these names. */
  untilNames(type: TypeUrl, names: readonly string[]): Promise<void> {
    const wanted = JSON.stringify([...names].sort());
    return this.until(`${type} ${wanted}`, () => JSON.stringify(this.names(type)) === wanted);
  }

  #resource(type: TypeUrl, name: string): ReceivedResource {
    const resource = this.#resources.get(type)?.get(name);
    if (resource === undefined) throw new Error(`the client has no ${type} ${name}; ${this.#summary()}`);
    return resource;
  }

  #summary(): string {
    const names = Array.from(this.#resources, ([type, resources]) => `${type.split('.').at(-1)}: ${[...resources.keys()].join(', ')}`);
    return `it has ${names.join('; ') || 'nothing'}`;
  }

  #receive(bytes: Buffer): void {
    const response = this.#method.protocol === 'delta' ? deltaResponse(bytes) : sotwResponse(bytes);
    const refusal = this.#options.judge?.(response);
    if (refusal === undefined || refusal === 'wait') this.#keep(response);
    this.responses.push(response);
    this.#nonces.set(response.type, response.nonce);
    if (refusal !== 'wait') this.answer(response, refusal);
    this.#wake();
  }

  #keep({ type, resources, removed }: ReceivedResponse): void {
    const kept = this.#resources.getOrInsertComputed(type, () => new Map<string, ReceivedResource>());
    const names = this.#names.get(type);
    const whole = this.#method.protocol === 'sotw' && (fullStateTypes.has(type) || names === undefined || names.size === 0);
    if (whole) kept.clear();
    for (const resource of resources) kept.set(resource.name, resource);
    for (const name of removed) kept.delete(name);
  }

  #wake(): void {
    for (const look of [...this.#waiters]) look();
  }
}

function deltaResponse(bytes: Buffer): ReceivedResponse {
  const { typeUrl, nonce, systemVersionInfo, resources, removedResources } = DeltaDiscoveryResponse.decode(bytes);
  const received = resources.map(({ name, version, resource }) => ({ name, version, bytes: resource?.value ?? new Uint8Array() }));
  return { type: typeUrl as TypeUrl, nonce, version: systemVersionInfo, resources: received, removed: removedResources };
}

function sotwResponse(bytes: Buffer): ReceivedResponse {
  const { typeUrl, nonce, versionInfo, resources } = DiscoveryResponse.decode(bytes);
  const type = typeUrl as TypeUrl;
  const received = resources.map(({ value }) => ({ name: nameOf(type, value), version: '', bytes: value }));
  return { type, nonce, version: versionInfo, resources: received, removed: [] };
}

function nameOf(type: TypeUrl, bytes: Uint8Array): string {
  const message = decoders[type].decode(bytes);
  return 'clusterName' in message ? message.clusterName : message.name;
}
