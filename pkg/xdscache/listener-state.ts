import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
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
