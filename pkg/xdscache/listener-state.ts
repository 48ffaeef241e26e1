import type { Config } from '../config/config.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import { PlainListenerState } from './plain-listener.ts';
import { SecureListenerState } from './secure-listener.ts';
import { TcpListenerState } from './tcp-listener.ts';
import type { UpdateBuilder } from './update-builder.ts';

/** The resources of one listener: those for its hosts, and the listener itself, which is there while it has a host. */
export interface ListenerState {
  /** The hosts that are served, by name. */
  readonly hosts: ReadonlyMap<string, VirtualHost>;
  /** Whether this listener does anything with a host. */
  serves(host: VirtualHost): boolean;
  /** Takes a host in, in the place of its last value; `undefined`, or what is not served, takes it out. */
  set(name: string, host: VirtualHost | undefined): void;
  /** New settings of the listener itself; its protocol stays. */
  replaceListener(listener: Listener): void;
  /** Adds what changed since the last call. */
  take(update: UpdateBuilder): void;
}

/** The state of a listener without hosts. */
export function listenerState(listener: Listener, config: Config): ListenerState {
  switch (listener.protocol) {
    case 'http':
      return new PlainListenerState(listener, config);
    case 'https':
      return new SecureListenerState(listener, config);
    case 'tcp':
      return new TcpListenerState(listener, config);
  }
}
