import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  startTestEnvironment,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from '../../pkg/controller-runtime/envtest/environment.ts';

function find(program: string): string {
  const path = join(homedir(), '.cache', 'cluster-rig', 'bin', program);
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  return path;
}

/** Starts a real API server with the programs that the scripts under `hack` find. */
export function startApiServer(
  options: Omit<TestEnvironmentOptions, 'etcd' | 'kubeApiserver'> = {},
): Promise<TestEnvironment> {
  return startTestEnvironment({ etcd: find('etcd'), kubeApiserver: find('kube-apiserver'), ...options });
}
