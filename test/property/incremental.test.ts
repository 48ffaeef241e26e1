import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Secret } from '../../pkg/apis/core/v1/secret.ts';
import type { Config } from '../../pkg/config/config.ts';
import type { Change } from '../../pkg/kubernetes-cache/changes.ts';
import type { SecretInspector } from '../../pkg/kubernetes-cache/secret-inspector.ts';
import { Pipeline, type PipelineOptions } from '../../pkg/pipeline/pipeline.ts';
import { verifyIncremental } from '../../pkg/pipeline/verify.ts';
import { typeUrls } from '../../pkg/xdscache/resource.ts';
import { testConfig } from '../lib/config.ts';
import { batches, type Edit, firstObjects } from './world.ts';

/** Stands for the cryptography, which has no part in what is asserted here. */
const secrets: SecretInspector = {
  keyPair: ({ data }: Secret) => {
    const text = data?.['tls.crt'] ?? '';
    if (text === '' || text === 'bad') return { ok: false, error: 'missing TLS certificate' };
    return { ok: true, value: { certificate: text, privateKey: text, notBeforeMs: 0, notAfterMs: 1 } };
  },
  caBundle: ({ data }) => {
    const certificates = data?.['ca.crt'];
    return certificates === undefined ? { ok: false, error: 'empty CA bundle' } : { ok: true, value: { certificates } };
  },
  revocationList: () => ({ ok: false, error: 'empty list' }),
};

const staticConfig = testConfig({ enableExternalNameService: true });
const gatewayConfig = testConfig({ gatewayRef: { namespace: 'one', name: 'a' } });

/** A pipeline with what is needed to feed it edits. */
function start(
  config: Config,
  more: Partial<PipelineOptions> = {},
): { options: PipelineOptions; pipeline: Pipeline; apply(edits: readonly Edit[]): void } {
  const options = { config, secrets, ...more };
  const pipeline = new Pipeline(options);
  pipeline.buildAll();
  let pending: Change[] = [];
  let generation = 0;
  pipeline.cache.changes.subscribe((change) => pending.push(change));
  const apply = (edits: readonly Edit[]) => {
    for (const { object, remove } of edits) {
      const { namespace = '', name } = object.metadata;
      if (remove) pipeline.cache.remove(object.kind, namespace, name);
      else pipeline.cache.apply({ ...object, metadata: { ...object.metadata, generation: ++generation } });
    }
    const { faults } = pipeline.build(pending);
    expect(faults).toEqual([]);
    pending = [];
  };
  apply(firstObjects.map((object) => ({ object, remove: false })));
  return { options, pipeline, apply };
}

/** Of everything that is served, by type and name. */
function versions({ snapshot }: Pipeline): ReadonlyMap<string, string> {
  const all = Object.values(typeUrls).flatMap((type) => [...snapshot.all(type)].map(([name, one]) => [`${type} ${name}`, one] as const));
  return new Map(all.map(([name, resource]) => [name, resource.encoded('ads').version]));
}

const { listener } = staticConfig;
const onDemandConfig = { ...staticConfig, listener: { ...listener, tls: { ...listener.tls, certificates: 'on-demand' } } } as const;

const modes: readonly [string, Config][] = [
  ['certificates on demand', onDemandConfig],
  ['static listeners', staticConfig],
  ['a Gateway', gatewayConfig],
];

describe.each(modes)('with %s', (_, config) => {
  test('any sequence of edits gives what a build from scratch gives, byte for byte', () => {
    fc.assert(
      fc.property(batches, (sequence) => {
        const { options, pipeline, apply } = start(config);
        for (const edits of sequence) {
          apply(edits);
          expect(verifyIncremental(pipeline, options)).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('so does any sequence where roots wait for what they refer to, and the truth is told when all waits are over', () => {
    let waited = 0;
    fc.assert(
      fc.property(batches, fc.infiniteStream(fc.boolean()), (sequence, isOver) => {
        const { options, pipeline, apply } = start(config, { referenceGrace: true });
        const truth = start(config);
        for (const edits of sequence) {
          waited += pipeline.holds.size;
          pipeline.cache.graceOver([...pipeline.holds.keys()].filter(() => isOver.next().value));
          apply(edits);
          truth.apply(edits);
          expect(verifyIncremental(pipeline, options)).toEqual([]);
        }
        pipeline.cache.graceOver([...pipeline.holds.keys()]);
        apply([]);
        expect(pipeline.holds.size).toBe(0);
        expect(pipeline.dag).toEqual(truth.pipeline.dag);
        expect(versions(pipeline)).toEqual(versions(truth.pipeline));
      }),
      { numRuns: 200 },
    );
    expect(waited).toBeGreaterThan(0);
  });

  test('when all objects are gone, nothing is left', () => {
    fc.assert(
      fc.property(batches, (sequence) => {
        const { pipeline, apply } = start(config);
        const untouched = new Pipeline({ config, secrets });
        untouched.buildAll();
        for (const edits of sequence) apply(edits);
        apply([...firstObjects, ...sequence.flat().map(({ object }) => object)].map((object) => ({ object, remove: true })));
        expect(pipeline.statuses()).toEqual([]);
        expect(pipeline.dag.virtualHosts.size).toBe(0);
        for (const type of Object.values(typeUrls)) {
          expect([...pipeline.snapshot.all(type).keys()]).toEqual([...untouched.snapshot.all(type).keys()]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('the order in which objects come makes no difference', () => {
    fc.assert(
      fc.property(batches, fc.infiniteStream(fc.nat()), (sequence, random) => {
        const last = new Map(
          sequence.flat().map((edit) => [`${edit.object.kind}/${edit.object.metadata.namespace}/${edit.object.metadata.name}`, edit]),
        );
        const edits = [...last.values()].map(({ object }) => ({ object, remove: false }));
        const shuffled = edits.map((edit) => ({ edit, at: random.next().value ?? 0 })).sort((a, b) => a.at - b.at);
        const [one, other] = [start(config), start(config)];
        one.apply(edits);
        for (const { edit } of shuffled) other.apply([edit]);
        expect(other.pipeline.dag).toEqual(one.pipeline.dag);
      }),
      { numRuns: 60 },
    );
  });
});
