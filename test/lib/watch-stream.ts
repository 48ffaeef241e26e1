import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How the events of a watch arrive. */
export interface WatchShape {
  /** This much later; they keep their order. */
  readonly delayMs?: number;
  /** Each of them a second time, as after a reconnection that begins too early. */
  readonly twice?: boolean;
}

/**
 * Passes a watch on line by line. `shape` is asked about each line: what to send in its place, and how.
 *
 * @returns ends it; what is on its way then is dropped.
 */
export function forwardLines(
  answer: IncomingMessage,
  response: ServerResponse,
  shape: (line: string) => readonly [line: string, shape: WatchShape | undefined],
): () => void {
  let rest = '';
  let stopped = false;
  let sent = Promise.resolve();
  const send = async (line: string, atMs: number, times: number): Promise<void> => {
    const waitMs = atMs - performance.now();
    if (waitMs > 0 && !stopped) await sleep(waitMs);
    if (!stopped) response.write(`${line}\n`.repeat(times));
  };
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) {
      const [line, { delayMs = 0, twice = false } = {}] = shape(each);
      const atMs = performance.now() + delayMs;
      sent = sent.then(() => send(line, atMs, twice ? 2 : 1));
    }
  });
  answer.on('end', () => {
    void sent.then(() => {
      if (!stopped) response.end();
    });
  });
  return () => {
    stopped = true;
  };
}
