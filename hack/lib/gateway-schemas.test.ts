import { expect, test } from '@jest/globals';
import { gatewaySchemas } from '../../pkg/apis/gateway/schemas.gen.ts';
import { gatewayApiCrdDir } from './binaries.ts';
import { readGatewaySchemas } from './gateway-schemas.ts';

test('the committed schemas are those of the upstream CRDs', () => {
  const committed = Object.fromEntries(Object.entries(gatewaySchemas).map(([kind, text]) => [kind, JSON.parse(text)]));
  expect(committed).toEqual(Object.fromEntries(readGatewaySchemas(gatewayApiCrdDir('standard'))));
});
