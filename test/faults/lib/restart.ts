import type { FaultCluster } from './fault-cluster.ts';

/** Replaces the oldest replica: another one is started first, as a rolling update does. The objects change meanwhile. */
export async function restart(cluster: FaultCluster, how: 'stop' | 'kill'): Promise<void> {
  const [oldest] = cluster.replicas;
  const churn = cluster.world.churn(10);
  await cluster.replica();
  if (oldest !== undefined) await cluster[how](oldest);
  await churn;
  await cluster.expectNothingLost();
}
