import type { NamespacedName } from './config.ts';
import type { Values } from './values.ts';
import type { ConfigProblem } from './yaml-tree.ts';

/** What the rules look at: the settings, and which sections were written down. */
export interface Ruled {
  readonly values: Values;
  readonly sections: ReadonlySet<string>;
}

type Rule = (ruled: Ruled) => readonly ConfigProblem[];

/** Rules between settings; with `serving`, those too that only a server must keep. */
export function checkRules(ruled: Ruled, serving: boolean): readonly ConfigProblem[] {
  return [...buildRules, ...(serving ? servingRules : [])].flatMap((rule) => rule(ruled));
}

const buildRules: readonly Rule[] = [
  ({ values }) => versionOrder('tls', values.tlsMinVersion, values.tlsMaxVersion),
  ({ values }) => versionOrder('cluster.upstream-tls', values.upstreamMinVersion, values.upstreamMaxVersion),
  ({ values }) => keyPair('metrics.contour', values.metricsCertFile, values.metricsKeyFile, values.metricsCaFile),
  ({ values }) => keyPair('metrics.envoy', values.statsCertFile, values.statsKeyFile, values.statsCaFile),
  ({ values, sections }) =>
    sections.has('tracing') && values.tracingExtensionService === undefined
      ? problem('tracing.extensionService', 'must be given with tracing')
      : [],
  ({ values }) =>
    values.metricsKeyFile !== undefined && values.metricsAddress === values.healthAddress && values.metricsPort === values.healthPort
      ? problem('metrics.contour', 'a metrics server with TLS cannot share address and port with the health server')
      : [],
  ({ values }) =>
    values.statsKeyFile !== undefined && values.envoyHealthAddress === values.statsAddress && values.envoyHealthPort === values.statsPort
      ? problem('metrics.envoy', "Envoy's stats listener with TLS cannot share address and port with its health listener")
      : [],
  ({ values }) => omEnforcedHealth(values),
];

const servingRules: readonly Rule[] = [
  ({ values }) => checkSources(values),
  ({ values }) => xdsTls(values),
  ({ values }) => watched(values),
  ({ values }) =>
    values.leaseDurationMs <= values.renewDeadlineMs || values.renewDeadlineMs <= values.retryPeriodMs
      ? problem(
          '--leader-election-lease-duration',
          'must be longer than --leader-election-renew-deadline, and that longer than --leader-election-retry-period',
        )
      : [],
];

function versionOrder(key: string, min: string, max: string): readonly ConfigProblem[] {
  return min > max
    ? problem(`${key}.minimum-protocol-version`, `${JSON.stringify(min)} is greater than the maximum ${JSON.stringify(max)}`)
    : [];
}

function keyPair(key: string, cert: string | undefined, privateKey: string | undefined, ca: string | undefined): readonly ConfigProblem[] {
  if ((cert === undefined) !== (privateKey === undefined))
    return problem(key, 'server-certificate-path and server-key-path must be given together');
  return ca !== undefined && cert === undefined
    ? problem(`${key}.ca-certificate-path`, 'needs server-certificate-path and server-key-path')
    : [];
}

/** One source of objects, and one of the configuration. */
export function checkSources({ configPath, contourConfigName, fileDirs, files, statusDir }: Values): readonly ConfigProblem[] {
  const fileMode = fileDirs.length + files.length > 0;
  const out: ConfigProblem[] = [];
  if (configPath !== undefined && contourConfigName !== undefined) {
    out.push(...problem('--contour-config-name', 'cannot be given with --config-path'));
  }
  if (fileMode && contourConfigName !== undefined)
    out.push(...problem('--contour-config-name', 'cannot be given with --file or --file-dir: it is read from the API server'));
  if (!fileMode && statusDir !== undefined) out.push(...problem('--status-dir', 'needs --file or --file-dir'));
  return out;
}

function xdsTls({ xdsCaFile, xdsCertFile, xdsKeyFile, insecure }: Values): readonly ConfigProblem[] {
  const given = [xdsCaFile, xdsCertFile, xdsKeyFile].filter((file) => file !== undefined).length;
  if (given === 3 || (given === 0 && insecure)) return [];
  const names = '--contour-cafile, --contour-cert-file and --contour-key-file';
  if (given === 0) return problem(names, 'must be given, or --insecure to serve xDS without TLS');
  return problem(names, 'must be given all three');
}

/** Roots and the Secrets that the configuration names must be in namespaces that are watched. */
function watched(values: Values): readonly ConfigProblem[] {
  if (values.watchNamespaces.length === 0) return [];
  const needs: readonly (readonly [string, string | undefined])[] = [
    ...values.rootNamespaces.map((namespace) => ['root namespace', namespace] as const),
    ['namespace of the fallback certificate', values.fallbackCertificate?.namespace],
    ["namespace of Envoy's client certificate", values.clientCertificate?.namespace],
  ];
  const missing = needs.filter(([, namespace]) => namespace !== undefined && !values.watchNamespaces.includes(namespace));
  return missing.flatMap(([what, namespace]) => problem('--watch-namespaces', `must contain the ${what} ${JSON.stringify(namespace)}`));
}

function omEnforcedHealth({ omEnforcedHealthAddress: address, omEnforcedHealthPort: port, ...values }: Values): readonly ConfigProblem[] {
  const key = 'omEnforcedHealthListener';
  if (address === undefined && port === undefined) return [];
  if (address === undefined || port === undefined) return problem(key, 'address and port must be given');
  if (address === values.statsAddress && port === values.statsPort) return problem(key, 'must not be the endpoint of the stats listener');
  if (address === values.envoyHealthAddress && port === values.envoyHealthPort)
    return problem(key, 'must not be the endpoint of the health listener');
  return [];
}

function problem(key: string, message: string): readonly ConfigProblem[] {
  return [{ key, message }];
}

/** An ExtensionService that the configuration names, with the key that names it. */
export interface NamedService {
  readonly key: string;
  readonly service: NamespacedName;
}

/** The ExtensionServices that the configuration names. They must exist at start. */
export function namedExtensionServices(values: Values): readonly NamedService[] {
  const named: readonly (readonly [string, NamespacedName | undefined])[] = [
    ['rateLimitService.extensionService', values.rateLimitExtensionService],
    ['globalExtAuth.extensionService', values.extAuthExtensionService],
    ['tracing.extensionService', values.tracingExtensionService],
  ];
  return named.flatMap(([key, service]) => (service === undefined ? [] : [{ key, service }]));
}
