import { boolean, object, optional, type Static, string } from '../../../schema/builder.ts';

export const headerMatchConditionSchema = object(
  'A test of one request header. Of the operators, set one; of several only the first counts, in the order present, notpresent, contains, notcontains, exact, notexact, regex.',
  {
    name: string('The name of the header. Case does not matter.', { minLength: 1 }),
    present: optional(boolean('True: the request must have the header, whatever its value.')),
    notpresent: optional(boolean('True: the request must not have the header.')),
    contains: optional(string('Text that must occur in the value.')),
    notcontains: optional(
      string('Text that must not occur in the value. A request without the header does not match, unless treatMissingAsEmpty is set.'),
    ),
    exact: optional(string('The value must be this.')),
    notexact: optional(
      string('The value must not be this. A request without the header does not match, unless treatMissingAsEmpty is set.'),
    ),
    regex: optional(string('A regular expression (RE2) that the whole value must match.')),
    ignoreCase: optional(boolean('Compare without regard to case. Counts for contains, notcontains, exact and notexact. Default: false.')),
    treatMissingAsEmpty: optional(
      boolean('Take a missing header for an empty one, so that notcontains and notexact match it. Default: false.'),
    ),
  },
);

const queryParameterMatchConditionSchema = object('A test of one query parameter. Exactly one operator must be set.', {
  name: string('The name of the parameter. Case matters.'),
  exact: optional(string('The value must be this.')),
  prefix: optional(string('The value must begin with this.')),
  suffix: optional(string('The value must end with this.')),
  regex: optional(string('A regular expression (RE2) that the whole value must match.')),
  contains: optional(string('Text that must occur in the value.')),
  present: optional(boolean('True: the request must have the parameter, whatever its value.')),
  ignoreCase: optional(boolean('Compare without regard to case. Counts for exact, prefix, suffix and contains. Default: false.')),
});

export const matchConditionSchema = object(
  'One test of a request. Set one field; a list of conditions holds where all of its members hold.',
  {
    prefix: optional(string('What the path must begin with. It must start with `/`. Prefixes of includes and routes are joined.')),
    exact: optional(string('What the path must be, query left aside. It must start with `/`. Not allowed on an include.')),
    regex: optional(
      string('A regular expression (RE2) that the whole path must match. It must start with `/`. Not allowed on an include.'),
    ),
    header: optional(headerMatchConditionSchema),
    queryParameter: optional(queryParameterMatchConditionSchema),
  },
);

export type HeaderMatchCondition = Static<typeof headerMatchConditionSchema>;
export type QueryParameterMatchCondition = Static<typeof queryParameterMatchConditionSchema>;
export type MatchCondition = Static<typeof matchConditionSchema>;
