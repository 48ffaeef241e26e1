import { listOf, oneOf, refined, text, type ValueType } from './value-type.ts';

/** The TLS versions that may be asked for. */
export const tlsVersion: ValueType<'1.2' | '1.3'> = oneOf('1.2', '1.3');

/** The cipher suites that Envoy offers when none are configured, in Envoy's spelling; brackets group suites of equal preference. */
export const defaultCipherSuites: readonly string[] = [
  '[ECDHE-ECDSA-AES128-GCM-SHA256|ECDHE-ECDSA-CHACHA20-POLY1305]',
  '[ECDHE-RSA-AES128-GCM-SHA256|ECDHE-RSA-CHACHA20-POLY1305]',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
];

const knownCipherSuites: ReadonlySet<string> = new Set([
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'AES128-GCM-SHA256',
  'AES128-SHA',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
  'AES256-GCM-SHA384',
  'AES256-SHA',
]);

/** Cipher suites for TLS 1.2, without duplicates. An empty list is the default one. */
export const cipherSuites: ValueType<readonly string[]> = refined(listOf(text), (suites) => {
  for (const suite of suites) {
    const names = /^\[[^[\]]+\]$/.test(suite) ? suite.slice(1, -1).split('|') : [suite];
    const unknown = names.find((name) => !knownCipherSuites.has(name));
    if (unknown !== undefined) throw new RangeError(`${JSON.stringify(suite)} is not a cipher suite that may be used`);
  }
  return suites.length === 0 ? defaultCipherSuites : [...new Set(suites)];
});

/** Key exchange groups, in order of preference. An empty list is Envoy's default. */
export const ecdhCurves: ValueType<readonly string[]> = listOf(oneOf('X25519', 'P-256', 'P-384', 'P-521', 'X25519MLKEM768', 'MLKEM1024'));
