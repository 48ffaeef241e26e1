import { boolean, dictionary, integer, list, object, opaque, optional, string } from '../../../schema/builder.ts';
import { quantitySchema } from './pod-parts.ts';

// Fields as `core/v1` Volume has them. They are explained there, not here: `kubectl explain pod.spec.volumes`.
const text = string('');
const anyText = optional(text);
const flag = optional(boolean(''));
const int32 = integer('', { format: 'int32' });
const anyInt32 = optional(int32);
const preset = (value: string) => optional(string('', { default: value }));
const texts = list('', text, { atomic: true });
const anyTexts = optional(texts);

const secretRef = object('', { name: preset('') }, { atomic: true });
const anySecretRef = optional(secretRef);
const items = optional(list('', object('', { key: text, mode: anyInt32, path: text }), { atomic: true }));

const labelSelector = object(
  '',
  {
    matchExpressions: optional(list('', object('', { key: text, operator: text, values: anyTexts }), { atomic: true })),
    matchLabels: optional(dictionary('', text)),
  },
  { atomic: true },
);

const downwardItems = optional(
  list(
    '',
    object('', {
      fieldRef: optional(object('', { apiVersion: anyText, fieldPath: text }, { atomic: true })),
      mode: anyInt32,
      path: text,
      resourceFieldRef: optional(
        object('', { containerName: anyText, divisor: optional(quantitySchema), resource: text }, { atomic: true }),
      ),
    }),
    { atomic: true },
  ),
);

const projectedSource = object('', {
  clusterTrustBundle: optional(
    object('', { labelSelector: optional(labelSelector), name: anyText, optional: flag, path: text, signerName: anyText }),
  ),
  configMap: optional(object('', { items, name: preset(''), optional: flag }, { atomic: true })),
  downwardAPI: optional(object('', { items: downwardItems })),
  podCertificate: optional(
    object('', {
      certificateChainPath: anyText,
      credentialBundlePath: anyText,
      keyPath: anyText,
      keyType: text,
      maxExpirationSeconds: anyInt32,
      signerName: text,
      userAnnotations: optional(dictionary('', text)),
    }),
  ),
  secret: optional(object('', { items, name: preset(''), optional: flag }, { atomic: true })),
  serviceAccountToken: optional(
    object('', { audience: anyText, expirationSeconds: optional(integer('', { format: 'int64' })), path: text }),
  ),
});

const claimSpec = object('', {
  accessModes: anyTexts,
  dataSource: optional(object('', { apiGroup: anyText, kind: text, name: text }, { atomic: true })),
  dataSourceRef: optional(object('', { apiGroup: anyText, kind: text, name: text, namespace: anyText })),
  resources: optional(object('', { limits: optional(dictionary('', quantitySchema)), requests: optional(dictionary('', quantitySchema)) })),
  selector: optional(labelSelector),
  storageClassName: anyText,
  volumeAttributesClassName: anyText,
  volumeMode: anyText,
  volumeName: anyText,
});

const networkVolumes = {
  awsElasticBlockStore: optional(object('', { fsType: anyText, partition: anyInt32, readOnly: flag, volumeID: text })),
  azureDisk: optional(
    object('', {
      cachingMode: anyText,
      diskName: text,
      diskURI: text,
      fsType: preset('ext4'),
      kind: anyText,
      readOnly: optional(boolean('', { default: false })),
    }),
  ),
  azureFile: optional(object('', { readOnly: flag, secretName: text, shareName: text })),
  cephfs: optional(
    object('', { monitors: texts, path: anyText, readOnly: flag, secretFile: anyText, secretRef: anySecretRef, user: anyText }),
  ),
  cinder: optional(object('', { fsType: anyText, readOnly: flag, secretRef: anySecretRef, volumeID: text })),
  fc: optional(object('', { fsType: anyText, lun: anyInt32, readOnly: flag, targetWWNs: anyTexts, wwids: anyTexts })),
  flexVolume: optional(
    object('', { driver: text, fsType: anyText, options: optional(dictionary('', text)), readOnly: flag, secretRef: anySecretRef }),
  ),
  flocker: optional(object('', { datasetName: anyText, datasetUUID: anyText })),
  gcePersistentDisk: optional(object('', { fsType: anyText, partition: anyInt32, pdName: text, readOnly: flag })),
  glusterfs: optional(object('', { endpoints: text, path: text, readOnly: flag })),
  iscsi: optional(
    object('', {
      chapAuthDiscovery: flag,
      chapAuthSession: flag,
      fsType: anyText,
      initiatorName: anyText,
      iqn: text,
      iscsiInterface: preset('default'),
      lun: int32,
      portals: anyTexts,
      readOnly: flag,
      secretRef: anySecretRef,
      targetPortal: text,
    }),
  ),
  nfs: optional(object('', { path: text, readOnly: flag, server: text })),
  photonPersistentDisk: optional(object('', { fsType: anyText, pdID: text })),
  portworxVolume: optional(object('', { fsType: anyText, readOnly: flag, volumeID: text })),
  quobyte: optional(object('', { group: anyText, readOnly: flag, registry: text, tenant: anyText, user: anyText, volume: text })),
  rbd: optional(
    object('', {
      fsType: anyText,
      image: text,
      keyring: preset('/etc/ceph/keyring'),
      monitors: texts,
      pool: preset('rbd'),
      readOnly: flag,
      secretRef: anySecretRef,
      user: preset('admin'),
    }),
  ),
  scaleIO: optional(
    object('', {
      fsType: preset('xfs'),
      gateway: text,
      protectionDomain: anyText,
      readOnly: flag,
      secretRef,
      sslEnabled: flag,
      storageMode: preset('ThinProvisioned'),
      storagePool: anyText,
      system: text,
      volumeName: anyText,
    }),
  ),
  storageos: optional(
    object('', { fsType: anyText, readOnly: flag, secretRef: anySecretRef, volumeName: anyText, volumeNamespace: anyText }),
  ),
  vsphereVolume: optional(object('', { fsType: anyText, storagePolicyID: anyText, storagePolicyName: anyText, volumePath: text })),
};

/** A volume as a Pod has it. */
export const volumeSchema = object('A volume as a Pod has it: `kubectl explain pod.spec.volumes` tells of its fields.', {
  ...networkVolumes,
  name: text,
  configMap: optional(object('', { defaultMode: anyInt32, items, name: preset(''), optional: flag }, { atomic: true })),
  csi: optional(
    object('', {
      driver: text,
      fsType: anyText,
      nodePublishSecretRef: anySecretRef,
      readOnly: flag,
      volumeAttributes: optional(dictionary('', text)),
    }),
  ),
  downwardAPI: optional(object('', { defaultMode: anyInt32, items: downwardItems })),
  emptyDir: optional(object('', { medium: anyText, sizeLimit: optional(quantitySchema) })),
  ephemeral: optional(
    object('', {
      volumeClaimTemplate: optional(object('', { metadata: optional(opaque<Readonly<Record<string, unknown>>>()), spec: claimSpec })),
    }),
  ),
  gitRepo: optional(object('', { directory: anyText, repository: text, revision: anyText })),
  hostPath: optional(object('', { path: text, type: anyText })),
  image: optional(object('', { pullPolicy: anyText, reference: anyText })),
  persistentVolumeClaim: optional(object('', { claimName: text, readOnly: flag })),
  projected: optional(object('', { defaultMode: anyInt32, sources: optional(list('', projectedSource, { atomic: true })) })),
  secret: optional(object('', { defaultMode: anyInt32, items, optional: flag, secretName: anyText })),
});
