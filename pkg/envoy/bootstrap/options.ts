import type { DnsLookupFamily } from '../../config/config.ts';

/** The settings of `isoline bootstrap` (reference §1.2), already checked. */
export interface BootstrapOptions {
  /** Isoline's namespace; it goes into names of statistics. */
  readonly namespace: string;
  /** Where the control plane serves xDS: an IP address or a name. */
  readonly xdsAddress: string;
  readonly xdsPort: number;
  /** The path of the unix socket for the admin interface. */
  readonly adminAddress: string;
  /** Appears in the name of a statistic only. */
  readonly adminPort: number;
  /** For the name of the control plane. */
  readonly dnsLookupFamily: DnsLookupFamily;
  /** Absent: xDS in the clear. */
  readonly tls?: XdsTlsFiles;
  /** Bytes of heap at which Envoy defends itself; 0 is off. */
  readonly maximumHeapSizeBytes: number;
  /** Connections of clients over all listeners; 0 is off. */
  readonly maximumDownstreamConnections: number;
}

/** What `isoline bootstrap` takes where it is told nothing. */
export const bootstrapDefaults = {
  namespace: 'projectcontour',
  xdsAddress: '127.0.0.1',
  xdsPort: 8001,
  adminAddress: '/admin/admin.sock',
  adminPort: 9001,
  dnsLookupFamily: 'auto',
  maximumHeapSizeBytes: 0,
  maximumDownstreamConnections: 0,
} as const satisfies BootstrapOptions;

/** Files of the Envoy container with which it proves itself to the control plane. */
export interface XdsTlsFiles {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** Set: Envoy reads the files by way of SDS files in this folder (`sdsFiles`), and so follows their rotation. */
  readonly resourcesDir?: string;
}
