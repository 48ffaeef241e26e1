import { type Fault, type FaultProxy, type FaultRule, status } from '../../lib/fault-proxy.ts';
import type { Random } from '../../lib/random.ts';
import type { WatchShape } from '../../lib/watch-stream.ts';

/** A way in which the API server, or the way to it, fails for a while. */
export interface TransientFault {
  readonly name: string;
  /** Begins. Gives a count of how often it struck so far, so that a test knows that it did. */
  begin(proxy: FaultProxy, random: Random): () => number;
}

/** Enough for some events. */
const cutAfterMs = 100;

const gone = status(410, 'Expired', 'too old resource version');

/** What may happen at any time, and is over when the rule and the shape of the proxy are taken away. */
export const transientFaults: readonly TransientFault[] = [
  { name: 'watches that are cut', begin: (proxy) => cutting(proxy, undefined) },
  { name: 'watches that end within a line', begin: (proxy) => cutting(proxy, '{"type":"MODIFIED","object":{"kind":"HTTPProxy","meta') },
  {
    name: 'watches that are too old (410 Gone)',
    begin: (proxy) => {
      // In the stream for those that are open, and as an answer to those that ask to go on.
      proxy.cutWatches('', `${JSON.stringify({ type: 'ERROR', object: gone })}\n`);
      return ruling(proxy, ({ watch, query }) =>
        watch && !query.has('sendInitialEvents') ? { type: 'answer', status: 410, body: gone } : undefined,
      );
    },
  },
  {
    name: 'too many requests (429 with Retry-After)',
    begin: (proxy, random) => {
      proxy.cutWatches('');
      const answer = { type: 'answer', status: 429, headers: { 'retry-after': '1' }, body: status(429, 'TooManyRequests') } as const;
      return ruling(proxy, () => (random.below(2) === 0 ? answer : undefined));
    },
  },
  {
    name: 'errors of the server (500)',
    begin: (proxy, random) => {
      proxy.cutWatches('');
      const answer = { type: 'answer', status: 500, body: status(500, 'InternalError') } as const;
      return ruling(proxy, () => (random.below(2) === 0 ? answer : undefined));
    },
  },
  {
    name: 'connections that are cut without an answer',
    begin: (proxy, random) => {
      proxy.cutWatches('');
      return ruling(proxy, () => (random.below(2) === 0 ? { type: 'cut' } : undefined));
    },
  },
  { name: 'a pause in all that comes', begin: (proxy) => pausing(proxy, 2_000) },
  { name: 'events that come twice', begin: (proxy) => shaping(proxy, () => ({ twice: true })) },
  ...['services', 'endpointslices', 'secrets', 'httpproxies', 'httproutes'].map((plural) => ({
    name: `${plural} that come after what was changed later`,
    begin: (proxy: FaultProxy) =>
      shaping(proxy, (path) => (path.includes(`/${plural}?`) || path.endsWith(`/${plural}`) ? { delayMs: 700 } : undefined)),
  })),
];

/** Nothing arrives for so long: events are held back, requests wait for their answers. */
export function pausing(proxy: FaultProxy, pauseMs: number): () => number {
  const endMs = performance.now() + pauseMs;
  const leftMs = () => Math.max(0, endMs - performance.now());
  const delayed = ruling(proxy, () => ({ type: 'delay', delayMs: leftMs() }));
  const held = shaping(proxy, () => ({ delayMs: leftMs() }));
  return () => delayed() + held();
}

/** The API server is not there, for this proxy. */
export function unreachable(proxy: FaultProxy): () => number {
  const answered = ruling(proxy, () => ({ type: 'cut' }));
  proxy.cutWatches('');
  return answered;
}

/** Ends what was begun. */
export function end(proxy: FaultProxy): void {
  [proxy.rule, proxy.shape] = [undefined, undefined];
}

/** Cuts the watches that are open, and every one that opens soon after it did. */
function cutting(proxy: FaultProxy, lastBytes: string | undefined): () => number {
  let count = 0;
  const cut = (): void => {
    count += proxy.openWatches('');
    proxy.cutWatches('', lastBytes);
  };
  cut();
  proxy.rule = ({ watch }) => {
    if (watch) setTimeout(cut, cutAfterMs);
    return undefined;
  };
  return () => count;
}

function ruling(proxy: FaultProxy, rule: FaultRule): () => number {
  let count = 0;
  proxy.rule = (request): Fault | undefined => {
    const fault = rule(request);
    if (fault !== undefined) count++;
    return fault;
  };
  return () => count;
}

function shaping(proxy: FaultProxy, shape: (path: string) => WatchShape | undefined): () => number {
  let count = 0;
  proxy.shape = (path) => {
    const chosen = shape(path);
    if (chosen !== undefined) count++;
    return chosen;
  };
  return () => count;
}
