import type { ResourceKind } from '../client/object.ts';

type Entry = readonly [kind: string, plural: string, scope?: 'cluster'];

function inGroup(group: string, version: string, ...entries: readonly Entry[]): readonly ResourceKind[] {
  return entries.map(([kind, plural, scope]) => ({ kind, group, version, plural, namespaced: scope !== 'cluster' }));
}

/** The kinds that controllers meet in every cluster, in the version that is stable. */
export const builtInKinds: readonly ResourceKind[] = [
  ...inGroup(
    '',
    'v1',
    ['ConfigMap', 'configmaps'],
    ['Endpoints', 'endpoints'],
    ['LimitRange', 'limitranges'],
    ['Namespace', 'namespaces', 'cluster'],
    ['Node', 'nodes', 'cluster'],
    ['PersistentVolume', 'persistentvolumes', 'cluster'],
    ['PersistentVolumeClaim', 'persistentvolumeclaims'],
    ['Pod', 'pods'],
    ['ReplicationController', 'replicationcontrollers'],
    ['ResourceQuota', 'resourcequotas'],
    ['Secret', 'secrets'],
    ['Service', 'services'],
    ['ServiceAccount', 'serviceaccounts'],
  ),
  ...inGroup(
    'admissionregistration.k8s.io',
    'v1',
    ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', 'cluster'],
    ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', 'cluster'],
  ),
  ...inGroup('apiextensions.k8s.io', 'v1', ['CustomResourceDefinition', 'customresourcedefinitions', 'cluster']),
  ...inGroup(
    'apps',
    'v1',
    ['DaemonSet', 'daemonsets'],
    ['Deployment', 'deployments'],
    ['ReplicaSet', 'replicasets'],
    ['StatefulSet', 'statefulsets'],
  ),
  ...inGroup('autoscaling', 'v2', ['HorizontalPodAutoscaler', 'horizontalpodautoscalers']),
  ...inGroup('batch', 'v1', ['CronJob', 'cronjobs'], ['Job', 'jobs']),
  ...inGroup('coordination.k8s.io', 'v1', ['Lease', 'leases']),
  ...inGroup('discovery.k8s.io', 'v1', ['EndpointSlice', 'endpointslices']),
  ...inGroup('events.k8s.io', 'v1', ['Event', 'events']),
  ...inGroup(
    'networking.k8s.io',
    'v1',
    ['Ingress', 'ingresses'],
    ['IngressClass', 'ingressclasses', 'cluster'],
    ['NetworkPolicy', 'networkpolicies'],
  ),
  ...inGroup('policy', 'v1', ['PodDisruptionBudget', 'poddisruptionbudgets']),
  ...inGroup(
    'rbac.authorization.k8s.io',
    'v1',
    ['ClusterRole', 'clusterroles', 'cluster'],
    ['ClusterRoleBinding', 'clusterrolebindings', 'cluster'],
    ['Role', 'roles'],
    ['RoleBinding', 'rolebindings'],
  ),
  ...inGroup('scheduling.k8s.io', 'v1', ['PriorityClass', 'priorityclasses', 'cluster']),
  ...inGroup('storage.k8s.io', 'v1', ['StorageClass', 'storageclasses', 'cluster']),
];
