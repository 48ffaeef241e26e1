import type { Config } from '../config/config.ts';
import type { Listener } from '../dag/model/listener.ts';
import type { VirtualHost } from '../dag/model/virtual-host.ts';
import type { UpdateBuilder } from './update-builder.ts';

/** The resources of one listener: those for its hosts, and the listener itself, which is there while it has a host. */
export abstract class ListenerState {
  protected readonly config: Config;
  protected listener: Listener;
  readonly #hosts = new Map<string, VirtualHost>();

  constructor(listener: Listener, config: Config) {
    this.listener = listener;
    this.config = config;
  }

  /** The hosts that are served, by name. */
  get hosts(): ReadonlyMap<string, VirtualHost> {
    return this.#hosts;
  }

  /** Takes a host in, in the place of its last value; `undefined`, or what is not served, takes it out. */
  set(name: string, host: VirtualHost | undefined): void {
    const after = host && this.serves(host) ? host : undefined;
    const before = this.#hosts.get(name);
    if (after === undefined) this.#hosts.delete(name);
    else this.#hosts.set(name, after);
    this.hostChanged(name, before, after);
  }

  /** Whether this listener does anything with a host. */
  abstract serves(host: VirtualHost): boolean;

  /** New settings of the listener itself; its protocol stays. */
  abstract replaceListener(listener: Listener): void;

  /** Adds what changed since the last call. */
  abstract take(update: UpdateBuilder): void;

  /** `hosts` has the new value already. */
  protected abstract hostChanged(name: string, before: VirtualHost | undefined, after: VirtualHost | undefined): void;
}
