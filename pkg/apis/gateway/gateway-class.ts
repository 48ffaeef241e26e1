import type { KubeObject } from '../meta.ts';
import type { Condition } from './common.ts';

export interface GatewayClass extends KubeObject {
  readonly kind: 'GatewayClass';
  readonly spec: GatewayClassSpec;
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly supportedFeatures?: readonly { readonly name: string }[];
  };
}

export interface GatewayClassSpec {
  readonly controllerName: string;
  readonly description?: string;
  readonly parametersRef?: { readonly group: string; readonly kind: string; readonly name: string; readonly namespace?: string };
}
