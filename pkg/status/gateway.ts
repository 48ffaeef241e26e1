import type { GatewayStatusPart } from '../dag/contribution.ts';

/** The status of a Gateway: its own conditions, and its listeners' with the number of routes attached to each. */
export function gatewayStatus(part: GatewayStatusPart, attached: ReadonlyMap<string, number>): Readonly<Record<string, unknown>> {
  return {
    conditions: part.conditions,
    listeners: part.listeners.map(({ name, supportedKinds, conditions }) => ({
      name,
      supportedKinds,
      attachedRoutes: attached.get(name) ?? 0,
      conditions,
    })),
  };
}
