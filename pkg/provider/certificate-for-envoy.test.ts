import { X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { selfSigned } from '../../test/lib/certificates.ts';
import { explicitCurve, withoutSignature } from '../../test/lib/odd-certificates.ts';
import { ecCertificateFault } from './certificate-for-envoy.ts';

test.each([
  { name: 'explicit parameters', certificate: explicitCurve.certificate, want: /explicit parameters/ },
  { name: 'a key that may not sign', certificate: withoutSignature.certificate, want: /lacks digitalSignature/ },
])('$name', ({ certificate, want }) => expect(ecCertificateFault(new X509Certificate(certificate))).toMatch(want));

test('an ordinary certificate has no fault', async () => {
  const { certificate } = await selfSigned();
  expect(ecCertificateFault(new X509Certificate(certificate))).toBeUndefined();
});
