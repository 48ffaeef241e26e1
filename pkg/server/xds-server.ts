import { constants } from 'node:crypto';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { Server as GrpcServer, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Logger } from '../util/logger.ts';
import type { Refusal } from '../xds/acknowledgement.ts';
import type { Names } from '../xds/subscription.ts';
import type { SnapshotUpdate, SnapshotView, TypeUrl } from '../xdscache/resource.ts';
import { CertificateFiles, type CertificatePaths } from './certificate-files.ts';
import { SendTurns } from './send-turns.ts';
import { methodDefinition, type XdsMethod, xdsMethods } from './xds-methods.ts';
import { noXdsMetrics, type XdsMetrics } from './xds-metrics.ts';
import { XdsStream, type XdsStreamDeps } from './xds-stream.ts';
import { type NodeInfo, type Protocol, ResponseWriter } from './xds-wire.ts';

/** The resources to serve, which tell of their changes. */
export interface SnapshotSource extends SnapshotView {
  subscribe(listener: (update: SnapshotUpdate) => void): () => void;
}

export interface XdsServerOptions {
  /** Where to listen. Default of `serve`: 127.0.0.1. */
  readonly host: string;
  /** 0: any free port. Default of `serve`: 8001. */
  readonly port: number;
  /** The server's certificate, and the authority of its clients', which must present one; or no TLS at all. */
  readonly tls: Required<CertificatePaths> | 'insecure';
  readonly snapshot: SnapshotSource;
  readonly logger: Logger;
  /** Default: none. */
  readonly metrics?: XdsMetrics;
  /** Told of every answer of a proxy, before the next response to it. Default: nobody is. */
  readonly onAnswer?: XdsStreamDeps['onAnswer'];
  /** Told when a stream has ended, for whatever reason. */
  readonly onClosed?: (stream: XdsStream) => void;
  /** Milliseconds from any start. Default: `performance.now`. */
  readonly clock?: () => number;
  /** How long a step of an ordered update waits for a proxy's answer. Default 5,000. */
  readonly stepMs?: number;
  /** How long `stop` waits for connections to end. Default 2,000. */
  readonly stopGraceMs?: number;
}

/** What the server knows of one stream of a proxy. A single-type client has one for each type, or more. */
export interface ProxyState {
  readonly node: NodeInfo | undefined;
  /** Address and port of the other end. */
  readonly peer: string;
  readonly protocol: Protocol;
  /** The gRPC method. */
  readonly method: string;
  readonly types: ReadonlyMap<TypeUrl, ProxyTypeState>;
}

/** What a proxy has of a type. The maps are live: they change as the proxy answers. */
export interface ProxyTypeState {
  readonly wildcard: boolean;
  readonly names: Names;
  /** The version in force, by name. */
  readonly accepted: ReadonlyMap<string, string>;
  readonly refused: ReadonlyMap<string, Refusal>;
  /** Whether a response is not answered yet. */
  readonly pending: boolean;
}

const maxRequestBytes = 64 * 1024 * 1024;
const maxConcurrentStreams = 2 ** 20;
const defaultStopGraceMs = 2_000;
/** How many different complaints about malformed requests are remembered, so that each is logged once. */
const maxComplaints = 1_000;

/** Serves a snapshot to Envoy by gRPC: aggregated and single-type streams, delta and state of the world. */
export class XdsServer implements AsyncDisposable {
  readonly #options: XdsServerOptions;
  readonly #streams = new Set<XdsStream>();
  readonly #sockets = new Set<Socket>();
  readonly #complaints = new Set<string>();
  readonly #metrics: XdsMetrics;
  readonly #grpc: GrpcServer;
  #listener: TcpServer | undefined;
  #unsubscribe: (() => void) | undefined;
  #flushQueued = false;

