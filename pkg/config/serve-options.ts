import type { AddressPort, TlsFiles } from './config.ts';
import type { Values } from './values.ts';

/** Settings of the process. A build never sees them. */
export interface ServeOptions {
  /** Isoline's own namespace: the place of its Lease and its ContourConfiguration. */
  readonly namespace: string;
  /** Set: objects come from files, and there is no cluster. */
  readonly fileMode?: FileModeOptions;
  readonly client: KubernetesClientOptions;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  readonly disabledFeatures: readonly string[];
  readonly leaderElection: LeaderElectionOptions;
  readonly holdOff: HoldOffOptions;
  /** How long what an object had is kept up while what its new version refers to is on its way. 0: not at all. */
  readonly referenceGraceMs: number;
  /** Without `tls` xDS is served in the clear. */
  readonly xds: AddressPort & { readonly tls?: Required<TlsFiles> };
  readonly metrics: AddressPort & { readonly tls?: TlsFiles };
  readonly health: AddressPort;
  readonly debug: AddressPort;
}

export interface FileModeOptions {
  readonly dirs: readonly string[];
  readonly files: readonly string[];
  /** Absent: status goes to standard output. */
  readonly statusDir?: string;
}

export interface KubernetesClientOptions {
  readonly inCluster: boolean;
  /** Absent: `$HOME/.kube/config`. */
  readonly kubeconfig?: string;
  /** Requests per second; 0 or absent: the client's default. */
  readonly qps?: number;
  readonly burst?: number;
}

export interface LeaderElectionOptions {
  readonly disabled: boolean;
  readonly name: string;
  readonly namespace: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** Both 0 or more. With a delay of 0 a change goes at once, and what arrives during a build is one batch. */
export interface HoldOffOptions {
  readonly delayMs: number;
  readonly maxDelayMs: number;
}

/** The process's part of the settings. */
export function toServeOptions(values: Values, namespace: string): ServeOptions {
  const { xdsCaFile: caFile, xdsCertFile: certFile, xdsKeyFile: keyFile } = values;
  const xdsTls =
    values.insecure || caFile === undefined || certFile === undefined || keyFile === undefined ? undefined : { caFile, certFile, keyFile };
  const metricsTls = tlsFiles(values.metricsCertFile, values.metricsKeyFile, values.metricsCaFile);
  const fileMode = toFileMode(values);
  return {
    namespace,
    ...(fileMode !== undefined && { fileMode }),
    client: {
      inCluster: values.inCluster,
      ...(values.kubeconfig !== undefined && { kubeconfig: values.kubeconfig }),
      ...(values.clientQps !== undefined && { qps: values.clientQps }),
      ...(values.clientBurst !== undefined && { burst: values.clientBurst }),
    },
    watchNamespaces: values.watchNamespaces,
    disabledFeatures: values.disabledFeatures,
    leaderElection: {
      disabled: values.disableLeaderElection,
      name: values.leaseName,
      namespace: values.leaseNamespace ?? namespace,
      leaseDurationMs: values.leaseDurationMs,
      renewDeadlineMs: values.renewDeadlineMs,
      retryPeriodMs: values.retryPeriodMs,
    },
    holdOff: { delayMs: values.holdOffDelayMs, maxDelayMs: values.holdOffMaxDelayMs },
    referenceGraceMs: values.referenceGraceMs,
    xds: { address: values.xdsAddress, port: values.xdsPort, ...(xdsTls !== undefined && { tls: xdsTls }) },
    metrics: { address: values.metricsAddress, port: values.metricsPort, ...(metricsTls !== undefined && { tls: metricsTls }) },
    health: { address: values.healthAddress, port: values.healthPort },
    debug: { address: values.debugAddress, port: values.debugPort },
  };
}

function toFileMode({ fileDirs: dirs, files, statusDir }: Values): FileModeOptions | undefined {
  if (dirs.length + files.length === 0) return undefined;
  return { dirs, files, ...(statusDir !== undefined && { statusDir }) };
}

/** The files of a TLS server, if a certificate is among them. */
export function tlsFiles(certFile: string | undefined, keyFile: string | undefined, caFile: string | undefined): TlsFiles | undefined {
  if (certFile === undefined || keyFile === undefined) return undefined;
  return { certFile, keyFile, ...(caFile !== undefined && { caFile }) };
}
