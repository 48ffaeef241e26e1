import {
  boolean,
  dictionary,
  integer,
  intOrString,
  list,
  object,
  optional,
  redescribed,
  type Static,
  string,
} from '../../../schema/builder.ts';

const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** An amount such as `500m` or `1Gi`. */
export const quantitySchema = intOrString('An amount such as `500m` or `1Gi`.', { pattern: quantityPattern });

export const nodeSelectorSchema = dictionary('Labels that a node must have.', string('A value.'));

const tolerationSchema = object('A taint that is no obstacle.', {
  key: optional(string('The key of the taint. Default: any, with operator `Exists`.')),
  operator: optional(string('`Equal` (the default) compares value, `Exists` does not.')),
  value: optional(string('The value of the taint.')),
  effect: optional(string('`NoSchedule`, `PreferNoSchedule` or `NoExecute`. Default: any.')),
  tolerationSeconds: optional(integer('For `NoExecute`: how long the Pod may stay. Default: for ever.', { format: 'int64' })),
});

export const tolerationsSchema = list('Taints of nodes that are no obstacle.', tolerationSchema);

const rollingUpdateSchema = object('For `RollingUpdate`.', {
  maxSurge: optional(intOrString('How many Pods there may be beyond the wanted number: a number, or a percentage.')),
  maxUnavailable: optional(intOrString('How many Pods may be missing: a number, or a percentage.')),
});

export const deploymentStrategySchema = object('How Pods are replaced.', {
  type: optional(string('`RollingUpdate` or `Recreate`.')),
  rollingUpdate: optional(rollingUpdateSchema),
});

export const daemonSetUpdateStrategySchema = object('How Pods are replaced. Default: a tenth at a time.', {
  type: optional(string('`RollingUpdate` or `OnDelete`.')),
  rollingUpdate: optional(rollingUpdateSchema),
});

const amountsSchema = dictionary('Amounts by resource, such as `cpu` and `memory`.', quantitySchema);

export const resourcesSchema = object('What a container needs and may use.', {
  requests: optional(redescribed(amountsSchema, 'What it needs, by resource such as `cpu` and `memory`.')),
  limits: optional(redescribed(amountsSchema, 'What it may use at most, by resource such as `cpu` and `memory`.')),
  claims: optional(
    list(
      'Claims of the Pod that the container uses.',
      object('A claim.', {
        name: string('The name of the claim in the Pod.'),
        request: optional(string('The request within the claim. Default: all of it.')),
      }),
      { mapKeys: ['name'] },
    ),
  ),
});

export const volumeMountSchema = object('A volume in the file system of the container.', {
  name: string('The name of the volume.'),
  mountPath: string('The path at which it appears.'),
  readOnly: optional(boolean('True: the container cannot write to it.')),
  recursiveReadOnly: optional(string('Whether mounts below it are read-only too: `Disabled`, `IfPossible` or `Enabled`.')),
  mountPropagation: optional(string('Whether mounts that are made later pass from one side to the other.')),
  subPath: optional(string('The path within the volume. Default: its root.')),
  subPathExpr: optional(string('As subPath, with `$(NAME)` for variables of the environment.')),
});

export type Resources = Static<typeof resourcesSchema>;
