import type { KubeObject } from '../../meta.ts';

export interface IngressClass extends KubeObject {
  readonly kind: 'IngressClass';
  readonly spec?: {
    readonly controller?: string;
    readonly parameters?: {
      readonly apiGroup?: string;
      readonly kind: string;
      readonly name: string;
      readonly scope?: 'Cluster' | 'Namespace';
      readonly namespace?: string;
    };
  };
}
