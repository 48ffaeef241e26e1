/**
 * Several kinds and an index: a Deployment that uses a Secret is started anew when that Secret changes. The index says
 * which Deployments use a Secret, so a change costs as much as it has users, not as much as there are Deployments.
 */
import { createHash } from 'node:crypto';
import {
  type Cluster,
  type Controller,
  controllerBuilder,
  done,
  type KubeObject,
  type Logger,
  nameOf,
  specOrAnnotationsChanged,
} from '../index.ts';

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface Container {
  readonly envFrom?: readonly { readonly secretRef?: { readonly name: string } }[];
}

interface Deployment extends KubeObject {
  readonly spec: {
    readonly template: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly Container[] };
    };
  };
}

const hashAnnotation = 'example.com/secrets-hash';

/** The controller. */
export function secretUsers(cluster: Cluster, log: Logger): Controller {
  const { client, scheme } = cluster;
  const kind = scheme.kindOf({ apiVersion: 'apps/v1', kind: 'Deployment' });
  const deployments = cluster.informer<Deployment>(kind);
  const secrets = cluster.informer<Secret>(scheme.kindOf({ apiVersion: 'v1', kind: 'Secret' }), {
    // Of a Secret, a hash is all that is kept in memory.
    transform: ({ apiVersion, kind: secret, metadata, data }) => ({
      apiVersion,
      kind: secret,
      metadata,
      data: { hash: hashOf(data ?? {}) },
    }),
  });
  deployments.addIndex('secret', (deployment) => secretsOf(deployment).map((name) => `${deployment.metadata.namespace}/${name}`));

  return controllerBuilder({ name: 'secret-users', log })
    .for(deployments, specOrAnnotationsChanged)
    .watches(secrets, ({ metadata }) => deployments.byIndex('secret', `${metadata.namespace}/${metadata.name}`).map(nameOf))
    .complete(async (name, signal) => {
      const deployment = deployments.get(name.namespace, name.name);
      const used = deployment === undefined ? [] : secretsOf(deployment);
      if (deployment === undefined || used.length === 0) return done;

      const hashes = used.map((secret) => [secret, secrets.get(name.namespace, secret)?.data?.['hash'] ?? '']);
      const hash = hashOf(Object.fromEntries(hashes));
      const { template } = deployment.spec;
      if (template.metadata?.annotations?.[hashAnnotation] === hash) return done;
      const patch = { spec: { template: { metadata: { annotations: { [hashAnnotation]: hash } } } } };
      await client.patch(kind, name, patch, { type: 'strategic', signal });
      return done;
    });
}

function secretsOf({ spec }: Deployment): readonly string[] {
  const names = spec.template.spec.containers.flatMap(({ envFrom = [] }) => envFrom.flatMap(({ secretRef }) => secretRef?.name ?? []));
  return [...new Set(names)].sort();
}

function hashOf(values: Readonly<Record<string, string>>): string {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(values).sort()))
    .digest('hex')
    .slice(0, 16);
}
