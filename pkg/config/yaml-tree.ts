import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { YamlScalar } from './value-type.ts';

/** A fault of a configuration, with the place of it. */
export interface ConfigProblem {
  /** The key, flag or field at fault; `''` for the text as a whole. */
  readonly key: string;
  readonly message: string;
  /** Line in the file, from 1. */
  readonly line?: number;
}

/** A YAML document as plain values, scalars with their text, and the line of each key. */
export interface YamlTree {
  /** `undefined` for an empty document. */
  readonly value: unknown;
  /** The line on which the key at a dotted path stands. */
  lineOf(path: string): number | undefined;
  readonly problems: readonly ConfigProblem[];
}

/** No configuration needs more nodes; aliases that multiply would. */
const maxNodes = 100_000;

/** Reads one YAML document. Duplicate keys are problems. */
export function parseYamlTree(source: string): YamlTree {
  const lines = new LineCounter();
  const doc = parseDocument(source, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const faults = [...doc.errors];
  if (faults.length > 0) {
    const problems = faults.map((fault) => ({ key: '', message: firstLine(fault.message), line: lines.linePos(fault.pos[0]).line }));
    return { value: undefined, lineOf: () => undefined, problems };
  }
  const reader = new TreeReader(doc, lines);
  const value = reader.read(doc.contents, '');
  return { value, lineOf: (path) => reader.lines.get(path), problems: reader.problems };
}

class TreeReader {
  readonly lines = new Map<string, number>();
  readonly problems: ConfigProblem[] = [];
  readonly #doc: Document;
  readonly #counter: LineCounter;
  #nodes = 0;

  constructor(doc: Document, counter: LineCounter) {
    this.#doc = doc;
    this.#counter = counter;
  }

  read(node: unknown, path: string): unknown {
    this.#nodes += 1;
    if (this.#nodes === maxNodes) this.problems.push({ key: path, message: `more than ${maxNodes} values` });
    if (this.#nodes >= maxNodes) return undefined;
    if (isAlias(node)) return this.read(node.resolve(this.#doc), path);
    if (isScalar(node)) return new YamlScalar(node.value, node.source ?? String(node.value ?? ''));
    if (isSeq(node)) return node.items.map((item, i) => this.read(item, `${path}[${i}]`));
    if (isMap(node)) return this.#readMap(node.items, path);
    return undefined;
  }

  #readMap(items: readonly { readonly key: unknown; readonly value: unknown }[], path: string): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    for (const { key, value } of items) {
      if (!isScalar(key)) {
        this.problems.push({ key: path, message: 'a key must be text' });
        continue;
      }
      const name = key.source ?? String(key.value);
      const inner = path === '' ? name : `${path}.${name}`;
      const start = (key as Node).range?.[0];
      if (start !== undefined) this.lines.set(inner, this.#counter.linePos(start).line);
      Object.defineProperty(out, name, { value: this.read(value, inner), enumerable: true, configurable: true, writable: true });
    }
    return out;
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
