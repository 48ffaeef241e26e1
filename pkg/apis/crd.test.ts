import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { StructuralSchema } from '../schema/structural.ts';
import { customResourceDefinition, customResources } from './crd.ts';
import { kindInfos } from './scheme.ts';

const directory = new URL('../../config/crd/', import.meta.url);

describe('the CustomResourceDefinitions', () => {
  test.each(customResources)('$kind is committed as its schema has it', (resource) => {
    const text = readFileSync(new URL(`${resource.group}_${resource.plural}.yaml`, directory), 'utf8');
    expect(parse(text)).toEqual(customResourceDefinition(resource));
  });

  test('no other file is among them', () => {
    expect(readdirSync(directory)).toHaveLength(customResources.length);
  });

  test.each(customResources)('$kind is where the scheme says', ({ kind, group, version, plural }) => {
    expect([...kindInfos.values()]).toContainEqual({ kind, group, version, plural, namespaced: true });
  });

  test.each(customResources)('every field of $kind is explained', ({ schema }) => {
    expect(unexplained(schema.openapi, '')).toEqual([]);
  });
});

/** Fields that `kubectl explain` would say nothing of. Those of a volume are explained with Pods. */
function unexplained(schema: StructuralSchema, path: string): readonly string[] {
  const here = schema.description === undefined && path !== '.metadata' ? [path] : [];
  if (path.endsWith('.extraVolumes')) return here;
  const { properties = {}, items, additionalProperties } = schema;
  return [
    ...here,
    ...Object.entries(properties).flatMap(([name, property]) => unexplained(property, `${path}.${name}`)),
    ...(items === undefined ? [] : unexplained(items, `${path}[]`)),
    ...(additionalProperties === undefined ? [] : unexplained(additionalProperties, `${path}{}`)),
  ];
}
