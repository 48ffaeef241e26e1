import { type TypeUrl, typeUrls } from '../../pkg/xdscache/resource.ts';
import type { ControlPlane } from './control-plane.ts';
import type { ReceivedResponse, XdsClientStream, XdsStreamOptions } from './xds-client.ts';

type TypeLabel = keyof typeof typeUrls;

/** A client that asks a control plane for everything of some types, and tells in short what came. */
export class XdsFollower {
  readonly #plane: ControlPlane;
  readonly #streams: ReadonlyMap<TypeLabel, XdsClientStream>;
  readonly #taken = new Map<XdsClientStream, number>();

  private constructor(plane: ControlPlane, streams: ReadonlyMap<TypeLabel, XdsClientStream>) {
    this.#plane = plane;
    this.#streams = streams;
  }

  /** Over one aggregated stream. Resolves when all that there is has come, and counts as taken. */
  static async start(plane: ControlPlane, options: XdsStreamOptions = {}): Promise<XdsFollower> {
    const stream = plane.client().open(options);
    const labels = Object.keys(typeUrls) as TypeLabel[];
    return XdsFollower.#begin(plane, new Map(labels.map((label) => [label, stream])));
  }

  /** Over a stream for each of these types. */
  static async startSingle(plane: ControlPlane, labels: readonly TypeLabel[], options: XdsStreamOptions = {}): Promise<XdsFollower> {
    const client = plane.client();
    return XdsFollower.#begin(plane, new Map(labels.map((label) => [label, client.open({ ...options, single: typeUrls[label] })])));
  }

  static async #begin(plane: ControlPlane, streams: ReadonlyMap<TypeLabel, XdsClientStream>): Promise<XdsFollower> {
    const follower = new XdsFollower(plane, streams);
    for (const [label, stream] of streams) {
      stream.subscribe(typeUrls[label]);
      await stream.until(`the first ${label}`, ({ responses }) => responses.some(({ type }) => type === typeUrls[label]));
    }
    await follower.sent();
    return follower;
  }

  /**
   * What came since the last call, once the control plane has settled: `type name`, with `-` before what went, each once, in order. In
   * the state-of-the-world protocol a response lists more than what changed.
   */
  async sent(): Promise<readonly string[]> {
    await this.#plane.settled();
    const lines = new Set<string>();
    for (const stream of new Set(this.#streams.values())) {
      for (const response of stream.responses.slice(this.#taken.get(stream) ?? 0)) for (const line of linesOf(response)) lines.add(line);
      this.#taken.set(stream, stream.responses.length);
    }
    return [...lines].sort();
  }

  /** The names of a type that the client has, in order. */
  names(label: TypeLabel): readonly string[] {
    return this.#stream(label).names(typeUrls[label]);
  }

  /** A resource in canonical JSON, as text. */
  text(label: TypeLabel, name: string): string {
    return JSON.stringify(this.#stream(label).json(typeUrls[label], name));
  }

  /** Everything that the client has: canonical JSON by `type name`. */
  all(): ReadonlyMap<string, string> {
    const labels = [...this.#streams.keys()];
    return new Map(labels.flatMap((label) => this.names(label).map((name) => [`${label} ${name}`, this.text(label, name)] as const)));
  }

  #stream(label: TypeLabel): XdsClientStream {
    const stream = this.#streams.get(label);
    if (stream === undefined) throw new Error(`${label} is not followed`);
    return stream;
  }
}

function linesOf({ type, resources, removed }: ReceivedResponse): readonly string[] {
  const label = labelOf(type);
  return [...resources.map(({ name }) => `${label} ${name}`), ...removed.map((name) => `-${label} ${name}`)];
}

function labelOf(type: TypeUrl): string {
  return Object.entries(typeUrls).find(([, url]) => url === type)?.[0] ?? type;
}
