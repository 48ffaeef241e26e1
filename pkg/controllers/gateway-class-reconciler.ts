import type { GatewayClass } from '../apis/gateway/gateway-class.ts';
import type { Client } from '../controller-runtime/client/client.ts';
import type { ResourceKind } from '../controller-runtime/client/object.ts';
import type { Clock } from '../controller-runtime/clock/clock.ts';
import { done, type Reconciler } from '../controller-runtime/reconcile/reconcile.ts';
import { statusPatch } from './status-merge.ts';

export interface GatewayClassDeps {
  readonly client: Pick<Client, 'patchStatus'>;
  readonly resource: ResourceKind;
  /** The newest version of a GatewayClass that we know. */
  readonly live: (name: string) => GatewayClass | undefined;
  /** The `spec.controllerName` that is ours. */
  readonly controllerName: string;
  readonly clock: Clock;
}

/**
 * Keeps the Accepted condition of the GatewayClasses that name our controller.
 * Level-based: it reads the present state and never asks which event woke it.
 * Only the leader runs it; API errors are thrown and retried with back-off.
 */
export function gatewayClassReconciler({ client, resource, live, controllerName, clock }: GatewayClassDeps): Reconciler {
  return async ({ namespace, name }, signal) => {
    const found = live(name);
    if (found === undefined || found.spec.controllerName !== controllerName) return done;

    const patch = statusPatch(found, gatewayClassStatus(found), { controllerName, now: clock.date() });
    if (patch !== undefined) await client.patchStatus(resource, { namespace, name }, patch, { signal });
    return done;
  };
}

/** The status of a GatewayClass that is ours. @see Gateway API GatewayClassConditionStatusAccepted */
export function gatewayClassStatus({ metadata }: GatewayClass): Readonly<Record<string, unknown>> {
  const accepted = {
    type: 'Accepted',
    status: 'True',
    reason: 'Accepted',
    message: 'Valid GatewayClass',
    observedGeneration: metadata.generation ?? 0,
  };
  return { conditions: [accepted] };
}
