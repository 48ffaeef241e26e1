import type { BuildResult, Pipeline } from '../pipeline/pipeline.ts';
import type { Logger } from '../util/logger.ts';
import type { Live, LiveStream } from '../xds/live.ts';
import type { Accepted, Refused } from '../xds/type-stream.ts';
import type { TypeUrl } from '../xdscache/resource.ts';

export interface ProxyAnswersDeps {
  readonly pipeline: Pick<Pipeline, 'answered' | 'decide' | 'quarantine'>;
  readonly live: Live;
  /** Takes what an answer changed, as a build's result. */
  readonly onResult: (result: BuildResult) => void;
  /** Called after each answer, and when a proxy has left. */
  readonly onAnswered?: () => void;
  readonly log: Pick<Logger, 'error'>;
  /** Milliseconds from any start. */
  readonly nowMs: () => number;
  /** Calls once, after so many milliseconds; must not keep the process alive. */
  readonly later: (call: () => void, delayMs: number) => void;
}

/** How long a refusal waits for what other proxies say to the same version. */
const contestedMs = 1_000;

/** Takes the answers of proxies to what keeps their refusals from others, and to what knows who has what. */
export class ProxyAnswers {
  readonly #deps: ProxyAnswersDeps;
  #waits = false;

  constructor(deps: ProxyAnswersDeps) {
    this.#deps = deps;
  }

  /** A proxy accepted or refused a response. */
  answered(stream: LiveStream, type: TypeUrl, answer: Accepted | Refused): void {
    this.#guarded(() => this.#answered(stream, type, answer));
  }

  #answered(stream: LiveStream, type: TypeUrl, answer: Accepted | Refused): void {
    const { pipeline, live, onAnswered, nowMs } = this.#deps;
    live.answered(stream, nowMs());
    // A search for the resource at fault in a response goes on by smaller ones.
    const searching = answer.kind === 'refused' && answer.searching;
    if (!searching) {
      const common = { stream, node: stream.node?.id ?? '', source: stream.source, type, sent: answer.sent };
      const refused = answer.kind === 'refused' && { refused: { names: answer.names, message: answer.error.message } };
      this.#give(pipeline.answered({ ...common, ...refused }));
      this.#wait();
    }
    onAnswered?.();
  }

  /** A stream has ended. */
  closed(stream: LiveStream): void {
    const { pipeline, live, onAnswered, nowMs } = this.#deps;
    this.#guarded(() => {
      live.answered(stream, nowMs(), true);
      pipeline.quarantine.closed(stream);
      onAnswered?.();
    });
  }

  /** A bug here must not end the stream that answered, which would come back with the same answer. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#deps.log.error({ error }, 'the answer of a proxy could not be taken in');
    }
  }

  #give(result: BuildResult | undefined): void {
    if (result !== undefined) this.#deps.onResult(result);
  }

  #wait(): void {
    const { pipeline, later } = this.#deps;
    if (this.#waits || !pipeline.quarantine.undecided) return;
    this.#waits = true;
    later(() => {
      this.#waits = false;
      this.#guarded(() => this.#give(pipeline.decide()));
    }, contestedMs);
  }
}
