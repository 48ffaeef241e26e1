import type { KubeObject } from '../../meta.ts';
import type { ContourConfigurationSpec } from './contour-configuration.ts';
import type { DetailedCondition } from '../v1/httpproxy.ts';

export interface ContourDeployment extends KubeObject {
  readonly kind: 'ContourDeployment';
  readonly spec?: ContourDeploymentSpec;
  readonly status?: ContourDeploymentStatus;
}

export interface ContourDeploymentSpec {
  readonly runtimeSettings?: ContourConfigurationSpec;
  readonly contour?: {
    readonly deployment?: {
      readonly replicas?: number;
      readonly strategy?: {
        readonly rollingUpdate?: {
          readonly maxSurge?: number | string;
          readonly maxUnavailable?: number | string;
        };
        readonly type?: string;
      };
    };
    readonly disabledFeatures?: readonly ('grpcroutes' | 'tlsroutes' | 'extensionservices' | 'backendtlspolicies')[];
    readonly kubernetesLogLevel?: number;
    readonly logLevel?: string;
    readonly nodePlacement?: {
      readonly nodeSelector?: Readonly<Record<string, string>>;
      readonly tolerations?: readonly {
        readonly effect?: string;
        readonly key?: string;
        readonly operator?: string;
        readonly tolerationSeconds?: number;
        readonly value?: string;
      }[];
    };
    readonly podAnnotations?: Readonly<Record<string, string>>;
    readonly replicas?: number;
    readonly resources?: {
      readonly claims?: readonly {
        readonly name: string;
        readonly request?: string;
      }[];
      readonly limits?: Readonly<Record<string, number | string>>;
      readonly requests?: Readonly<Record<string, number | string>>;
    };
    readonly watchNamespaces?: readonly string[];
  };
  readonly envoy?: {
    readonly baseID?: number;
    readonly daemonSet?: {
      readonly updateStrategy?: {
        readonly rollingUpdate?: {
          readonly maxSurge?: number | string;
          readonly maxUnavailable?: number | string;
        };
        readonly type?: string;
      };
    };
    readonly deployment?: {
      readonly replicas?: number;
      readonly strategy?: {
        readonly rollingUpdate?: {
          readonly maxSurge?: number | string;
          readonly maxUnavailable?: number | string;
        };
        readonly type?: string;
      };
    };
    readonly extraVolumeMounts?: readonly {
      readonly mountPath: string;
      readonly mountPropagation?: string;
      readonly name: string;
      readonly readOnly?: boolean;
      readonly recursiveReadOnly?: string;
      readonly subPath?: string;
      readonly subPathExpr?: string;
    }[];
    readonly extraVolumes?: readonly {
      readonly awsElasticBlockStore?: {
        readonly fsType?: string;
        readonly partition?: number;
        readonly readOnly?: boolean;
        readonly volumeID: string;
      };
      readonly azureDisk?: {
        readonly cachingMode?: string;
        readonly diskName: string;
        readonly diskURI: string;
        readonly fsType?: string;
        readonly kind?: string;
        readonly readOnly?: boolean;
      };
      readonly azureFile?: {
        readonly readOnly?: boolean;
        readonly secretName: string;
        readonly shareName: string;
      };
      readonly cephfs?: {
        readonly monitors: readonly string[];
        readonly path?: string;
        readonly readOnly?: boolean;
        readonly secretFile?: string;
        readonly secretRef?: {
          readonly name?: string;
        };
        readonly user?: string;
      };
      readonly cinder?: {
        readonly fsType?: string;
        readonly readOnly?: boolean;
        readonly secretRef?: {
          readonly name?: string;
        };
        readonly volumeID: string;
      };
      readonly configMap?: {
        readonly defaultMode?: number;
        readonly items?: readonly {
          readonly key: string;
          readonly mode?: number;
          readonly path: string;
        }[];
        readonly name?: string;
        readonly optional?: boolean;
      };
      readonly csi?: {
        readonly driver: string;
        readonly fsType?: string;
        readonly nodePublishSecretRef?: {
          readonly name?: string;
        };
        readonly readOnly?: boolean;
        readonly volumeAttributes?: Readonly<Record<string, string>>;
      };
      readonly downwardAPI?: {
        readonly defaultMode?: number;
        readonly items?: readonly {
          readonly fieldRef?: {
            readonly apiVersion?: string;
            readonly fieldPath: string;
          };
          readonly mode?: number;
          readonly path: string;
          readonly resourceFieldRef?: {
            readonly containerName?: string;
            readonly divisor?: number | string;
            readonly resource: string;
          };
        }[];
      };
      readonly emptyDir?: {
        readonly medium?: string;
        readonly sizeLimit?: number | string;
      };
      readonly ephemeral?: {
        readonly volumeClaimTemplate?: {
          readonly metadata?: Readonly<Record<string, never>>;
          readonly spec: {
            readonly accessModes?: readonly string[];
            readonly dataSource?: {
              readonly apiGroup?: string;
              readonly kind: string;
              readonly name: string;
            };
            readonly dataSourceRef?: {
              readonly apiGroup?: string;
              readonly kind: string;
              readonly name: string;
              readonly namespace?: string;
            };
            readonly resources?: {
              readonly limits?: Readonly<Record<string, number | string>>;
              readonly requests?: Readonly<Record<string, number | string>>;
            };
            readonly selector?: {
              readonly matchExpressions?: readonly {
                readonly key: string;
                readonly operator: string;
                readonly values?: readonly string[];
              }[];
              readonly matchLabels?: Readonly<Record<string, string>>;
            };
            readonly storageClassName?: string;
            readonly volumeAttributesClassName?: string;
            readonly volumeMode?: string;
            readonly volumeName?: string;
          };
        };
      };
      readonly fc?: {
        readonly fsType?: string;
        readonly lun?: number;
        readonly readOnly?: boolean;
        readonly targetWWNs?: readonly string[];
        readonly wwids?: readonly string[];
      };
      readonly flexVolume?: {
        readonly driver: string;
        readonly fsType?: string;
        readonly options?: Readonly<Record<string, string>>;
        readonly readOnly?: boolean;
        readonly secretRef?: {
          readonly name?: string;
        };
      };
      readonly flocker?: {
        readonly datasetName?: string;
        readonly datasetUUID?: string;
      };
      readonly gcePersistentDisk?: {
        readonly fsType?: string;
        readonly partition?: number;
        readonly pdName: string;
        readonly readOnly?: boolean;
      };
      readonly gitRepo?: {
        readonly directory?: string;
        readonly repository: string;
        readonly revision?: string;
      };
      readonly glusterfs?: {
        readonly endpoints: string;
        readonly path: string;
        readonly readOnly?: boolean;
      };
      readonly hostPath?: {
        readonly path: string;
        readonly type?: string;
      };
      readonly image?: {
        readonly pullPolicy?: string;
        readonly reference?: string;
      };
      readonly iscsi?: {
        readonly chapAuthDiscovery?: boolean;
        readonly chapAuthSession?: boolean;
        readonly fsType?: string;
        readonly initiatorName?: string;
        readonly iqn: string;
        readonly iscsiInterface?: string;
        readonly lun: number;
        readonly portals?: readonly string[];
        readonly readOnly?: boolean;
        readonly secretRef?: {
          readonly name?: string;
        };
        readonly targetPortal: string;
      };
      readonly name: string;
      readonly nfs?: {
        readonly path: string;
        readonly readOnly?: boolean;
        readonly server: string;
      };
      readonly persistentVolumeClaim?: {
        readonly claimName: string;
        readonly readOnly?: boolean;
      };
      readonly photonPersistentDisk?: {
        readonly fsType?: string;
        readonly pdID: string;
      };
      readonly portworxVolume?: {
        readonly fsType?: string;
        readonly readOnly?: boolean;
        readonly volumeID: string;
      };
      readonly projected?: {
        readonly defaultMode?: number;
        readonly sources?: readonly {
          readonly clusterTrustBundle?: {
            readonly labelSelector?: {
              readonly matchExpressions?: readonly {
                readonly key: string;
                readonly operator: string;
                readonly values?: readonly string[];
              }[];
              readonly matchLabels?: Readonly<Record<string, string>>;
            };
            readonly name?: string;
            readonly optional?: boolean;
            readonly path: string;
            readonly signerName?: string;
          };
          readonly configMap?: {
            readonly items?: readonly {
              readonly key: string;
              readonly mode?: number;
              readonly path: string;
            }[];
            readonly name?: string;
            readonly optional?: boolean;
          };
          readonly downwardAPI?: {
            readonly items?: readonly {
              readonly fieldRef?: {
                readonly apiVersion?: string;
                readonly fieldPath: string;
              };
              readonly mode?: number;
              readonly path: string;
              readonly resourceFieldRef?: {
                readonly containerName?: string;
                readonly divisor?: number | string;
                readonly resource: string;
              };
            }[];
          };
          readonly podCertificate?: {
            readonly certificateChainPath?: string;
            readonly credentialBundlePath?: string;
            readonly keyPath?: string;
            readonly keyType: string;
            readonly maxExpirationSeconds?: number;
            readonly signerName: string;
            readonly userAnnotations?: Readonly<Record<string, string>>;
          };
          readonly secret?: {
            readonly items?: readonly {
              readonly key: string;
              readonly mode?: number;
              readonly path: string;
            }[];
            readonly name?: string;
            readonly optional?: boolean;
          };
          readonly serviceAccountToken?: {
            readonly audience?: string;
            readonly expirationSeconds?: number;
            readonly path: string;
          };
        }[];
      };
      readonly quobyte?: {
        readonly group?: string;
        readonly readOnly?: boolean;
        readonly registry: string;
        readonly tenant?: string;
        readonly user?: string;
        readonly volume: string;
      };
      readonly rbd?: {
        readonly fsType?: string;
        readonly image: string;
        readonly keyring?: string;
        readonly monitors: readonly string[];
        readonly pool?: string;
        readonly readOnly?: boolean;
        readonly secretRef?: {
          readonly name?: string;
        };
        readonly user?: string;
      };
      readonly scaleIO?: {
        readonly fsType?: string;
        readonly gateway: string;
        readonly protectionDomain?: string;
        readonly readOnly?: boolean;
        readonly secretRef: {
          readonly name?: string;
        };
        readonly sslEnabled?: boolean;
        readonly storageMode?: string;
        readonly storagePool?: string;
        readonly system: string;
        readonly volumeName?: string;
      };
      readonly secret?: {
        readonly defaultMode?: number;
        readonly items?: readonly {
          readonly key: string;
          readonly mode?: number;
          readonly path: string;
        }[];
        readonly optional?: boolean;
        readonly secretName?: string;
      };
      readonly storageos?: {
        readonly fsType?: string;
        readonly readOnly?: boolean;
        readonly secretRef?: {
          readonly name?: string;
        };
        readonly volumeName?: string;
        readonly volumeNamespace?: string;
      };
      readonly vsphereVolume?: {
        readonly fsType?: string;
        readonly storagePolicyID?: string;
        readonly storagePolicyName?: string;
        readonly volumePath: string;
      };
    }[];
    readonly logLevel?: string;
    readonly networkPublishing?: {
      readonly externalTrafficPolicy?: string;
      readonly ipFamilyPolicy?: string;
      readonly serviceAnnotations?: Readonly<Record<string, string>>;
      readonly type?: string;
    };
    readonly nodePlacement?: {
      readonly nodeSelector?: Readonly<Record<string, string>>;
      readonly tolerations?: readonly {
        readonly effect?: string;
        readonly key?: string;
        readonly operator?: string;
        readonly tolerationSeconds?: number;
        readonly value?: string;
      }[];
    };
    readonly overloadMaxDownstreamConnections?: number;
    readonly overloadMaxHeapSize?: number;
    readonly podAnnotations?: Readonly<Record<string, string>>;
    readonly replicas?: number;
    readonly resources?: {
      readonly claims?: readonly {
        readonly name: string;
        readonly request?: string;
      }[];
      readonly limits?: Readonly<Record<string, number | string>>;
      readonly requests?: Readonly<Record<string, number | string>>;
    };
    readonly workloadType?: string;
  };
  readonly resourceLabels?: Readonly<Record<string, string>>;
}

export interface ContourDeploymentStatus {
  readonly conditions?: readonly DetailedCondition[];
}
