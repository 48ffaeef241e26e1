import { integer, list, object, oneOf, optional, type Static, string } from '../../../schema/builder.ts';
import { conditionReasonPattern, conditionTypePattern } from './patterns.ts';

const subConditionSchema = object('One fault or one hint.', {
  type: string('The group of the fault, such as `TLSError` or `ServiceError`. A program may rely on it.', {
    maxLength: 316,
    pattern: conditionTypePattern,
  }),
  status: oneOf('`True` while the fault is there.', ['True', 'False', 'Unknown']),
  reason: string('The kind of fault within its group, such as `SecretNotValid`. A program may rely on it.', {
    minLength: 1,
    maxLength: 1024,
    pattern: conditionReasonPattern,
  }),
  message: string('What is wrong and where, for people. The wording may change.', { maxLength: 32768 }),
});

/** A condition that lists every fault by itself, so that one condition can report many. */
export const detailedConditionSchema = object(
  'What the controller last found out about the object. `Valid` is the one that says whether it is served.',
  {
    type: string('Names the condition. The controller writes `Valid`.', { maxLength: 316, pattern: conditionTypePattern }),
    status: oneOf('Whether the condition holds: for `Valid`, whether the object has no errors.', ['True', 'False', 'Unknown']),
    observedGeneration: optional(
      integer(
        'The `metadata.generation` that was looked at. If it is older than the present one, the condition tells of an earlier version.',
        {
          format: 'int64',
          minimum: 0,
        },
      ),
    ),
    lastTransitionTime: string('When the status last changed from one value to another.', { format: 'date-time' }),
    reason: string('The reason for the status in one word, such as `Valid` or `ErrorPresent`.', {
      minLength: 1,
      maxLength: 1024,
      pattern: conditionReasonPattern,
    }),
    message: string('The reason for the status, for people.', { maxLength: 32768 }),
    errors: optional(
      list('The faults that keep some or all of the object from being served. Empty or absent where there are none.', subConditionSchema),
    ),
    warnings: optional(list('What is served, but may not do what its author meant.', subConditionSchema)),
  },
);

export type SubCondition = Static<typeof subConditionSchema>;
export type DetailedCondition = Static<typeof detailedConditionSchema>;

/** `status.conditions` of every kind that reports in this way. */
export const detailedConditionsSchema = list(
  'What the controller found out, one entry for each type of condition.',
  detailedConditionSchema,
  {
    mapKeys: ['type'],
  },
);
