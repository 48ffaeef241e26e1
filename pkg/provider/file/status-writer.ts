import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { type KubeObject, type ObjectKey, type ObjectRef, objectKey } from '../../apis/meta.ts';
import { addressFields, type LoadBalancerAddress } from '../../controllers/load-balancer-status.ts';
import { statusPatch } from '../../controllers/status-merge.ts';
import type { WantedStatus } from '../../status/wanted.ts';
import { deepEqual } from '../../util/deep-equal.ts';
import type { Logger } from '../../util/logger.ts';
import { summarizeStatus } from './status-summary.ts';

export interface FileStatusWriterOptions {
  /** A file for each object goes here; absent: each new status is a line of `write`. */
  readonly dir?: string;
  readonly write: (text: string) => void;
  readonly format: 'text' | 'json';
  /** Published in the status of HTTPProxies, Ingresses and Gateways. */
  readonly addresses: readonly LoadBalancerAddress[];
  readonly controllerName: string;
  readonly now: () => Date;
  readonly log: Logger;
}

type Status = Readonly<Record<string, unknown>>;

const header = '# Written by Isoline; an edit is lost.\n';

/** Publishes the status of objects from files: there is no API server to keep it. */
export class FileStatusWriter {
  readonly #options: FileStatusWriterOptions;
  readonly #last = new Map<ObjectKey, Status>();
  /** Writes are done one after the other, in order. */
  #writes: Promise<void> = Promise.resolve();
  #started = false;

  constructor(options: FileStatusWriterOptions) {
    this.#options = options;
  }

  /** Makes the folder and reads what an earlier run left in it, so that times of transition go on. */
  async start(): Promise<void> {
    const { dir } = this.#options;
    if (dir === undefined) return;
    await mkdir(dir, { recursive: true });
    for (const name of await readdir(dir)) {
      if (!name.endsWith('.yaml')) continue;
      const text = await readFile(join(dir, name), 'utf8');
      if (!text.startsWith(header)) continue;
      const object = readObject(text);
      if (object !== undefined)
        this.#last.set(objectKey(object.kind, object.metadata.namespace ?? '', object.metadata.name), object.status);
    }
  }

  /** Takes the statuses that a build wants. The first call has all of them: what it lacks is of an earlier run. */
  want(statuses: readonly WantedStatus[]): void {
    if (!this.#started) this.#dropOthers(statuses);
    for (const wanted of statuses) this.#publish(wanted);
  }

  /** Takes back the status of an object that is gone. */
  forget({ kind, namespace, name }: ObjectRef): void {
    if (!this.#last.delete(objectKey(kind, namespace, name))) return;
    const { dir } = this.#options;
    if (dir !== undefined) this.#enqueue(() => rm(join(dir, fileName({ kind, namespace, name })), { force: true }));
  }

  /** Resolves when everything so far is written. */
  async flush(): Promise<void> {
    await this.#writes;
  }

  #dropOthers(statuses: readonly WantedStatus[]): void {
    this.#started = true;
    const wanted = new Set(statuses.map(({ object: { kind, namespace, name } }) => objectKey(kind, namespace, name)));
    for (const key of [...this.#last.keys()]) {
      const [kind = '', namespace = '', name = ''] = key.split('/');
      if (!wanted.has(key)) this.forget({ kind, namespace, name });
    }
  }

  #publish({ object, generation, status }: WantedStatus): void {
    const { dir, write, format, addresses, controllerName, now } = this.#options;
    const { kind, namespace, name } = object;
    const key = objectKey(kind, namespace, name);
    const before = this.#last.get(key);
    const live = { apiVersion: '', kind, metadata: { name }, status: before ?? {} } as KubeObject;
    const patch = statusPatch(live, { ...status, ...addressFields(kind, addresses) }, { controllerName, now: now() });
    if (patch === undefined) return;
    const merged = { ...before, ...patch };
    this.#last.set(key, merged);
    if (dir !== undefined) {
      const metadata = { name, ...(namespace !== '' && { namespace }), generation };
      const text = `${header}${stringify({ kind, metadata, status: merged }, { lineWidth: 0, aliasDuplicateObjects: false })}`;
      this.#enqueue(() => writeWhole(join(dir, fileName(object)), text));
    } else if (before === undefined || !sameButTimes(before, merged)) {
      const place = namespace === '' ? name : `${namespace}/${name}`;
      write(
        format === 'json'
          ? `${JSON.stringify({ ...object, generation, status: merged })}\n`
          : `${kind} ${place}: ${summarizeStatus(merged)}\n`,
      );
    }
  }

  #enqueue(work: () => Promise<void>): void {
    this.#writes = this.#writes
      .then(work)
      .catch((error: unknown) => this.#options.log.error({ error, dir: this.#options.dir }, 'a status could not be written'));
  }
}

/** Whoever watches the folder sees the old file or the new one, never a part. */
async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

/** Names of objects have no underscore. */
function fileName({ kind, namespace, name }: ObjectRef): string {
  return `${kind}_${namespace}_${name}.yaml`;
}

function readObject(text: string): (KubeObject & { readonly status: Status }) | undefined {
  try {
    const object = parse(text) as Partial<KubeObject & { readonly status: Status }> | null;
    return typeof object?.kind === 'string' && typeof object.metadata?.name === 'string' && typeof object.status === 'object'
      ? (object as KubeObject & { readonly status: Status })
      : undefined;
  } catch {
    return undefined;
  }
}

/** A status that only speaks of a newer generation is no news for people. */
function sameButTimes(a: Status, b: Status): boolean {
  const plain = (status: Status): unknown =>
    JSON.parse(
      JSON.stringify(status, (field, value: unknown) =>
        field === 'lastTransitionTime' || field === 'observedGeneration' ? undefined : value,
      ),
    );
  return deepEqual(plain(a), plain(b));
}
