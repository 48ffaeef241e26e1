import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FileSources, type FileState, readUnchanged, scan } from './file-scan.ts';

/** New contents of files: text, `undefined` where a file is gone, or the error that it cannot be read. */
export type FileContents = ReadonlyMap<string, string | undefined | Error>;

export interface FileWatcherOptions extends FileSources {
  /** Called with what changed, once per burst of changes. The first call has everything that is there at start. */
  readonly onChange: (contents: FileContents) => void;
  /** Pause after an event before files are looked at, in milliseconds. Default 3. */
  readonly debounceMs?: number;
  /** Files are looked at this often even without an event, in milliseconds: some file systems send none. Default 2000. */
  readonly rescanMs?: number;
}

/**
 * A file that is written in place is cut to nothing first. It is believed only after this long without a further write, in
 * milliseconds; one that is empty, after longer. A file that was renamed into place is whole.
 */
const settleMs = 10;
const emptySettleMs = 60;

/** A file is gone when it has been away for this long, in milliseconds. */
const goneSettleMs = 50;

/**
 * Follows the content of files: edits in place, atomic renames, editors that move the old file away, swapped symbolic links,
 * files and folders that come and go. Content is compared, so a touch is no change.
 */
export class FileWatcher implements AsyncDisposable {
  readonly #options: FileWatcherOptions;
  readonly #states = new Map<string, FileState>();
  readonly #texts = new Map<string, string>();
  readonly #missingSince = new Map<string, number>();
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #stopped = new AbortController();
  #wake: (() => void) | undefined;
  #woken = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: FileWatcherOptions) {
    this.#options = options;
  }

  /** Reads everything, tells it, and begins to watch. */
  async start(): Promise<void> {
    await this.#look({ settle: false });
    this.#loop = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    this.#wake?.();
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { debounceMs = 3, rescanMs = 2_000 } = this.#options;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#nextEvent(rescanMs);
      await sleep(debounceMs, undefined, { signal }).catch(() => undefined);
      this.#woken = false;
      if (!signal.aborted) await this.#look({ settle: true });
    }
  }

  async #nextEvent(timeoutMs: number): Promise<void> {
    if (this.#woken || this.#stopped.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  #notify(): void {
    this.#woken = true;
    this.#wake?.();
  }

  async #look({ settle }: { readonly settle: boolean }): Promise<void> {
    const { files, dirs } = await scan(this.#options);
    this.#watch(dirs);

    const contents = new Map<string, string | undefined | Error>();
    const changed = [...files].filter(([path, state]) => this.#states.get(path)?.identity !== state.identity);
    await Promise.all(changed.map(([path, state]) => this.#read(path, state, { settle, contents })));
    for (const path of this.#gone(files)) {
      this.#states.delete(path);
      this.#texts.delete(path);
      contents.set(path, undefined);
    }
    if (this.#stopped.signal.aborted || (settle && contents.size === 0)) return;
    this.#options.onChange(new Map([...contents].sort(([a], [b]) => (a < b ? -1 : 1))));
  }

  /** Files that have been away for long enough. An editor may move the old file away before it writes the new one. */
  #gone(files: ReadonlyMap<string, FileState>): readonly string[] {
    const missing = [...this.#states.keys()].filter((path) => !files.has(path));
    for (const path of this.#missingSince.keys()) if (files.has(path)) this.#missingSince.delete(path);
    return missing.filter((path) => {
      const since = this.#missingSince.get(path);
      if (since !== undefined && performance.now() - since >= goneSettleMs) return this.#missingSince.delete(path);
      if (since === undefined) this.#missingSince.set(path, performance.now());
      this.#notifyIn(goneSettleMs);
      return false;
    });
  }

  #notifyIn(delayMs: number): void {
    setTimeout(() => this.#notify(), delayMs).unref();
  }

  async #read(
    path: string,
    state: FileState,
    { settle, contents }: { readonly settle: boolean; readonly contents: Map<string, string | undefined | Error> },
  ): Promise<void> {
    if (settle && !this.#isSettled(path, state)) {
      this.#notifyIn(settleMs);
      return;
    }
    try {
      const text = await readUnchanged(path, state);
      if (text === undefined) {
        this.#notify();
        return;
      }
      this.#states.set(path, state);
      if (this.#texts.get(path) === text) return;
      this.#texts.set(path, text);
      contents.set(path, text);
    } catch (error) {
      this.#states.set(path, state);
      this.#texts.delete(path);
      contents.set(path, error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Whether a file may be read as it is: one written in place may be half there. */
  #isSettled(path: string, state: FileState): boolean {
    const before = this.#states.get(path);
    const inPlace = before === undefined || inode(before) === inode(state);
    const quietMs = Date.now() - state.modifiedMs;
    if (quietMs < 0) return true; // a clock that was set back, or a file from the future
    return quietMs >= (state.sizeBytes === 0 ? emptySettleMs : inPlace ? settleMs : 0);
  }

  /** Watches exactly these folders, by path and identity: one that was replaced is watched anew. */
  #watch(dirs: ReadonlyMap<string, string>): void {
    const wanted = new Map([...dirs].map(([dir, identity]) => [`${identity} ${dir}`, dir]));
    for (const [key, watcher] of this.#watchers) {
      if (wanted.has(key)) continue;
      watcher.close();
      this.#watchers.delete(key);
    }
    for (const [key, dir] of wanted) if (!this.#watchers.has(key)) this.#watchDir(key, dir);
  }

  #watchDir(key: string, dir: string): void {
    try {
      const watcher = watch(dir, { persistent: false }, () => this.#notify());
      watcher.on('error', () => {
        watcher.close();
        if (this.#watchers.get(key) === watcher) this.#watchers.delete(key);
      });
      this.#watchers.set(key, watcher);
      this.#notify(); // what changed between the look and the watch was told to nobody
    } catch {
      // The folder is not there, or there are too many watches: the regular look finds what changes.
    }
  }
}

function inode({ identity }: FileState): string {
  return identity.split(':').slice(0, 2).join(':');
}
