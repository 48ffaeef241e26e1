import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import { errorMessage } from '../../util/error-text.ts';
import { isJsonObject, type JsonObject } from '../../util/json-object.ts';

/** One object of a file, as it is written there. */
export interface ManifestObject {
  readonly object: JsonObject;
  /** The line, from 1, of a field such as `spec.routes[0].services`, or of the nearest field around it that is written down. */
  lineOf(field: string): number;
}

/** What is wrong with a file, at a line from 1. */
export interface ManifestProblem {
  readonly line: number;
  readonly message: string;
}

/** The objects of a file, in order, and what could not be read. */
export interface Manifest {
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly ManifestProblem[];
}

/** Aliases may repeat a part of a document this often; more is an attack or a mistake. */
const maxAliasCount = 1_000;

/**
 * Reads a file of objects: YAML with any number of documents, or JSON, and `kind: List` taken apart. A document that is
 * broken is a problem and hides none of the others.
 */
export function parseManifest(text: string): Manifest {
  const json = parseJson(text);
  if (json !== undefined) return unpack(json, lazyLines(text));

  const counter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: counter, prettyErrors: false, merge: true });
  const objects: ManifestObject[] = [];
  const problems: ManifestProblem[] = [];
  for (const document of Array.isArray(documents) ? documents : []) {
    const manifest = readDocument(document, counter);
    objects.push(...manifest.objects);
    problems.push(...manifest.problems);
  }
  return { objects, problems };
}

type Lines = (path: readonly (string | number)[]) => number;

function readDocument(document: Document, counter: LineCounter): Manifest {
  const [fault] = document.errors;
  if (fault !== undefined) {
    const message = fault.message.split('\n', 1)[0] ?? '';
    return { objects: [], problems: [{ line: counter.linePos(fault.pos[0]).line, message }] };
  }
  const lines: Lines = (path) => lineAt(document, counter, path);
  try {
    return unpack(document.toJS({ maxAliasCount }), lines);
  } catch (error) {
    return { objects: [], problems: [{ line: lines([]), message: errorMessage(error) }] };
  }
}

/** JSON needs no YAML parser, which is many times slower. */
function parseJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // YAML's flow style, or many documents, or broken: the YAML parser knows where
  }
}

function lazyLines(text: string): Lines {
  let parsed: { readonly document: Document; readonly counter: LineCounter } | undefined;
  return (path) => {
    if (parsed === undefined) {
      const counter = new LineCounter();
      const [document] = parseAllDocuments(text, { lineCounter: counter, prettyErrors: false });
      if (document === undefined) return 1;
      parsed = { document: document as Document, counter };
    }
    return lineAt(parsed.document, parsed.counter, path);
  };
}

function unpack(value: unknown, lines: Lines): Manifest {
  if (value === null || value === undefined) return { objects: [], problems: [] };
  if (!isJsonObject(value))
    return { objects: [], problems: [{ line: lines([]), message: 'is not an object: it must be a map with apiVersion and kind' }] };
  if (!isList(value)) return { objects: [manifestObject(value, lines, [])], problems: [] };
  const objects: ManifestObject[] = [];
  const problems: ManifestProblem[] = [];
  value.items.forEach((item, i) => {
    if (isJsonObject(item)) objects.push(manifestObject(item, lines, ['items', i]));
    else problems.push({ line: lines(['items', i]), message: `items[${i}] is not an object` });
  });
  return { objects, problems };
}

function isList(value: JsonObject): value is JsonObject & { readonly items: readonly unknown[] } {
  return typeof value['kind'] === 'string' && value['kind'].endsWith('List') && Array.isArray(value['items']);
}

function manifestObject(object: JsonObject, lines: Lines, at: readonly (string | number)[]): ManifestObject {
  return { object, lineOf: (field) => lines([...at, ...fieldSteps(field)]) };
}

/** The steps of a field path: `a.b[0].c[some.key]` is a, b, 0, c, some.key. */
export function fieldSteps(field: string): readonly (string | number)[] {
  const steps = field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g);
  return [...steps].map(([, inBrackets, name = '']) => {
    if (inBrackets === undefined) return name;
    return /^\d+$/.test(inBrackets) ? Number(inBrackets) : inBrackets.replace(/^(["'])(.*)\1$/, '$2');
  });
}

function lineAt(document: Document, counter: LineCounter, path: readonly (string | number)[]): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const next = child(node, step);
    if (next === undefined) break;
    offset = next.offset ?? offset;
    node = next.node;
  }
  return counter.linePos(offset).line;
}

/** The value below a step, and where its key begins. */
function child(node: unknown, step: string | number): { readonly node: unknown; readonly offset: number | undefined } | undefined {
  if (isSeq(node)) {
    const item = typeof step === 'number' ? node.items[step] : undefined;
    return item === undefined ? undefined : { node: item, offset: startOf(item) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  return pair === undefined ? undefined : { node: pair.value, offset: startOf(pair.key) };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
