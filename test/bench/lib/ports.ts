/** Ports of what is measured. All are free: a benchmark runs in a network namespace of its own. */
export const ports = {
  http: 8080,
  https: 8443,
  xds: 18_001,
  metrics: 18_000,
  health: 18_005,
  debug: 16_060,
  stats: 18_002,
  backend: 9_000,
} as const;
