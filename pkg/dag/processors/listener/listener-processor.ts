import { emptyContribution } from '../../contribution.ts';
import { guardedListeners } from '../../policy/listeners.ts';
import type { Processor } from '../../processor.ts';

/**
 * Brings the static listeners. It has no kinds: its one root is `configRoot`. In Gateway mode it gives nothing,
 * for there the root of the Gateway brings the listeners.
 */
export const listenerProcessor: Processor = {
  kinds: [],
  process: (_root, reader, config) =>
    config.gatewayRef === undefined ? { ...emptyContribution, listeners: guardedListeners(reader, config) } : emptyContribution,
};
