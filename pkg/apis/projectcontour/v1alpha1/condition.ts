import { integer, list, object, oneOf, optional, string } from '../../../schema/builder.ts';
import { conditionReasonPattern, conditionTypePattern } from '../v1/patterns.ts';

const conditionSchema = object('One thing that holds or does not.', {
  type: string('Names the condition.', {
    maxLength: 316,
    pattern: conditionTypePattern,
  }),
  status: oneOf('Whether the condition holds.', ['True', 'False', 'Unknown']),
  observedGeneration: optional(integer('The `metadata.generation` that was looked at.', { format: 'int64', minimum: 0 })),
  lastTransitionTime: string('When the status last changed from one value to another.', { format: 'date-time' }),
  reason: string('The reason for the status in one word.', {
    minLength: 1,
    maxLength: 1024,
    pattern: conditionReasonPattern,
  }),
  message: string('The reason for the status, for people.', { maxLength: 32768 }),
});

/** `status.conditions` in the form that Kubernetes itself has. */
export const conditionsSchema = list('What holds at present, one entry for each type of condition.', conditionSchema, {
  mapKeys: ['type'],
});
