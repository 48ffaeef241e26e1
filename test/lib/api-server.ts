import { findEtcd, findKubeApiserver } from '../../hack/lib/binaries.ts';
import {
  startTestEnvironment,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from '../../pkg/controller-runtime/envtest/environment.ts';

/** Starts a real API server with the programs that the scripts under `hack` find. */
export function startApiServer(options: Omit<TestEnvironmentOptions, 'etcd' | 'kubeApiserver'> = {}): Promise<TestEnvironment> {
  return startTestEnvironment({ etcd: findEtcd(), kubeApiserver: findKubeApiserver(), ...options });
}
