/** Compares the status of an object with what a case wants of it. */
import { type CaseObject, isRecord, type StatusWish, type Values } from './case.ts';
import { Differences, matches } from './differences.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly errors?: readonly Detail[];
  readonly warnings?: readonly Detail[];
}

interface Detail {
  readonly type: string;
  readonly reason: string;
  readonly message?: string;
}

/** What a status wish says, in its long form. */
interface Wish {
  readonly valid?: boolean;
  /** `currentStatus`. */
  readonly current?: string;
  /** `Type/Reason`, exactly these. */
  readonly errors?: readonly string[];
  readonly warnings?: readonly string[];
  readonly unwritten?: boolean;
  readonly conditions?: Conditions;
  /** The conditions of the only parent, of each parent, of the only ancestor. */
  readonly parent?: Conditions;
  readonly parents?: Readonly<Record<string, Conditions>>;
  readonly ancestor?: Conditions;
  readonly listeners?: Readonly<Record<string, ListenerWish>>;
  readonly addresses?: readonly string[];
  /** Texts that must occur in the status. */
  readonly message?: string | readonly string[];
}

/** `Status/Reason`, or `none`, by type. */
type Conditions = Readonly<Record<string, string | null>>;

interface ListenerWish {
  readonly attached?: number;
  readonly kinds?: readonly string[];
  readonly conditions?: Conditions;
}

/** Gives what differs; an object that is not there differs. */
export function checkStatus(reference: string, wish: StatusWish, object: CaseObject | undefined): readonly string[] {
  if (object === undefined) return [`${reference}: no such object`];
  const differences = new Differences();
  const detailed = object.kind === 'HTTPProxy' || object.kind === 'ExtensionService';
  const status = isRecord(object['status']) ? object['status'] : {};
  const checker = new StatusChecker(reference, status, Number(object.metadata['generation']), differences);
  const wanted: Wish = typeof wish === 'string' ? (detailed ? detailedWish(wish) : { parent: conditionWish(wish) }) : (wish as Wish);
  if (detailed) checker.detailed(wanted, object.kind === 'HTTPProxy');
  else checker.conditions(wanted);
  checker.rest(wanted, object.kind === 'Gateway');
  return differences.lines;
}

/** `valid`, `invalid Type/Reason …`, `orphaned`. */
function detailedWish(text: string): Wish {
  const [current = '', ...errors] = text.split(/\s+/);
  const orphaned = current === 'orphaned' && errors.length === 0;
  return { valid: current === 'valid', current, errors: orphaned ? ['Orphaned/Orphaned'] : errors };
}

function conditionWish(text: string): Conditions {
  return Object.fromEntries(text.split(/\s+/).map((part) => part.split('=') as [string, string]));
}

class StatusChecker {
  readonly #reference: string;
  readonly #status: Values;
  readonly #generation: number;
  readonly #differences: Differences;

  constructor(reference: string, status: Values, generation: number, differences: Differences) {
    this.#reference = reference;
    this.#status = status;
    this.#generation = generation;
    this.#differences = differences;
  }

