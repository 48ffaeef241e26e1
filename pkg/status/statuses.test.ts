import { describe, expect, test } from '@jest/globals';
import type { ObjectRef } from '../apis/meta.ts';
import { type Contribution, type DetailedStatusPart, emptyContribution, type RouteStatusPart } from '../dag/contribution.ts';
import type { DagChanges } from '../dag/model/dag.ts';
import type { Route } from '../dag/model/route.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { Statuses } from './statuses.ts';

const noChanges: DagChanges = { listeners: [], virtualHosts: [] };
const ref = (kind: string, name: string): ObjectRef => ({ kind, namespace: 'demo', name });

function word(name: string, errors: readonly string[], more: Partial<DetailedStatusPart> = {}): DetailedStatusPart {
  const problems = errors.map((reason) => ({ type: 'RouteError', reason, message: reason }));
  return { type: 'detailed', object: ref('HTTPProxy', name), generation: 3, errors: problems, warnings: [], ...more };
}

const orphan = word('child', [], {
  errors: [{ type: 'Orphaned', reason: 'Orphaned', message: 'nobody includes it' }],
  orphan: true,
});

function change(name: string, before: Contribution | undefined, statuses: Contribution['statuses'] | undefined) {
  const after = statuses === undefined ? undefined : { ...emptyContribution, statuses };
  return { root: `HTTPProxy/demo/${name}`, before, after };
}

describe('Statuses', () => {
  test('a valid proxy', () => {
    const {
      changed: [status],
    } = new Statuses().update([change('a', undefined, [word('a', [])])], noChanges);
    expect(status).toEqual({
      object: ref('HTTPProxy', 'a'),
      generation: 3,
      status: {
        conditions: [{ type: 'Valid', status: 'True', reason: 'Valid', message: 'Valid HTTPProxy', observedGeneration: 3 }],
        currentStatus: 'valid',
        description: 'Valid HTTPProxy',
      },
    });
  });

  test('errors of all roots on one object are joined, equal ones once', () => {
    const statuses = new Statuses();
    statuses.update([change('r1', undefined, [word('child', ['One', 'Same'])])], noChanges);
    const {
      changed: [status],
    } = statuses.update([change('r2', undefined, [word('child', ['Same', 'Two'])])], noChanges);
    expect(status?.status).toMatchObject({ conditions: [{ errors: [{ reason: 'One' }, { reason: 'Same' }, { reason: 'Two' }] }] });
  });

  test('a child is orphaned until a root speaks of it, and again when the root is gone', () => {
    const statuses = new Statuses();
    expect(statuses.update([change('child', undefined, [orphan])], noChanges).changed[0]?.status).toMatchObject({
      currentStatus: 'orphaned',
      description: 'nobody includes it',
    });
    const including = change('root', undefined, [word('child', [])]);
    expect(statuses.update([including], noChanges).changed[0]?.status).toMatchObject({ currentStatus: 'valid' });
    const gone = change('root', including.after, undefined);
    expect(statuses.update([gone], noChanges).changed[0]?.status).toMatchObject({ currentStatus: 'orphaned' });
  });

  test('a status that comes out equal is not given again', () => {
    const statuses = new Statuses();
    const first = change('a', undefined, [word('a', [])]);
    statuses.update([first], noChanges);
    expect(statuses.update([change('a', first.after, [word('a', [])])], noChanges)).toEqual({ changed: [], withdrawn: [] });
  });

  test('the last status of an object that nobody speaks of any more is given as withdrawn, once', () => {
    const statuses = new Statuses();
    const first = change('a', undefined, [word('a', [])]);
    const { changed } = statuses.update([first], noChanges);
    const gone = change('a', first.after, undefined);
    expect(statuses.update([gone], noChanges)).toEqual({ changed: [], withdrawn: changed });
    expect(statuses.update([gone], noChanges)).toEqual({ changed: [], withdrawn: [] });
    expect(statuses.wanted.size).toBe(0);
  });

  test('attached routes are counted by listener of the Gateway', () => {
    const statuses = new Statuses();
    const gateway = ref('Gateway', 'gw');
    const listeners = [{ name: 'http', supportedKinds: [], conditions: [] }];
    const told: Contribution = {
      ...emptyContribution,
      statuses: [{ type: 'gateway', object: gateway, generation: 1, conditions: [], listeners }],
    };
    const attached: Contribution = { ...emptyContribution, attachments: [{ gateway, listener: 'http' }] };
    statuses.update([{ root: 'Gateway/demo/gw', before: undefined, after: told }], noChanges);
    const {
      changed: [two],
    } = statuses.update(
      ['a', 'b'].map((name) => ({ root: `HTTPRoute/demo/${name}`, before: undefined, after: attached })),
      noChanges,
    );
    expect(two?.status).toMatchObject({ listeners: [{ name: 'http', attachedRoutes: 2 }] });
    const {
      changed: [one],
    } = statuses.update([{ root: 'HTTPRoute/demo/a', before: attached, after: undefined }], noChanges);
    expect(one?.status).toMatchObject({ listeners: [{ attachedRoutes: 1 }] });
  });
});

