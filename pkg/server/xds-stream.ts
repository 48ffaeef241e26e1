import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Logger } from '../util/logger.ts';
import { StreamState } from '../xds/ordering.ts';
import type { Accepted, Answer, Refused, Response } from '../xds/type-stream.ts';
import { type SnapshotUpdate, type SnapshotView, type TypeUrl, typeUrls } from '../xdscache/resource.ts';
import type { SendTurns } from './send-turns.ts';
import type { XdsMethod } from './xds-methods.ts';
import type { XdsMetrics } from './xds-metrics.ts';
import { type DecodedRequest, decodeRequest, type NodeInfo, type ResponseWriter } from './xds-wire.ts';

/** What all streams share. */
export interface XdsStreamDeps {
  readonly view: SnapshotView;
  readonly writer: ResponseWriter;
  readonly turns: SendTurns;
  readonly logger: Logger;
  readonly metrics: XdsMetrics;
  /** Milliseconds from any start, never going back. */
  readonly clock: () => number;
  readonly stepMs: number | undefined;
  /** Called when a proxy accepted or refused a response; what it changes in the view is sent when the call has returned. */
  readonly onAnswer: (stream: XdsStream, type: TypeUrl, answer: Accepted | Refused) => void;
  /** Called once for each request that breaks the protocol, before its stream ends. */
  readonly onMalformed: (stream: XdsStream, message: string) => void;
}

const servedTypes: ReadonlySet<string> = new Set(Object.values(typeUrls));

/** How many names a log line lists. */
const loggedNames = 10;

/** Responses from this size on take turns. */
const largeBytes = 64 * 1024;

function sizeOf({ resources }: Response): number {
  return resources.reduce((sum, { encoded }) => sum + encoded.bytes.length, 0);
}

/** One gRPC stream: reads requests, writes what its state says is due as long as the client takes it. */
export class XdsStream {
  readonly method: XdsMethod;
  readonly peer: string;
  readonly state: StreamState;
  readonly #call: ServerDuplexStream<Buffer, Buffer>;
  readonly #deps: XdsStreamDeps;
  /** When the pending response of a type was written. */
  readonly #sentAtMs = new Map<TypeUrl, number>();
  /** A large response that waits for its turn. */
  #waiting: Response | undefined;
  #node: NodeInfo | undefined;
  #timer: NodeJS.Timeout | undefined;
  #open = true;

  constructor(call: ServerDuplexStream<Buffer, Buffer>, method: XdsMethod, deps: XdsStreamDeps) {
    this.#call = call;
    this.method = method;
    this.peer = call.getPeer();
    this.#deps = deps;
    const step = deps.stepMs === undefined ? {} : { stepMs: deps.stepMs };
    this.state = new StreamState({ source: method.source, view: deps.view, ...step });
  }

  /** Who is on the other end; `undefined` before it said so. */
  get node(): NodeInfo | undefined {
    return this.#node;
  }

  /** How its Envoy is told to fetch what a resource refers to. */
  get source(): XdsMethod['source'] {
    return this.method.source;
  }

  /** What the proxy asked for so far, and has. */
  get types(): StreamState['types'] {
    return this.state.types;
  }

  /** Starts to read. `onClosed` is called once, when the stream has ended for whatever reason. */
  open(onClosed: () => void): void {
    const close = (): void => {
      if (!this.#open) return;
      this.#open = false;
      clearTimeout(this.#timer);
      this.#deps.turns.leave(this);
      onClosed();
    };
    this.#call.on('data', (bytes: Buffer) => this.#guarded(() => this.#receive(bytes)));
    this.#call.on('drain', () => this.flush());
    this.#call.on('cancelled', close);
    this.#call.on('error', close);
    this.#call.on('close', close);
    this.#call.on('end', () => {
      close();
      this.#call.end();
    });
  }

  /** Notes what changed in the snapshot; `flush` sends it. */
  update(update: SnapshotUpdate): void {
    this.state.update(update);
  }

  /** Writes what is due, until nothing is or the client does not take more. */
  flush(): void {
    this.#guarded(() => this.#flush());
  }

  /** Ends the stream with a gRPC status. */
  end(code: status, details: string): void {
    if (this.#open) this.#call.emit('error', { code, details });
  }

  #flush(): void {
    while (this.#open && this.#waiting === undefined && !this.#call.writableNeedDrain) {
      const response = this.state.next(this.#deps.clock());
      if (response === undefined) break;
      this.#writeInTurn(response);
    }
    this.#wakeAtDeadline();
  }

  /** A response is bytes only when it is its turn: many proxies that start at once would need all of them at once. */
  #writeInTurn(response: Response): void {
    const bytes = sizeOf(response);
    if (bytes < largeBytes) {
      this.#write(response);
      return;
    }
    this.#waiting = response;
    this.#deps.turns.take(this, bytes, (done) => this.#guarded(() => this.#writeWaiting(done)));
  }

