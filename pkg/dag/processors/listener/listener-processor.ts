import { emptyContribution } from '../../contribution.ts';
import { configOrigin, dagListeners } from '../../policy/listeners.ts';
import type { Processor } from '../../processor.ts';

/** The root that stands for the configuration: it is always there, and no object has its key. */
export const listenerRoot = configOrigin;

/**
 * Brings the static listeners. It has no kinds: the builder adds `listenerRoot` by itself. In Gateway mode it gives nothing,
 * for there the root of the Gateway brings the listeners.
 */
export const listenerProcessor: Processor = {
  kinds: [],
  process: (_root, reader, config) =>
    config.gatewayRef === undefined ? { ...emptyContribution, listeners: dagListeners(reader, config) } : emptyContribution,
};
