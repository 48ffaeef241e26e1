import { describe, expect, test } from '@jest/globals';
import { routes, update } from '../../test/lib/xds-fixtures.ts';
import { type Resource, typeUrls } from '../xdscache/resource.ts';
import { Snapshot } from '../xdscache/snapshot.ts';
import { Live } from './live.ts';
import { StreamState } from './ordering.ts';

/** A proxy that has asked for all routes, and answers when it is told to. */
class Client {
  readonly source = 'ads';
  readonly node: { readonly id: string };
  readonly state: StreamState;
  #nonce = '';

  constructor(id: string, snapshot: Snapshot) {
    this.node = { id };
    this.state = new StreamState({ source: 'ads', view: snapshot });
    snapshot.subscribe((changes) => this.state.update(changes));
    this.#request();
  }

  get types() {
    return this.state.types;
  }

  /** Takes what is due and accepts it, or refuses it. */
  answer(live: Live, nowMs: number, refusal?: string): void {
    this.#nonce = this.state.next(nowMs)?.nonce ?? '';
    this.#request(refusal);
    live.answered(this, nowMs);
  }

  #request(refusal?: string): void {
    const error = refusal === undefined ? {} : { error: { code: 13, message: refusal } };
    this.state.request(typeUrls.route, {
      protocol: 'delta',
      request: { subscribe: this.#nonce === '' ? ['*'] : [], unsubscribe: [], initialVersions: new Map(), nonce: this.#nonce, ...error },
    });
  }
}

function setUp(...names: readonly string[]) {
  const snapshot = new Snapshot();
  const took: number[] = [];
  const clients = names.map((name) => new Client(name, snapshot));
  const live = new Live({ snapshot, streams: () => clients, onLive: (ms) => took.push(ms) });
  const change = (nowMs: number, ...given: readonly Resource[]): void => {
    const changes = update({ route: given });
    snapshot.apply(changes);
    live.changed(changes, nowMs);
  };
  return { live, took, clients, change };
}

const origin = { kind: 'HTTPProxy', namespace: 'ns', name: 'shop' };
const shop = (body: string): Resource => ({ ...routes('table', body), origins: [{ ...origin, path: '' }] });

describe('who has what', () => {
  test('an update is live when the last proxy has accepted it', () => {
    const { live, took, clients, change } = setUp('a', 'b');
    change(100, shop('one'));
    expect([live.inFlight, live.report(origin)]).toMatchObject([1, { live: 0, of: 2, resources: 1 }]);
    clients[0]!.answer(live, 130);
    expect([took, live.report(origin)]).toMatchObject([
      [],
      {
        live: 1,
        of: 2,
        nodes: [
          { node: 'a', live: true },
          { node: 'b', live: false },
        ],
      },
    ]);
    clients[1]!.answer(live, 150);
    expect([took, live.inFlight, live.report(origin)]).toMatchObject([[50], 0, { live: 2, of: 2 }]);
  });

  test('what is on its way is as old as its oldest change, and a newer version takes it along', () => {
    const { live, took, clients, change } = setUp('a');
    change(100, shop('one'));
    change(110, shop('two'));
    clients[0]!.answer(live, 150);
    expect(took).toEqual([50, 40]);
  });

  test('a refusal is not live, and its words are told', () => {
    const { live, took, clients, change } = setUp('a');
    change(100, shop('one'));
    clients[0]!.answer(live, 150, 'no');
    expect([took, live.report(origin).nodes]).toMatchObject([[], [{ live: false, waitsFor: [{ name: 'table', refused: 'no' }] }]]);
  });

  test('a proxy that leaves is not waited for', () => {
    const { live, took, clients, change } = setUp('a', 'b');
    change(100, shop('one'));
    clients[0]!.answer(live, 130);
    live.answered(clients[1]!, 170, true);
    expect(took).toEqual([70]);
  });

  test('nothing is kept where no proxy wants what changes, or none is there', () => {
    const { live, change } = setUp();
    change(100, shop('one'));
    expect([live.inFlight, live.everywhere([{ type: typeUrls.route, name: 'table' }])]).toEqual([0, true]);
  });
});
