import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { tcpFilterChain } from '../envoy/listener/filter-chain.ts';
import { deepEqual } from '../util/deep-equal.ts';
import { encodedChain, listenerResource } from './listener-resource.ts';
import { ListenerState } from './listener-state.ts';
import { typeUrls } from './resource.ts';
import type { UpdateBuilder } from './update-builder.ts';

/** A listener that passes all bytes on to the clusters of its one host, `*`. */
export class TcpListenerState extends ListenerState {
  #stale = true;
  #published = false;

  override serves({ host, tcpProxy }: VirtualHost): boolean {
    return host === '*' && tcpProxy !== undefined;
  }

  protected override hostChanged(_name: string, before: VirtualHost | undefined, after: VirtualHost | undefined): void {
    if (!deepEqual(before?.tcpProxy, after?.tcpProxy)) this.#stale = true;
  }

  override replaceListener(listener: Listener): void {
    this.listener = listener;
    this.#stale = true;
  }

  override take(update: UpdateBuilder): void {
    if (!this.#stale) return;
    const proxy = this.hosts.get('*')?.tcpProxy;
    const { name } = this.listener;
    if (proxy !== undefined) {
      const settings = { listener: this.listener, config: this.config };
      const chain = encodedChain((source) => tcpFilterChain({ ...settings, source }, proxy));
      update.set(
        typeUrls.listener,
        listenerResource(this.listener, this.config, () => ({ all: [chain] })),
      );
    } else if (this.#published) {
      update.delete(typeUrls.listener, name);
    }
    this.#published = proxy !== undefined;
    this.#stale = false;
  }
}
