/**
 * Measures a controller that configures Envoy, on a real API server and with a real Envoy, and prints a JSON line for each scenario; two
 * controllers, if there is one to compare with: then they take turns, and the last lines have the ratios of their medians.
 *
 *     test/bench/run-isolated.sh node test/bench/bench.ts [--driver FILE] [--against FILE] [--scenarios start,propagation,...]
 *         [--kind httpproxy|httproute|ingress] [--objects 1000] [--changes 50] [--routes 1000] [--rate 50] [--seconds 20] [--rounds 2]
 *
 * docs/benchmarks.md tells of the method.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { BenchCluster } from './lib/bench-cluster.ts';
import { type Driver, type RouteKind, readDriver } from './lib/driver.ts';
import { type Figures, median } from './lib/figures.ts';
import { Prober } from './lib/prober.ts';
import { defaultGateway, type Scenario, Session, type Settings } from './lib/session.ts';
import { Workload } from './lib/workload.ts';
import { churn } from './scenarios/churn.ts';
import { idle } from './scenarios/idle.ts';
import { propagation } from './scenarios/propagation.ts';
import { start } from './scenarios/start.ts';
import { storm } from './scenarios/storm.ts';

const scenarios: Readonly<Record<string, Scenario>> = { start, propagation, churn, storm, idle };
const root = new URL('../..', import.meta.url).pathname;

const { values } = parseArgs({
  options: {
    driver: { type: 'string', default: `${root}test/bench/drivers/isoline.json` },
    against: { type: 'string' },
    scenarios: { type: 'string', default: Object.keys(scenarios).join(',') },
    kind: { type: 'string', default: 'httpproxy' },
    objects: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '50' },
    routes: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '2' },
  },
});

interface Run {
  readonly cluster: BenchCluster;
  readonly prober: Prober;
  readonly settings: Settings;
  readonly wanted: readonly string[];
}

function settingsOf(): Settings {
  const kind = values.kind as RouteKind;
  if (!['httpproxy', 'httproute', 'ingress'].includes(kind)) throw new Error(`--kind: ${kind} is not httpproxy, httproute or ingress`);
  const count = (key: 'objects' | 'changes' | 'routes' | 'rate' | 'seconds'): number => {
    const value = Number(values[key]);
    if (!(value > 0)) throw new Error(`--${key}: ${values[key]} is not a number above 0`);
    return value;
  };
  const [objects, changes, routes] = [count('objects'), count('changes'), count('routes')];
  return { kind, objects, changes, routes, rate: count('rate'), seconds: count('seconds') };
}

function scenariosOf(): readonly string[] {
  const wanted = values.scenarios.split(',');
  const unknown = wanted.find((name) => scenarios[name] === undefined);
  if (unknown !== undefined) throw new Error(`--scenarios: there is no ${unknown}; there are ${Object.keys(scenarios).join(', ')}`);
  return wanted;
}

/** Runs the scenarios on one controller. */
async function measure({ cluster, prober, settings, wanted }: Run, driver: Driver): Promise<ReadonlyMap<string, Figures>> {
  await using session = new Session({ cluster, prober }, driver, settings);
  await session.start();
  await session.settled();
  const results = new Map<string, Figures>();
  for (const name of wanted) {
    const figures = await (scenarios[name] as Scenario)(session);
    results.set(name, figures);
    console.log(JSON.stringify({ scenario: name, driver: driver.name, kind: settings.kind, objects: settings.objects, ...figures }));
  }
  return results;
}

/** Alternates two controllers; ratios are those of the medians of all rounds, the first driver's over the second's. */
async function compare(run: Run, drivers: readonly [Driver, Driver]): Promise<void> {
  const rounds = new Map<Driver, ReadonlyMap<string, Figures>[]>(drivers.map((driver) => [driver, []]));
  for (let i = 0; i < Number(values.rounds); i += 1) {
    for (const driver of i % 2 === 0 ? drivers : drivers.toReversed()) rounds.get(driver)?.push(await measure(run, driver));
  }
  for (const scenario of run.wanted) {
    const medianOf = (driver: Driver, figure: string): number =>
      median((rounds.get(driver) ?? []).flatMap((round) => round.get(scenario)?.[figure] ?? []));
    const [one, other] = drivers;
    const names = Object.keys(rounds.get(one)?.[0]?.get(scenario) ?? {});
    const ratios = names.flatMap((name) => {
      const ratio = medianOf(one, name) / medianOf(other, name);
      return Number.isFinite(ratio) ? [[name, Number(ratio.toFixed(3))] as const] : [];
    });
    console.log(JSON.stringify({ scenario, ratio: `${one.name}/${other.name}`, ...Object.fromEntries(ratios) }));
  }
}

async function main(): Promise<void> {
  process.env['ISOLINE'] ??= `${root}bin/isoline`;
  const [settings, wanted, driver] = [settingsOf(), scenariosOf(), await readDriver(values.driver)];
  const other = values.against === undefined ? undefined : await readDriver(values.against);
  const backend = new Worker(new URL('./lib/backend-worker.ts', import.meta.url));
  await once(backend, 'message');
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    await backend.terminate();
  });
  const cluster = stack.use(await BenchCluster.start());
  const prober = stack.use(await Prober.start());
  await cluster.createBase(new Workload(settings.kind, driver.gateway ?? defaultGateway), settings.objects);
  const run = { cluster, prober, settings, wanted };
  if (other === undefined) await measure(run, driver);
  else await compare(run, [driver, other]);
}

await main();
