import { describe, expect, test } from '@jest/globals';
import type { SecretNode } from '../../pkg/dag/model/cluster.ts';
import type { VirtualHost } from '../../pkg/dag/model/virtual-host.ts';
import { selfSigned } from '../lib/certificates.ts';
import { listener, route, secretNode, secureHost, virtualHost } from '../lib/dag.ts';
import { get } from '../lib/http-client.ts';
import { ServedDag } from '../lib/served-dag.ts';

/** Few labels, so that random hosts cover one another. */
const labels = ['a', 'b', 'c1', 'd-e'];
const domains = ['x.test', 'y.test', 'test'];
const rounds = 6;
const requestsPerRound = 60;

interface Asked {
  readonly host: string;
  readonly path: string;
  readonly sni: string;
}

/** Draws one of several values. */
type Pick = <T>(values: readonly T[]) => T;

/** The same values for the same seed: Mulberry32. */
function picker(seed: number): Pick {
  let state = seed;
  return (values) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return values[((mixed ^ (mixed >>> 14)) >>> 0) % values.length]!;
  };
}

function drawnName(pick: Pick): string {
  const depth = pick([0, 1, 1, 2]);
  return [...Array.from({ length: depth }, () => pick(labels)), pick(domains)].join('.');
}

function drawnHosts(pick: Pick): readonly string[] {
  const count = pick([1, 3, 8, 14]);
  const names = Array.from({ length: count }, () => (pick([0, 0, 1]) === 1 ? `*.${drawnName(pick)}` : drawnName(pick)));
  return [...new Set(pick([0, 0, 1]) === 1 ? [...names, '*'] : names)];
}

/** One table: the exact host, else the wildcard with the longest suffix, else `*`. Ports and case do not matter; a dot at the end does. */
function modelHost(hosts: readonly string[], asked: string): string | undefined {
  const name = asked.toLowerCase().replace(/:\d+$/, '');
  if (hosts.includes(name)) return name;
  const wildcards = hosts.filter((host) => host.startsWith('*.') && name.length >= host.length && name.endsWith(host.slice(1)));
  return wildcards.sort((a, b) => b.length - a.length)[0] ?? hosts.find((host) => host === '*');
}

function spelled(name: string, pick: Pick): string {
  const cased = pick([0, 0, 1]) === 1 ? [...name].map((letter) => (pick([0, 1]) === 1 ? letter.toUpperCase() : letter)).join('') : name;
  return `${cased}${pick(['', '', '', '.'])}${pick(['', '', ':80', ':8443'])}`;
}

/** Answers with the name of the host, on one path alone. */
function answering(host: string): Partial<VirtualHost> {
  return { routes: [route('/only', { action: { type: 'direct-response', status: 200, body: host } })] };
}

async function certificate(name: string, dnsName: string): Promise<SecretNode> {
  return secretNode(name, { ...(await selfSigned({ dnsNames: [dnsName] })), dnsNames: [dnsName], keyType: 'ec' });
}

async function outcome(asked: Promise<{ readonly status: number; readonly body: string }>): Promise<string> {
  const { status, body } = await asked.catch(() => ({ status: 0, body: '' }));
  return status === 200 ? body : String(status);
}

describe.each(Array.from({ length: rounds }, (_, seed) => seed + 1))('seed %d', (seed) => {
  const pick = picker(seed);
  const hosts = drawnHosts(pick);
  const strip = pick([false, true]);

  const modelPlain = ({ host, path }: Asked): string => {
    const found = modelHost(hosts, strip ? host.replace(/\.(?=$|:)/, '') : host);
    return found !== undefined && path === '/only' ? found : '404';
  };
  const modelSecure = ({ host, path, sni }: Asked): string => {
    if (modelHost(hosts, sni) === undefined) return '0';
    const name = host.toLowerCase().replace(/:\d+$/, '');
    if ((strip ? name.replace(/\.$/, '') : name) !== sni.toLowerCase()) return '421';
    return path === '/only' ? modelHost(hosts, sni)! : '404';
  };

  test(`hosts ${hosts.join(' ')} are found as in one table`, async () => {
    await using served = await ServedDag.start(({ listener: settings }) => ({ listener: { ...settings, stripTrailingHostDot: strip } }));
    const nodes = await Promise.all(hosts.map((host, index) => certificate(`s${index}`, pick([host, host, 'other.test', '*.x.test']))));
    const secure = hosts.map((host, index) => {
      const secrets = [nodes[index]!];
      const bound = pick(['1.2', '1.2', '1.2', '1.3'] as const);
      return secureHost('ingress_https', host, {
        ...answering(host),
        tls: { type: 'terminate', secrets, minVersion: bound, maxVersion: '1.3' },
      });
    });
    const listeners = [listener('ingress_http', { port: served.ports.http }), listener('ingress_https', { port: served.ports.https })];
    served.change({ listeners, hosts: [...hosts.map((host) => virtualHost('ingress_http', host, answering(host))), ...secure] });
    await served.startEnvoy();

    const drawn = Array.from({ length: requestsPerRound }, (): Asked => {
      const name = pick([0, 1, 1]) === 1 ? pick(hosts).replace('*', pick(labels)) : drawnName(pick);
      const sni = spelled(pick([0, 1, 1, 1]) === 1 ? name : drawnName(pick), pick).replace(/\.?(:\d+)?$/, '');
      return { host: spelled(name, pick), path: pick(['/only', '/only', '/else']), sni };
    });
    for (const asked of drawn) {
      const { host, path, sni } = asked;
      const plain = await outcome(get({ port: served.ports.http, host, path }));
      const tls = await outcome(get({ port: served.ports.https, host, path, sni }));
      expect({ ...asked, plain, tls }).toEqual({ ...asked, plain: modelPlain(asked), tls: modelSecure(asked) });
    }
    expect(served.refused()).toEqual([]);
  }, 60_000);
});
