/** Goes through the steps of one case. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Case,
  type CaseObject,
  type CaseRequest,
  expandObjects,
  expandRequest,
  fixtureObjects,
  lastingNamespaces,
  type Step,
} from './case.ts';
import { checkRequest } from './check-request.ts';
import { checkStatus } from './check-status.ts';
import { isRefusal, type Reference } from './cluster.ts';
import { matches } from './differences.ts';
import { type Rig, referenceOf } from './rig.ts';

const defaultDeadlineSeconds = 10;
/** Seconds that a change gets to arrive before a look: what must not be served might not be served yet. */
const settle = { absence: 0.8, presence: 0.15 } as const;
const retryMs = 50;

/** The objects that a case has put, so that they go with it. */
export class CaseObjects {
  readonly #rig: Rig;
  readonly #made = new Map<string, Reference>();
  readonly #namespaces = new Set<string>();

  constructor(rig: Rig) {
    this.#rig = rig;
  }

  async put(object: CaseObject): Promise<void> {
    const { kind, metadata } = object;
    const { name, namespace = '' } = metadata;
    if (kind === 'Namespace') this.#namespaces.add(name);
    if (namespace !== '' && !lastingNamespaces.includes(namespace) && !this.#namespaces.has(namespace)) {
      await this.#rig.cluster.applyNamespace(namespace);
      this.#namespaces.add(namespace);
    }
    await this.#rig.cluster.apply(object);
    if (kind !== 'Namespace') this.#made.set(`${kind}/${namespace}/${name}`, { kind, namespace, name });
  }

  async clear(): Promise<void> {
    for (const reference of [...this.#made.values()].reverse()) await this.#rig.cluster.delete(reference);
    for (const name of this.#namespaces) await this.#rig.cluster.delete({ kind: 'Namespace', namespace: '', name });
  }
}

/** Gives what is not as the case wants; stops after the first step with a difference. */
export async function runCase(rig: Rig, tested: Case): Promise<readonly string[]> {
  const objects = new CaseObjects(rig);
  const before = await rig.refusals();
  try {
    for (const use of tested.use) {
      for (const object of fixtureObjects(use, tested.namespace, rig.fill.bind(rig))) await objects.put(object);
    }
    for (const [index, step] of tested.steps.entries()) {
      const differences = await runStep({ rig, objects, namespace: tested.namespace }, step);
      const where = `step ${index + 1}${step.name === undefined ? '' : ` (${step.name})`}`;
      if (differences.length > 0) return [...differences.map((difference) => `${where}: ${difference}`), ...rig.ended()];
    }
    return [...(tested.allowRejects ? [] : await newRefusals(rig, before)), ...rig.ended()];
  } finally {
    await objects.clear();
  }
}

async function newRefusals(rig: Rig, before: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const after = [...(await rig.refusals())];
  return after.flatMap(([name, count]) => (count > (before.get(name) ?? 0) ? [`Envoy refused updates: ${name} ${count}`] : []));
}

interface Context {
  readonly rig: Rig;
  readonly objects: CaseObjects;
  readonly namespace: string;
}

async function runStep(context: Context, step: Step): Promise<readonly string[]> {
  const { rig } = context;
  const differences = await change(context, step);
  if (step.restart === 'controller') await rig.startController();
  if (step.restart === 'envoy') await rig.startEnvoy();
  const requests = (step.requests ?? []).map((request) => expandRequest(rig.fill(request)));
  const looks = requests.length > 0 || step.status !== undefined;
  await sleep((step.settle ?? (looks ? settleSeconds(requests) : 0)) * 1000);
  if (step.command !== undefined) differences.push(...(await rig.run(step.command)));
  differences.push(...(await checkBackendLog(context, step)), ...(await checkQuiet(context, step)));
  differences.push(...(await checkExpectations(context, step, requests)));
  return differences;
}

function settleSeconds(requests: readonly CaseRequest[]): number {
  const absent = ({ expect: { none, fail, status } }: CaseRequest): boolean =>
    none === true || fail !== undefined || [404, 421, 403].includes(Number(status));
  return requests.some(absent) ? settle.absence : settle.presence;
}

async function change({ rig, objects, namespace }: Context, step: Step): Promise<string[]> {
  for (const object of expandObjects(rig.fill(step.apply ?? []), namespace)) await objects.put(object);
  const differences: string[] = [];
  for (const { message = '', ...object } of step.refused ?? []) {
    for (const whole of expandObjects([rig.fill(object)], namespace)) differences.push(...(await putRefused(objects, whole, message)));
  }
  for (const text of step.delete ?? []) await rig.cluster.delete(referenceOf(text, namespace));
  for (const { object, status } of step.set_status ?? []) await rig.cluster.setStatus(referenceOf(object, namespace), status);
  return differences;
}

async function putRefused(objects: CaseObjects, object: CaseObject, message: string): Promise<readonly string[]> {
  const what = `${object.kind}/${object.metadata.name}`;
  try {
    await objects.put(object);
    return [`${what}: the API server took it`];
  } catch (error) {
    if (isRefusal(error)) return error.message.includes(message) ? [] : [`${what}: no "${message}" in: ${error.message}`];
    throw error;
  }
}

async function checkBackendLog({ rig }: Context, { backend_log: wanted = {}, deadline }: Step): Promise<readonly string[]> {
  const lines = Object.entries(wanted).map(async ([name, { min = 1, where = {} }]) => {
    const count = (): number =>
      rig.calls.of(name).filter((call) => Object.entries(where).every(([key, value]) => matches(value, call[key]))).length;
    const line = (): string[] => (count() >= min ? [] : [`${name}: fewer than ${min} requests like ${JSON.stringify(where)}`]);
    return until(async () => line(), deadlineAt(deadline));
  });
  return (await Promise.all(lines)).flat();
}

async function checkQuiet({ rig, namespace }: Context, { quiet }: Step): Promise<readonly string[]> {
  if (quiet === undefined) return [];
  const versions = (): Promise<readonly unknown[]> =>
    Promise.all(quiet.objects.map(async (text) => (await rig.cluster.get(referenceOf(text, namespace)))?.metadata['resourceVersion']));
  await sleep((quiet.after ?? 1) * 1000);
  const before = await versions();
  await sleep(quiet.seconds * 1000);
  const after = await versions();
  return quiet.objects.flatMap((object, index) => (before[index] === after[index] ? [] : [`${object} was written while nothing changed`]));
}

/** Each expectation is tried until it holds or the time of the step is over. */
async function checkExpectations({ rig, namespace }: Context, step: Step, requests: readonly CaseRequest[]): Promise<readonly string[]> {
  const end = deadlineAt(step.deadline);
  const differences: string[] = [];
  for (const [index, request] of requests.entries()) {
    const label = `request ${index + 1} ${request.method} ${request.scheme}://${request.host}${request.path}`;
    const lines = await until(() => checkRequest(request, rig.tools), request.once === true ? 0 : end);
    differences.push(...lines.map((line) => `${label}: ${line}`));
  }
  for (const [text, wish] of Object.entries(step.status ?? {})) {
    const look = async (): Promise<readonly string[]> => checkStatus(text, wish, await rig.cluster.get(referenceOf(text, namespace)));
    differences.push(...(await until(look, end)));
  }
  return differences;
}

function deadlineAt(seconds = defaultDeadlineSeconds): number {
  return performance.now() + seconds * 1000;
}

async function until(look: () => Promise<readonly string[]>, end: number): Promise<readonly string[]> {
  for (;;) {
    const lines = await look();
    if (lines.length === 0 || performance.now() >= end) return lines;
    await sleep(retryMs);
  }
}
