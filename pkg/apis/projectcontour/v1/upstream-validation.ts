import { list, type ObjectOf, object, optional, type Static, string } from '../../../schema/builder.ts';

const shape = {
  caSecret: string(
    'The Secret with the CA certificates, under the key `ca.crt`: a name, or `namespace/name` where that namespace delegates it.',
    {
      minLength: 1,
      maxLength: 317,
    },
  ),
  subjectName: string('The name that the certificate must have among its subject alternative names. It is sent as SNI too.', {
    minLength: 1,
    maxLength: 250,
  }),
  subjectNames: optional(
    list('Names of which the certificate must have one. The first must be subjectName.', string('A subject alternative name.'), {
      minItems: 1,
      maxItems: 8,
    }),
  ),
};

/** How the certificate of a backend is checked. */
export const upstreamValidationSchema = object('How the certificate of the other side is checked.', shape, {
  rules: [
    {
      cel: 'has(self.subjectNames) ? self.subjectNames[0] == self.subjectName : true',
      check: ({ subjectName, subjectNames }: ObjectOf<typeof shape>) => subjectNames === undefined || subjectNames[0] === subjectName,
      message: 'subjectNames[0] must equal subjectName if set',
    },
  ],
});

export type UpstreamValidation = Static<typeof upstreamValidationSchema>;
