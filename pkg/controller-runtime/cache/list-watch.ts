import { ApiError, type ApiStatus, UnreachableError } from '../client/errors.ts';
import { collectionPath, type KubeObject, type ResourceKind } from '../client/object.ts';
import type { RestClient } from '../client/rest-client.ts';
import { readLines } from './lines.ts';

/** Which objects of a kind are meant. */
export interface Selection {
  readonly kind: ResourceKind;
  /** `''`: all namespaces. */
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** One page of a list. */
export interface Page {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** `''`: this was the last page. */
  readonly continueToken: string;
}

/** A line of a watch. */
export type WatchLine =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: ApiStatus };

export interface WatchOptions {
  /** `undefined` asks for the present objects first, as ADDED lines that end with a marked BOOKMARK. */
  readonly resourceVersion: string | undefined;
  /** When the server ends the watch. */
  readonly timeoutSeconds: number;
  /** A watch on which nothing comes for so long is given up: it may be dead. Most servers send a bookmark about once a minute. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** A line of a watch could not be understood, so what it said is not known. */
export class WatchLineError extends Error {
  override readonly name = 'WatchLineError';
}

const initialEventsEnd = 'k8s.io/initial-events-end';

/** Whether a BOOKMARK says that the present objects have all been told. */
export function endsInitialEvents(bookmark: KubeObject): boolean {
  return bookmark.metadata.annotations?.[initialEventsEnd] === 'true';
}

export interface PageOptions {
  /** 0: everything at once. */
  readonly limit: number;
  /** `''`: the first page. */
  readonly continueToken: string;
  /** False: the server may answer from its cache, which may be a little old and ignores the limit. */
  readonly consistent: boolean;
  readonly signal: AbortSignal;
}

/** Reads one page of a list. */
export async function listPage(rest: RestClient, selection: Selection, page: PageOptions): Promise<Page> {
  const answer = (await rest.json({
    ...requestOf(selection, 'list', page.signal),
    query: {
      ...selectorsOf(selection),
      limit: page.limit === 0 ? undefined : String(page.limit),
      continue: page.continueToken === '' ? undefined : page.continueToken,
      resourceVersion: page.consistent || page.continueToken !== '' ? undefined : '0',
    },
  })) as { readonly items?: readonly KubeObject[]; readonly metadata?: Readonly<Record<string, string | undefined>> };
  return {
    items: answer.items ?? [],
    resourceVersion: answer.metadata?.['resourceVersion'] ?? '',
    continueToken: answer.metadata?.['continue'] ?? '',
  };
}

/**
 * Watches until the server ends it, or nothing has come for too long, which is no error.
 * @throws {ApiError} if the server refuses, at the start or later; a WatchLineError; an UnreachableError if the connection breaks
 */
export async function watch(
  rest: RestClient,
  selection: Selection,
  options: WatchOptions,
  onLine: (line: WatchLine) => void,
): Promise<void> {
  const initial = options.resourceVersion === undefined;
  const request = requestOf(selection, 'watch', options.signal);
  const response = await rest.open({
    ...request,
    query: {
      ...selectorsOf(selection),
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(options.timeoutSeconds),
      resourceVersion: options.resourceVersion,
      ...(initial && { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }),
    },
  });
  let idle = false;
  response.setTimeout(options.idleTimeoutMs, () => {
    idle = true;
    response.destroy();
  });
  try {
    await readLines(response, (text) => {
      const line = parseLine(text);
      if (line.type === 'ERROR') throw new ApiError(request, line.object.code ?? 500, line.object);
      onLine(line);
    });
  } catch (error) {
    // Nothing is lost, and whether the server is there the next request tells: not every server sends bookmarks.
    if (idle) return;
    if (error instanceof ApiError || error instanceof WatchLineError) throw error;
    throw new UnreachableError(rest.server, error);
  }
}

function parseLine(text: string): WatchLine {
  try {
    const line = JSON.parse(text) as WatchLine | null;
    if (line !== null && typeof line.type === 'string' && typeof line.object === 'object') return line;
  } catch (cause) {
    throw new WatchLineError(`a line of the watch cannot be parsed: ${text.slice(0, 200)}`, { cause });
  }
  throw new WatchLineError(`a line of the watch is no event: ${text.slice(0, 200)}`);
}

function requestOf({ kind, namespace }: Selection, verb: 'list' | 'watch', signal: AbortSignal) {
  return {
    method: 'GET',
    verb,
    resource: kind.plural,
    group: kind.group,
    path: collectionPath(kind, namespace),
    signal,
  } as const;
}

function selectorsOf({ labelSelector, fieldSelector }: Selection) {
  return { labelSelector, fieldSelector };
}