  constructor(options: XdsServerOptions) {
    this.#options = options;
    this.#metrics = options.metrics ?? noXdsMetrics;
    this.#grpc = new GrpcServer({
      'grpc.keepalive_time_ms': 60_000,
      'grpc.keepalive_timeout_ms': 20_000,
      'grpc.keepalive_permit_without_calls': 1,
      'grpc.max_concurrent_streams': maxConcurrentStreams,
      'grpc.max_receive_message_length': maxRequestBytes,
      'grpc.max_send_message_length': -1,
      'grpc.enable_channelz': 0,
    });
    this.#registerMethods();
  }

  /**
   * Reads the certificates and opens the port; not before, for the open port says that there is something to serve.
   *
   * @throws {Error} if a certificate file cannot be used or the address cannot be listened on.
   */
  async start(): Promise<void> {
    const { snapshot, host, port, tls, logger } = this.#options;
    if (this.#listener !== undefined) throw new Error('the xDS server was started already');
    const listener = this.#createListener();
    this.#listener = listener;
    listener.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await listen(listener, host, port);
    listener.on('error', (error) => logger.error({ error }, 'the xDS server could not take a connection'));
    this.#unsubscribe = snapshot.subscribe((update) => this.#update(update));
    const { address, port: boundPort } = this.address;
    logger.info({ address, port: boundPort, tls: tls !== 'insecure' }, 'the xDS server listens');
  }

  /** Where the server listens. @throws {Error} if it does not. */
  get address(): AddressInfo {
    const address = this.#listener?.address() ?? null;
    if (address === null || typeof address === 'string') throw new Error('the xDS server does not listen');
    return address;
  }

  /** The open streams, in the order in which they were opened. */
  get streams(): ReadonlySet<XdsStream> {
    return this.#streams;
  }

  /** Every open stream with what its proxy has, in the order in which they were opened. */
  connections(): readonly ProxyState[] {
    return Array.from(this.#streams, proxyState);
  }

  /** Closes the port, ends all streams and gives connections `stopGraceMs` to end. May be called more than once. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    const listener = this.#listener;
    if (listener === undefined) return;
    this.#listener = undefined;
    const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
    for (const stream of this.#streams) stream.end(status.UNAVAILABLE, 'the xDS server stops');
    const timer = setTimeout(() => this.#cut(), this.#options.stopGraceMs ?? defaultStopGraceMs);
    await new Promise<void>((resolve) => this.#grpc.tryShutdown(() => resolve()));
    this.#cut();
    await closed;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #cut(): void {
    this.#grpc.forceShutdown();
    for (const socket of this.#sockets) socket.destroy();
  }

  #createListener(): TcpServer {
    // TLS is ended here and not by gRPC, which can neither rotate certificates nor say why a client was refused.
    const injector = this.#grpc.createConnectionInjector(ServerCredentials.createInsecure());
    const { tls, logger } = this.#options;
    if (tls === 'insecure') return createTcpServer({ noDelay: true }, (socket) => injector.injectConnection(socket));
    const server = tlsServer(new CertificateFiles(tls, logger));
    server.on('secureConnection', (socket) => injector.injectConnection(socket));
    server.on('tlsClientError', (error: NodeJS.ErrnoException, { authorizationError, remoteAddress }) => {
      // Readiness probes open the port and go. A certificate that cannot be verified ends with the same error, and a reason.
      const left = error.code === 'ECONNRESET' && !authorizationError;
      if (!left) this.#metrics.handshakeFailed();
      const fields = { reason: authorizationError || error.message, peer: remoteAddress };
      logger[left ? 'debug' : 'warn'](fields, 'a client of the xDS server was refused');
    });
    return server;
  }

  #registerMethods(): void {
    const deps: XdsStreamDeps = {
      view: this.#options.snapshot,
      writer: new ResponseWriter(),
      turns: new SendTurns(),
      logger: this.#options.logger,
      metrics: this.#metrics,
      clock: this.#options.clock ?? (() => performance.now()),
      stepMs: this.#options.stepMs,
      onAnswer: this.#options.onAnswer ?? (() => undefined),
      onMalformed: (stream, message) => this.#complain(stream, message),
    };
    for (const method of xdsMethods) {
      const { path, requestDeserialize, responseSerialize } = methodDefinition(method);
      const handler = (call: ServerDuplexStream<Buffer, Buffer>): void => this.#open(call, method, deps);
      this.#grpc.register(path, handler, responseSerialize, requestDeserialize, 'bidi');
    }
  }

  #open(call: ServerDuplexStream<Buffer, Buffer>, method: XdsMethod, deps: XdsStreamDeps): void {
    const stream = new XdsStream(call, method, deps);
    this.#streams.add(stream);
    this.#metrics.streamOpened(method.protocol);
    stream.open(() => {
      this.#streams.delete(stream);
      this.#metrics.streamClosed(method.protocol);
      this.#options.onClosed?.(stream);
    });
  }

  #update(update: SnapshotUpdate): void {
    for (const stream of this.#streams) stream.update(update);
    if (this.#flushQueued) return;
    this.#flushQueued = true;
    // Updates that are applied together, such as endpoints and routes, go out in one response of each type.
    queueMicrotask(() => {
      this.#flushQueued = false;
      for (const stream of this.#streams) stream.flush();
    });
  }

  #complain(stream: XdsStream, message: string): void {
    const fields = { node: stream.node?.id ?? '', peer: stream.peer, method: stream.method.path };
    const complaint = `${fields.node} ${fields.method} ${message}`;
    const level = this.#complaints.has(complaint) ? 'debug' : 'warn';
    if (this.#complaints.size >= maxComplaints) this.#complaints.clear();
    this.#complaints.add(complaint);
    this.#options.logger[level](fields, `a malformed xDS request ended its stream: ${message}`);
  }
}

function tlsServer(certificates: CertificateFiles): TlsServer {
  // The options of the context are given again at a rotation: what is left out then falls back to its default.
  // Without tickets each connection is verified against the authorities that count now.
  const context = () => ({ ...certificates.material, minVersion: 'TLSv1.3' as const, secureOptions: constants.SSL_OP_NO_TICKET });
  const server = createTlsServer({ ...context(), requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'], noDelay: true });
  server.prependListener('connection', () => {
    if (certificates.refresh()) server.setSecureContext(context());
  });
  return server;
}

function listen(server: TcpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: Error): void =>
      reject(new Error(`the xDS server cannot listen on ${host} port ${port}: ${cause.message}`, { cause }));
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

function proxyState({ node, peer, method, state }: XdsStream): ProxyState {
  const types = new Map<TypeUrl, ProxyTypeState>();
  for (const [type, { subscription, acknowledgements }] of state.types) {
    types.set(type, {
      wildcard: subscription.wildcard,
      names: subscription.names,
      accepted: acknowledgements.accepted,
      refused: acknowledgements.refused,
      pending: acknowledgements.pending !== undefined,
    });
  }
  return { node, peer, protocol: method.protocol, method: method.path, types };
}
