import { relative } from 'node:path';
import { parseObjectKey } from '../apis/meta.ts';
import { loadCel } from '../apis/validate.ts';
import type { KubernetesCache } from '../kubernetes-cache/kubernetes-cache.ts';
import type { Logger } from '../util/logger.ts';
import { admitFromFile } from './file/admission.ts';
import type { FileSources } from './file/file-scan.ts';
import { type FileContents, FileWatcher } from './file/file-watcher.ts';
import { type FileProblem, ObjectStore } from './file/object-store.ts';
import { Stamps } from './file/stamps.ts';

export interface FileProviderOptions extends FileSources {
  readonly cache: Pick<KubernetesCache, 'apply' | 'remove'>;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Serves the objects of files: reads them, follows their edits and writes what changes into the KubernetesCache. What is wrong with a
 * file or an object is logged once with file, line and field, and everything else is served.
 */
export class FileProvider implements AsyncDisposable {
  readonly #options: FileProviderOptions;
  readonly #store = new ObjectStore(admitFromFile);
  readonly #stamps = new Stamps();
  readonly #watcher: FileWatcher;
  readonly #unreadable = new Map<string, string>();
  #told: ReadonlySet<string> = new Set();

  constructor(options: FileProviderOptions) {
    this.#options = options;
    this.#watcher = new FileWatcher({ dirs: options.dirs, files: options.files, onChange: (contents) => this.#take(contents) });
  }

  /** Reads all files; when it resolves their objects are in the cache. Then follows them until disposed. */
  async start(): Promise<void> {
    for (const file of this.#options.files) this.#unreadable.set(file, 'is not there');
    await loadCel();
    await this.#watcher.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watcher[Symbol.asyncDispose]();
  }

  /** Everything that is wrong with the files now, in order of files and lines. */
  problems(): readonly FileProblem[] {
    const unreadable = [...this.#unreadable].map(([file, message]): FileProblem => ({ file, message }));
    return [...unreadable, ...this.#store.problems()];
  }

  #take(contents: FileContents): void {
    const { cache, clock } = this.#options;
    for (const [file, content] of contents) {
      if (content instanceof Error) {
        this.#unreadable.set(file, content.message); // the last good objects stay
        continue;
      }
      this.#unreadable.delete(file);
      if (content === undefined && this.#options.files.includes(file)) this.#unreadable.set(file, 'is not there');
      for (const change of this.#store.update(file, content)) {
        const object = this.#stamps.apply(change, clock());
        const { kind, namespace, name } = parseObjectKey(change.key);
        if (object === undefined) cache.remove(kind, namespace, name);
        else cache.apply(object);
      }
    }
    this.#tell();
  }

  /** Logs the problems that are new, and says when all are gone. */
  #tell(): void {
    const { log } = this.#options;
    const problems = this.problems();
    const now = new Set<string>();
    for (const problem of problems) {
      const text = formatFileProblem(problem);
      now.add(text);
      if (!this.#told.has(text)) log[problem.warning === true ? 'warn' : 'error']({ ...problem, context: 'file' }, text);
    }
    if (now.size === 0 && this.#told.size > 0) log.info({ context: 'file' }, 'all files are good again');
    this.#told = now;
  }
}

/** One problem in one line, such as `app.yaml:12: HTTPProxy default/app: spec.routes[0].services: must be a list`. */
export function formatFileProblem({ file, line, object, field, message }: FileProblem): string {
  const short = relative(process.cwd(), file);
  const place = short.startsWith('..') ? file : short;
  const parts = [line === undefined ? place : `${place}:${line}`, object, field, message];
  return parts.filter((part) => part !== undefined && part !== '').join(': ');
}
