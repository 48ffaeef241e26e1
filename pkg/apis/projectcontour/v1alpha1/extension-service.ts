import type { KubeObject } from '../../meta.ts';
import type { DetailedCondition, LoadBalancerPolicy, TimeoutPolicy, UpstreamValidation } from '../v1/httpproxy.ts';

export interface ExtensionService extends KubeObject {
  readonly kind: 'ExtensionService';
  readonly spec: ExtensionServiceSpec;
  readonly status?: ExtensionServiceStatus;
}

export interface ExtensionServiceSpec {
  readonly circuitBreakerPolicy?: CircuitBreakerPolicy;
  readonly loadBalancerPolicy?: LoadBalancerPolicy;
  readonly protocol?: 'http/1.1' | 'h2' | 'h2c';
  readonly protocolVersion?: 'v3';
  readonly services: readonly ExtensionServiceTarget[];
  readonly timeoutPolicy?: TimeoutPolicy;
  readonly validation?: UpstreamValidation;
}

export interface ExtensionServiceStatus {
  readonly conditions?: readonly DetailedCondition[];
}

export interface CircuitBreakerPolicy {
  readonly maxConnections?: number;
  readonly maxPendingRequests?: number;
  readonly maxRequests?: number;
  readonly maxRetries?: number;
  readonly perHostMaxConnections?: number;
}

export interface ExtensionServiceTarget {
  readonly name: string;
  readonly port: number;
  readonly weight?: number;
}