describe('routes that lose to an older one', () => {
  const object = ref('HTTPRoute', 'newer');
  const accepted = { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Accepted', observedGeneration: 1 } as const;
  const part: RouteStatusPart = {
    type: 'route',
    object,
    generation: 1,
    parents: [{ parentRef: { name: 'gw' }, controllerName: 'c', conditions: [accepted] }],
  };
  const route = (i: number): Route => ({
    match: { path: { type: 'exact', path: `/${i}` }, headers: [], queryParameters: [] },
    action: { type: 'direct-response', status: 200 },
    httpsRedirect: false,
    priority: 0,
    origin: { ...object, path: `spec.rules[${i}].matches[0]` },
  });

  /** The status of a route of two rules of which `count` are dropped. */
  function statusWith(count: number): unknown {
    const routes = [route(0), route(1)];
    const origin = { ...object, path: '' };
    const host: VirtualHost = {
      listener: 'http-8080',
      host: '*',
      routes,
      origins: [],
      dropped: routes.slice(0, count).map((dropped) => ({ route: dropped, winner: { ...origin, name: 'older' } })),
    };
    const contribution: Contribution = {
      ...emptyContribution,
      statuses: [part],
      virtualHosts: [{ listener: 'http-8080', host: '*', source: 'GatewayAPI', createdAt: '', routes, origin }],
    };
    const changes: DagChanges = { listeners: [], virtualHosts: [{ listener: 'http-8080', host: '*', before: undefined, after: host }] };
    return new Statuses().update([{ root: 'HTTPRoute/demo/newer', before: undefined, after: contribution }], changes).changed[0]?.status;
  }

  test('a part lost: still accepted, and partially invalid', () => {
    expect(statusWith(1)).toMatchObject({
      parents: [
        {
          conditions: [
            { type: 'Accepted', status: 'True' },
            { type: 'PartiallyInvalid', status: 'True', reason: 'RuleMatchPartiallyConflict' },
          ],
        },
      ],
    });
  });

  test('all lost: not accepted', () => {
    expect(statusWith(2)).toMatchObject({
      parents: [{ conditions: [{ type: 'Accepted', status: 'False', reason: 'RuleMatchConflict' }] }],
    });
  });

  test('a share of more, where the route comes to serve on a further listener', () => {
    const origin = { ...object, path: '' };
    const at = (listener: string) => ({ listener, host: '*', source: 'GatewayAPI', createdAt: '', routes: [route(0)], origin }) as const;
    const one: Contribution = { ...emptyContribution, statuses: [part], virtualHosts: [at('http-80')] };
    const two: Contribution = { ...one, virtualHosts: [at('http-80'), at('http-81')] };
    const dropped = [{ route: route(0), winner: { ...origin, name: 'older' } }];
    const after: VirtualHost = { listener: 'http-80', host: '*', routes: [], origins: [], dropped };
    const changes: DagChanges = { listeners: [], virtualHosts: [{ listener: 'http-80', host: '*', before: undefined, after }] };
    const statuses = new Statuses();
    statuses.update([{ root: 'HTTPRoute/demo/newer', before: undefined, after: one }], changes);
    const { changed } = statuses.update([{ root: 'HTTPRoute/demo/newer', before: one, after: two }], noChanges);
    expect(changed[0]?.status).toMatchObject({
      parents: [{ conditions: [{ type: 'Accepted', status: 'True' }, { type: 'PartiallyInvalid' }] }],
    });
  });

  test('nothing lost: nothing said', () => {
    expect(statusWith(0)).toEqual({ parents: part.parents });
  });
});