  /** A `Valid` condition with its errors and warnings. */
  detailed(wish: Wish, hasCurrent: boolean): void {
    const condition = conditionsOf(this.#status).get('Valid');
    if (wish.unwritten === true) {
      if (condition !== undefined) this.#add(`want no status, got Valid=${condition.status}`);
      return;
    }
    if (condition === undefined) {
      if (wish.valid !== undefined) this.#add('no Valid condition');
      return;
    }
    this.#validity(wish.valid ?? true, condition);
    this.#details('errors', wish.errors ?? [], condition.errors);
    if (wish.warnings !== undefined) this.#details('warnings', wish.warnings, condition.warnings);
    const current = wish.current ?? (wish.valid === undefined ? undefined : wish.valid ? 'valid' : 'invalid');
    if (hasCurrent && current !== undefined) this.#value('currentStatus', current, this.#status['currentStatus']);
  }

  conditions(wish: Wish): void {
    const parents = listOf(this.#status['parents']);
    if (wish.conditions !== undefined) this.#conditions('', wish.conditions, this.#status);
    if (wish.parent !== undefined) this.#only('parent', wish.parent, parents);
    if (wish.ancestor !== undefined) this.#only('ancestor', wish.ancestor, listOf(this.#status['ancestors']));
    if (wish.parents !== undefined) this.#parents(wish.parents, parents);
    if (wish.listeners !== undefined) this.#listeners(wish.listeners);
  }

  /** What all kinds have: addresses, and texts of messages. */
  rest(wish: Wish, isGateway: boolean): void {
    if (wish.addresses !== undefined) {
      const balancer = isRecord(this.#status['loadBalancer']) ? this.#status['loadBalancer']['ingress'] : undefined;
      const entries = listOf(isGateway ? this.#status['addresses'] : balancer);
      const got = entries.map((entry) => String(entry['value'] ?? entry['ip'] ?? entry['hostname'])).sort();
      this.#value('addresses', [...wish.addresses].sort().join(), got.join());
    }
    // As texts of cases have it: a space after each colon and comma.
    const text = JSON.stringify(this.#status, undefined, 1).replaceAll(/\n */g, ' ').replaceAll('\\"', '"');
    for (const part of [wish.message ?? []].flat()) if (!text.includes(part)) this.#add(`no "${part}" in the status`);
  }

  #validity(valid: boolean, condition: Condition): void {
    const status = valid ? 'True' : 'False';
    if (condition.status !== status) {
      const details = [...(condition.errors ?? []), ...(condition.warnings ?? [])].map(detailName);
      this.#add(`want Valid=${status}, got ${condition.status} ${details.join(' ')}`);
    } else if (condition.observedGeneration !== this.#generation) {
      this.#add(`observedGeneration ${condition.observedGeneration}, generation ${this.#generation}`);
    } else this.#value('reason', valid ? 'Valid' : 'ErrorPresent', condition.reason);
  }

  #details(what: string, want: readonly string[], details: readonly Detail[] = []): void {
    const got = details.map(detailName).sort();
    if ([...want].sort().join() === got.join()) return;
    this.#add(`${what}: want ${want.join(' ')}, got ${details.map((detail) => `${detailName(detail)} (${detail.message})`).join(', ')}`);
  }

  #only(what: string, want: Conditions, entries: readonly Values[]): void {
    const [entry] = entries;
    if (entries.length === 1 && entry !== undefined) this.#conditions('', want, entry);
    else this.#add(`want one ${what}, got ${entries.length}`);
  }

  #parents(want: Readonly<Record<string, Conditions>>, parents: readonly Values[]): void {
    const keyed = new Map(parents.map((parent) => [parentKey(parent['parentRef'] as Values), parent] as const));
    this.#value('parents', Object.keys(want).sort().join(), [...keyed.keys()].sort().join());
    for (const [key, conditions] of Object.entries(want)) {
      const parent = keyed.get(key);
      if (parent !== undefined) this.#conditions(key, conditions, parent);
    }
  }

  #listeners(want: Readonly<Record<string, ListenerWish>>): void {
    const listeners = listOf(this.#status['listeners']);
    for (const [name, { attached, kinds, conditions = {} }] of Object.entries(want)) {
      const listener = listeners.find((other) => other['name'] === name);
      if (listener === undefined) {
        this.#add(`no status of listener ${name}`);
        continue;
      }
      if (attached !== undefined) this.#value(`${name} attachedRoutes`, attached, listener['attachedRoutes']);
      const got = listOf(listener['supportedKinds']).map((supported) => String(supported['kind']));
      if (kinds !== undefined) this.#value(`${name} supportedKinds`, [...kinds].sort().join(' '), got.sort().join(' '));
      this.#conditions(name, conditions, listener);
    }
  }

  #conditions(where: string, want: Conditions, holder: Values): void {
    const have = conditionsOf(holder);
    for (const [type, wanted] of Object.entries(want)) this.#condition(`${where} ${type}`, wanted, have.get(type));
  }

  #condition(where: string, want: string | null, condition: Condition | undefined): void {
    if (want === null || want === 'none' || want === 'absent') {
      if (condition !== undefined) this.#add(`${where}: want absent, got ${condition.status}/${condition.reason}`);
      return;
    }
    if (condition === undefined) {
      this.#add(`${where}: missing`);
      return;
    }
    const [status, reason] = want.split('/');
    if (condition.status !== status || (reason !== undefined && !matches(reason, condition.reason))) {
      this.#add(`${where}: want ${want}, got ${condition.status}/${condition.reason} (${condition.message})`);
    } else if (condition.observedGeneration !== this.#generation) {
      this.#add(`${where}: observedGeneration ${condition.observedGeneration}, generation ${this.#generation}`);
    }
  }

  #value(where: string, want: unknown, got: unknown): void {
    this.#differences.value(`${this.#reference} ${where}`, want, got);
  }

  #add(line: string): void {
    this.#differences.add(`${this.#reference}: ${line}`);
  }
}

function conditionsOf(holder: Values): ReadonlyMap<string, Condition> {
  return new Map(listOf(holder['conditions']).map((condition) => [String(condition['type']), condition as unknown as Condition]));
}

function listOf(value: unknown): readonly Values[] {
  return Array.isArray(value) ? (value as readonly Values[]) : [];
}

function detailName({ type, reason }: Detail): string {
  return `${type}/${reason}`;
}

function parentKey(reference: Values): string {
  const { name, sectionName, port } = reference;
  return `${String(name)}${sectionName === undefined ? '' : `/${String(sectionName)}`}${port === undefined ? '' : `:${String(port)}`}`;
}
