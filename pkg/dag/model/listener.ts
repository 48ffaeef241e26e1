import type { ListenerGuards } from './guards.ts';
import type { Origin } from './origin.ts';

export type ListenerProtocol = 'http' | 'https' | 'tcp';

/** An address that Envoy listens on. Its virtual hosts are kept beside it, by name. */
export interface Listener {
  /** Envoy's name: `ingress_http`, `ingress_https`, or `http-8080`, `https-8443`, `tcp-9000` of a Gateway. */
  readonly name: string;
  readonly protocol: ListenerProtocol;
  readonly address: string;
  readonly port: number;
  /** Absent: none. */
  readonly guards?: ListenerGuards;
  readonly origin: Origin;
}
