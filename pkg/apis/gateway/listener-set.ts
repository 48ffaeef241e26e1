import type { KubeObject } from '../meta.ts';
import type { Condition } from './common.ts';
import type { GatewayListener, ListenerStatusEntry } from './gateway.ts';

/** Listeners that join a Gateway of another owner. */
export interface ListenerSet extends KubeObject {
  readonly kind: 'ListenerSet';
  readonly spec: ListenerSetSpec;
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly listeners?: readonly ListenerStatusEntry[];
  };
}

export interface ListenerSetSpec {
  readonly parentRef: { readonly group?: string; readonly kind?: string; readonly name: string; readonly namespace?: string };
  readonly listeners: readonly GatewayListener[];
}
