import type { MetricsProvider } from './metrics.ts';

/** Told whether this process leads. */
export type LeaderElectionMetrics = (leading: boolean) => void;

/** `leader_election_master_status` of one Lease: 1 on the leader, 0 on everybody else, from the start. */
export function leaderElectionMetrics(provider: MetricsProvider, lease: string): LeaderElectionMetrics {
  const status = provider.gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process holds the Lease: 1 if it does, else 0.',
    labelNames: ['name'],
  });
  status.set({ name: lease }, 0);
  return (leading) => status.set({ name: lease }, leading ? 1 : 0);
}
