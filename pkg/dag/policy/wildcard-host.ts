import { quoteRegex } from '../../util/quote-regex.ts';
import type { HeaderMatch } from '../model/route.ts';

/**
 * What a route of a wildcard host needs beside its own conditions: Envoy lets `*.example.com` match any number of labels, an
 * Ingress and an HTTPProxy one. `undefined` for other hosts. The Gateway API means any number, so its routes go without.
 */
export function oneLabelMatch(host: string): HeaderMatch | undefined {
  if (!host.startsWith('*.')) return undefined;
  return {
    name: ':authority',
    type: 'regex',
    value: `^[a-z0-9]([-a-z0-9]*[a-z0-9])?${quoteRegex(host.slice(1))}(:[0-9]+)?`,
    invert: false,
    ignoreCase: false,
    treatMissingAsEmpty: false,
  };
}