  #writeWaiting(done: () => void): void {
    const response = this.#waiting;
    this.#waiting = undefined;
    if (response === undefined || !this.#open) {
      done();
      return;
    }
    this.#write(response, done);
    this.#flush();
  }

  #write(response: Response, done?: () => void): void {
    const bytes = this.#deps.writer.write(this.method.protocol, response);
    this.#call.write(bytes, done);
    this.#sentAtMs.set(response.type, this.#deps.clock());
    const resources = response.resources.length + response.removed.length;
    this.#deps.metrics.responseSent(response.type, { bytes: bytes.length, resources });
    this.#log(
      'debug',
      { type: response.type, version: response.version, nonce: response.nonce, resources, bytes: bytes.length },
      'response sent',
    );
  }

  #wakeAtDeadline(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const deadline = this.state.deadlineMs;
    if (deadline === undefined || !this.#open || this.#waiting !== undefined) return;
    this.#timer = setTimeout(() => this.flush(), Math.ceil(deadline - this.#deps.clock()));
  }

  #receive(bytes: Buffer): void {
    if (!this.#open) return;
    const decoded = this.#decode(bytes);
    if (decoded === undefined) return;
    this.#node ??= decoded.node;
    const type = this.#typeOf(decoded.typeUrl);
    if (type === undefined) return;
    this.#deps.metrics.requestReceived(type);
    const answer = this.state.request(type, decoded.request);
    if (answer.kind === 'invalid') {
      this.#malformed(`${type}: ${answer.message}`);
      return;
    }
    this.#note(type, answer);
    this.#flush();
  }

  #decode(bytes: Buffer): DecodedRequest | undefined {
    try {
      return decodeRequest(this.method.protocol, bytes);
    } catch (error) {
      this.#malformed(`the request is no ${this.method.protocol === 'delta' ? 'Delta' : ''}DiscoveryRequest: ${(error as Error).message}`);
      return undefined;
    }
  }

  #typeOf(typeUrl: string): TypeUrl | undefined {
    if (servedTypes.has(typeUrl)) return typeUrl as TypeUrl;
    if (typeUrl === '' && this.method.defaultType !== undefined) return this.method.defaultType;
    this.#malformed(typeUrl === '' ? 'type_url is empty on an aggregated stream' : `type_url ${JSON.stringify(typeUrl)} is not served`);
    return undefined;
  }

  #malformed(message: string): void {
    this.#deps.metrics.requestMalformed();
    this.#deps.onMalformed(this, message);
    this.end(status.INVALID_ARGUMENT, message);
  }

  #note(type: TypeUrl, answer: Exclude<Answer, { readonly kind: 'invalid' }>): void {
    if (answer.kind === 'accepted') {
      const sentAtMs = this.#sentAtMs.get(type);
      if (sentAtMs !== undefined) this.#deps.metrics.responseAccepted(type, this.#deps.clock() - sentAtMs);
      this.#log('debug', { type, version: answer.version, nonce: answer.nonce }, 'response accepted');
    } else if (answer.kind === 'refused') {
      this.#noteRefusal(type, answer);
    } else {
      this.#log('debug', { type, kind: answer.kind }, 'request received');
      return;
    }
    this.#deps.onAnswer(this, type, answer);
  }

  #noteRefusal(type: TypeUrl, { version, error, names, searching }: Refused): void {
    this.#deps.metrics.responseRefused(type);
    const origins = searching ? [] : names.flatMap((name) => this.#deps.view.get(type, name)?.origins ?? []);
    const fields = {
      type,
      version,
      code: error.code,
      detail: error.message,
      resources: names.length,
      names: names.slice(0, loggedNames),
      origins: origins.slice(0, loggedNames),
    };
    if (searching) this.#log('warn', fields, 'a proxy refused a response; looking for the resource at fault');
    else this.#log('error', fields, 'a proxy refused a resource and stays with what it had; one that starts now does without it');
  }

  #log(level: keyof Logger, fields: Readonly<Record<string, unknown>>, message: string): void {
    this.#deps.logger[level]({ node: this.#node?.id ?? '', peer: this.peer, ...fields }, message);
  }

  /** A fault in one stream must not reach the others: it ends this one, and the client comes back. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log('error', { error }, 'a stream ended because of an internal error');
      this.end(status.INTERNAL, 'internal error');
    }
  }
}
