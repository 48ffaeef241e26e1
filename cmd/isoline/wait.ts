import { setTimeout as sleep } from 'node:timers/promises';
import { type LiveAnswer, parseObject } from '../../pkg/server/proxy-routes.ts';
import { type CommandContext, CommandError, logFormatFlag, type RunCommand } from './command.ts';
import { type CommandDefinition, failUsage, parseCommandLine } from './command-line.ts';

const definition: CommandDefinition = {
  name: 'wait',
  summary: 'Wait until the newest version of an object is live: accepted by all proxies that are connected to a replica.',
  arguments: [{ name: '<object>', help: 'kind/namespace/name, such as httpproxy/default/shop' }],
  flags: [
    { flag: 'for', placeholder: 'condition', help: 'What to wait for: live. Default: live.' },
    { flag: 'timeout', placeholder: 'duration', help: 'How long to wait at most, such as 500ms, 30s or 2m. Default: 30s.' },
    { flag: 'address', placeholder: 'host:port', help: 'Debug server of the replica. Default: 127.0.0.1:6060.' },
    {
      flag: 'generation',
      placeholder: 'number',
      help: 'The metadata.generation that must be live at least. Default: the one that the replica knows.',
    },
    logFormatFlag,
  ],
};

/** Two looks this far apart must agree: a proxy asks for the routes of a new host only after it has accepted the host. */
const pauseMs = 100;

/** `isoline wait`: 0 when the object is live, 1 when it is not in time or Envoy refuses it. */
export const run: RunCommand = async (argv, context) => {
  const { flags, args } = parseCommandLine(definition, argv, context);
  const [object = ''] = args;
  if (parseObject(object) === undefined)
    failUsage(definition, `${JSON.stringify(object)} is no kind/namespace/name of a kind that is served`, context);
  if ((flags['for'] ?? 'live') !== 'live') failUsage(definition, `--for=${String(flags['for'])}: only live can be waited for`, context);
  const timeoutMs =
    parseDuration(String(flags['timeout'] ?? '30s')) ?? failUsage(definition, '--timeout must be a duration such as 30s', context);
  const generation = flags['generation'] === undefined ? 0 : Number(flags['generation']);
  if (!Number.isInteger(generation) || generation < 0) failUsage(definition, '--generation must be a whole number', context);
  const url =
    liveUrl(String(flags['address'] ?? '127.0.0.1:6060'), object) ?? failUsage(definition, '--address must be host:port', context);
  return waitFor({ url, object, generation, timeoutMs }, context);
};

interface Wait {
  readonly url: URL;
  readonly object: string;
  readonly generation: number;
  readonly timeoutMs: number;
}

async function waitFor({ url, object, generation, timeoutMs }: Wait, { signal, stdout }: CommandContext): Promise<number> {
  const deadlineMs = performance.now() + timeoutMs;
  const timely = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let looksLive = false;
  let known: string | undefined;
  for (;;) {
    const answer = await ask(url, timely).catch((cause: Error) => ({ fault: cause.message }));
    const missing = missingIn(answer, { generation, known: timely.aborted ? known : undefined });
    known = missing;
    if (missing === undefined && looksLive && 'live' in answer) {
      stdout(`${object} is live on ${answer.live} of ${answer.of} proxies\n`);
      return 0;
    }
    looksLive = missing === undefined;
    if ('refused' in answer) failIfRefused(answer, { object, generation });
    if (signal.aborted) throw new CommandError(`${object}: stopped while waiting`);
    if (performance.now() + pauseMs >= deadlineMs)
      throw new CommandError(`${object} is not live after ${timeoutMs} ms: ${missing ?? 'it was only just'}`);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** What the object lacks. That the time is over in the middle of a question says less than what was `known` before. */
function missingIn(
  answer: LiveAnswer | { readonly fault: string },
  { generation, known }: { readonly generation: number; readonly known: string | undefined },
): string | undefined {
  return 'fault' in answer ? (known ?? answer.fault) : whyNotLive(answer, generation);
}

/** @throws {CommandError} if Envoy refuses the object in the generation that is waited for. */
function failIfRefused(answer: LiveAnswer, { object, generation }: Pick<Wait, 'object' | 'generation'>): void {
  const [refused] = answer.refused;
  if (refused !== undefined && !olderThan(answer, generation)) throw new CommandError(`${object}: Envoy refuses it: ${refused.message}`);
}

async function ask(url: URL, signal: AbortSignal): Promise<LiveAnswer> {
  const response = await fetch(url, { signal }).catch((error: Error) => {
    const { cause } = error;
    throw new Error(`${url.host} does not answer: ${cause instanceof Error ? cause.message : error.message}`);
  });
  if (!response.ok) throw new Error(`${url.host} answers ${response.status}: ${(await response.text()).trim()}`);
  return (await response.json()) as LiveAnswer;
}

/** What the object lacks; `undefined` if it is live. */
function whyNotLive(answer: LiveAnswer, generation: number): string | undefined {
  if (olderThan(answer, generation)) return `the replica knows generation ${answer.observedGeneration ?? 'none'}, not ${generation}`;
  if (answer.refused.length > 0) return 'Envoy refuses it';
  if (answer.resources === 0) return 'nothing of it is served; its status may say why';
  if (answer.of === 0) return 'no proxy is connected to this replica';
  const late = answer.nodes.filter(({ live }) => !live);
  return late.length === 0
    ? undefined
    : `${late.length} of ${answer.of} proxies have not accepted it: ${late.map(({ node }) => node).join(', ')}`;
}

function olderThan({ observedGeneration = 0 }: LiveAnswer, generation: number): boolean {
  return observedGeneration < generation;
}

function liveUrl(address: string, object: string): URL | undefined {
  const url = URL.parse(`http://${address}/debug/live?object=${encodeURIComponent(object)}`);
  return url === null || url.pathname !== '/debug/live' || url.username !== '' ? undefined : url;
}

/** A duration of one unit, in milliseconds. */
function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  const valueMs = match === null ? 0 : Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
  return valueMs > 0 && valueMs < 2 ** 31 ? valueMs : undefined;
}
