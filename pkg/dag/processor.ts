import type { KindName } from '../apis/kinds.ts';
import type { ObjectRef } from '../apis/meta.ts';
import type { Config } from '../config/config.ts';
import type { Reader } from '../kubernetes-cache/reader.ts';
import type { Contribution } from './contribution.ts';

/** The root that stands for the configuration: it is always there, and no object has its key. */
export const configRoot = { kind: 'Config', namespace: '', name: 'listeners' } as const;

/**
 * A front end of the DAG: turns one root into a contribution. Pure: it reads only through the Reader and the
 * Config, keeps nothing between calls, and throws only on a bug.
 */
export interface Processor {
  /** The kinds whose objects are its roots. Every kept object of such a kind is a root. */
  readonly kinds: readonly KindName[];
  process(root: ObjectRef, reader: Reader, config: Config): Contribution;
}
