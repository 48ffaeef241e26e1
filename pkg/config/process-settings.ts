import { optionalSetting, setting } from './setting.ts';
import { commaList, decimal, duration, flag, integer, listOf, oneOf, ownPort, shape, text, textList } from './value-type.ts';

/** The features that can be turned off: each takes the watch of a kind away. */
export const featureNames = ['extensionservices', 'tlsroutes', 'grpcroutes', 'tcproutes', 'backendtlspolicies'] as const;

/** Settings of the process: who we are, whom we talk to, where we listen. A build never sees them. */
export const processSettings = {
  // The command line itself.
  configPath: optionalSetting({ type: text, flag: 'config-path', short: 'c', help: 'Configuration file (YAML).' }),
  contourConfigName: optionalSetting({
    type: text,
    flag: 'contour-config-name',
    help: 'Name of a ContourConfiguration to read in place of a file and most flags.',
  }),
  debugLog: setting({ type: flag, default: false, file: 'debug', flag: 'debug', short: 'd', help: 'Log at debug level.' }),
  legacyServer: optionalSetting({ type: shape({}), file: 'server' }),
  featureFlags: setting({ type: textList, default: [], file: 'featureFlags', crd: 'featureFlags' }),

  // Objects from files.
  fileDirs: setting({
    type: textList,
    default: [],
    flag: 'file-dir',
    repeatable: true,
    help: 'Serve the objects in the YAML and JSON files of this directory; no cluster is used.',
  }),
  files: setting({
    type: textList,
    default: [],
    flag: 'file',
    repeatable: true,
    help: 'Serve the objects in this file; no cluster is used.',
  }),
  statusDir: optionalSetting({
    type: text,
    flag: 'status-dir',
    help: 'Directory to write the status of objects from files to; without it, status goes to standard output.',
  }),

  // The API server.
  inCluster: setting({ type: flag, default: false, file: 'incluster', flag: 'incluster', help: 'Use the credentials of the pod.' }),
  kubeconfig: optionalSetting({
    type: text,
    file: 'kubeconfig',
    flag: 'kubeconfig',
    help: 'Kubeconfig file (default $HOME/.kube/config).',
  }),
  clientQps: optionalSetting({
    type: decimal(0),
    file: 'kubernetesClientQPS',
    flag: 'kubernetes-client-qps',
    help: 'Requests per second to the API server.',
  }),
  clientBurst: optionalSetting({
    type: integer(0, 1_000_000),
    file: 'kubernetesClientBurst',
    flag: 'kubernetes-client-burst',
    help: 'Requests to the API server that may go at once.',
  }),
  kubernetesDebug: setting({
    type: integer(0, 9),
    default: 0,
    flag: 'kubernetes-debug',
    help: 'Verbosity of the Kubernetes client, 0 to 9.',
  }),
  watchNamespaces: setting({ type: commaList, default: [], flag: 'watch-namespaces', help: 'Namespaces to watch (default all).' }),
  disabledFeatures: setting({
    type: listOf(oneOf(...featureNames)),
    default: [],
    flag: 'disable-feature',
    repeatable: true,
    help: `Do without a kind: ${featureNames.join(', ')}.`,
  }),

  // Leader election.
  disableLeaderElection: setting({ type: flag, default: false, flag: 'disable-leader-election', help: 'Always act as the leader.' }),
  leaseDurationMs: setting({
    type: duration,
    default: 15_000,
    flag: 'leader-election-lease-duration',
    help: 'How long others wait before they take over (default 15s).',
  }),
  renewDeadlineMs: setting({
    type: duration,
    default: 10_000,
    flag: 'leader-election-renew-deadline',
    help: 'How long the leader tries to renew before it gives up (default 10s).',
  }),
  retryPeriodMs: setting({
    type: duration,
    default: 2_000,
    flag: 'leader-election-retry-period',
    help: 'Pause between tries (default 2s).',
  }),
  leaseName: setting({ type: text, default: 'leader-elect', flag: 'leader-election-resource-name', help: 'Name of the Lease.' }),
  leaseNamespace: optionalSetting({
    type: text,
    flag: 'leader-election-resource-namespace',
    help: "Namespace of the Lease (default Isoline's own).",
  }),

  // Batches.
  holdOffDelayMs: setting({
    type: duration,
    default: 0,
    flag: 'hold-off-delay',
    help: 'Wait this long for more changes before a rebuild (default 0s).',
  }),
  holdOffMaxDelayMs: setting({
    type: duration,
    default: 500,
    flag: 'hold-off-delay-max',
    help: 'Never hold a change off longer than this (default 500ms).',
  }),
  referenceGraceMs: setting({
    type: duration,
    default: 250,
    flag: 'reference-grace',
    help: 'Keep up what an object had while what its new version refers to is on its way, for no longer than this (default 250ms, 0s: never).',
  }),

  // The xDS server.
  xdsAddress: setting({
    type: text,
    default: '127.0.0.1',
    flag: 'xds-address',
    crd: 'xdsServer.address',
    crdDefault: '0.0.0.0',
    help: 'Address of the xDS server.',
  }),
  xdsPort: setting({ type: ownPort, default: 8001, flag: 'xds-port', crd: 'xdsServer.port', help: 'Port of the xDS server.' }),
  xdsCaFile: optionalSetting({
    type: text,
    flag: 'contour-cafile',
    env: 'CONTOUR_CAFILE',
    crd: 'xdsServer.tls.caFile',
    crdDefault: '/certs/ca.crt',
    help: 'CA bundle that verifies xDS clients.',
  }),
  xdsCertFile: optionalSetting({
    type: text,
    flag: 'contour-cert-file',
    env: 'CONTOUR_CERT_FILE',
    crd: 'xdsServer.tls.certFile',
    crdDefault: '/certs/tls.crt',
    help: 'Certificate of the xDS server.',
  }),
  xdsKeyFile: optionalSetting({
    type: text,
    flag: 'contour-key-file',
    env: 'CONTOUR_KEY_FILE',
    crd: 'xdsServer.tls.keyFile',
    crdDefault: '/certs/tls.key',
    help: 'Private key of the xDS server.',
  }),
  insecure: setting({ type: flag, default: false, flag: 'insecure', crd: 'xdsServer.tls.insecure', help: 'Serve xDS without TLS.' }),

  // Our HTTP servers.
  metricsAddress: setting({
    type: text,
    default: '0.0.0.0',
    file: 'metrics.contour.address',
    fileWins: true,
    flag: 'http-address',
    crd: 'metrics.address',
    help: 'Address of the metrics server.',
  }),
  metricsPort: setting({
    type: ownPort,
    default: 8000,
    file: 'metrics.contour.port',
    fileWins: true,
    flag: 'http-port',
    crd: 'metrics.port',
    help: 'Port of the metrics server.',
  }),
  metricsCertFile: optionalSetting({ type: text, file: 'metrics.contour.server-certificate-path', crd: 'metrics.tls.certFile' }),
  metricsKeyFile: optionalSetting({ type: text, file: 'metrics.contour.server-key-path', crd: 'metrics.tls.keyFile' }),
  metricsCaFile: optionalSetting({ type: text, file: 'metrics.contour.ca-certificate-path', crd: 'metrics.tls.caFile' }),
  healthAddress: setting({
    type: text,
    default: '0.0.0.0',
    flag: 'health-address',
    crd: 'health.address',
    help: 'Address of the health server.',
  }),
  healthPort: setting({ type: ownPort, default: 8000, flag: 'health-port', crd: 'health.port', help: 'Port of the health server.' }),
  debugAddress: setting({
    type: text,
    default: '127.0.0.1',
    flag: 'debug-http-address',
    crd: 'debug.address',
    help: 'Address of the debug server.',
  }),
  debugPort: setting({ type: ownPort, default: 6060, flag: 'debug-http-port', crd: 'debug.port', help: 'Port of the debug server.' }),
  logFormat: setting({ type: oneOf('text', 'json'), default: 'text', flag: 'log-format', help: 'Format of our own log.' }),
} as const;
