import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../pkg/apis/meta.ts';
import type { Config } from '../../pkg/config/config.ts';
import type { DetailedStatusPart } from '../../pkg/dag/contribution.ts';
import type { Route } from '../../pkg/dag/model/route.ts';
import type { VirtualHostPart } from '../../pkg/dag/model/virtual-host.ts';
import { httpProxyProcessor } from '../../pkg/dag/processors/httpproxy/httpproxy-processor.ts';
import type { Key } from '../../pkg/kubernetes-cache/reader.ts';
import { testConfig } from './config.ts';
import { memoryReader, object } from './memory-reader.ts';

/** What all HTTPProxies of a small world make together. */
export interface ProxyWorld {
  readonly parts: readonly VirtualHostPart[];
  readonly statuses: readonly DetailedStatusPart[];
  /** Everything that was read. */
  readonly keys: ReadonlySet<Key>;
  /** `valid`, `orphaned`, or the errors as `Type/Reason`, of `name` or `namespace/name`. */
  status(id: string): string;
  /** The messages of its errors and warnings, in lines. */
  messages(id: string): string;
  warnings(id: string): readonly string[];
  /** The part on a listener; of the host `app.example.com` and on plaintext if not told otherwise. */
  part(host?: string, listener?: string): VirtualHostPart | undefined;
  routes(host?: string, listener?: string): readonly Route[];
}

/** HTTPProxies in YAML, one a document: `name` or `namespace/name` (default namespace `ns`) to its spec. */
export function proxies(yaml: string): readonly KubeObject[] {
  return parseAllDocuments(yaml).flatMap((document) =>
    Object.entries(document.toJS() as Record<string, object>).map(([id, spec]) => object('HTTPProxy', idOf(id), { spec })),
  );
}

const idOf = (id: string): string => (id.includes('/') ? id : `ns/${id}`);

/** Builds every HTTPProxy of a world. */
export function buildProxies(objects: readonly KubeObject[], changes: Partial<Config> = {}): ProxyWorld {
  const keys = new Set<Key>();
  const reader = memoryReader(objects, keys);
  const contributions = objects
    .filter(({ kind }) => kind === 'HTTPProxy')
    .map(({ metadata: { namespace = '', name } }) =>
      httpProxyProcessor.process({ kind: 'HTTPProxy', namespace, name }, reader, testConfig(changes)),
    );
  const parts = contributions.flatMap(({ virtualHosts }) => virtualHosts);
  const statuses = contributions.flatMap((contribution) => contribution.statuses as readonly DetailedStatusPart[]);
  const part = (host = 'app.example.com', listener = 'ingress_http') =>
    parts.find((candidate) => candidate.host === host && candidate.listener === listener);
  return {
    parts,
    statuses,
    keys,
    part,
    routes: (host, listener) => part(host, listener)?.routes ?? [],
    status: (id) => summary(wordsOn(statuses, id)),
    messages: (id) =>
      wordsOn(statuses, id)
        .flatMap(({ errors, warnings }) => [...errors, ...warnings])
        .map(({ message }) => message)
        .join('\n'),
    warnings: (id) => wordsOn(statuses, id).flatMap(({ warnings }) => warnings.map(({ type, reason }) => `${type}/${reason}`)),
  };
}

/** What was said of a proxy; that it is an orphan counts only where nobody says more. */
function wordsOn(statuses: readonly DetailedStatusPart[], id: string): readonly DetailedStatusPart[] {
  const words = statuses.filter(({ object: { namespace, name } }) => `${namespace}/${name}` === idOf(id));
  return words.some(({ orphan }) => orphan !== true) ? words.filter(({ orphan }) => orphan !== true) : words;
}

function summary(words: readonly DetailedStatusPart[]): string {
  if (words.length === 0) return 'nothing said';
  if (words.some(({ orphan }) => orphan === true)) return 'orphaned';
  const errors = words.flatMap((word) => word.errors.map(({ type, reason }) => `${type}/${reason}`));
  return errors.length === 0 ? 'valid' : errors.join(' ');
}
