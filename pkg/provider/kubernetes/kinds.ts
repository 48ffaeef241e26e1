import type { KindInfo, KindName } from '../../apis/kinds.ts';
import { kindInfos } from '../../apis/scheme.ts';
import type { Config } from '../../config/config.ts';
import type { ServedVersions } from '../../controller-runtime/client/discovery.ts';
import type { ResourceKind } from '../../controller-runtime/client/object.ts';

/** A kind that is watched. */
export interface WatchedKind {
  readonly kind: KindName;
  /** Watched with a configured Gateway only. */
  readonly gateway?: true;
  /** The `--disable-feature` that does without it. */
  readonly feature?: string;
  /** A cluster that was prepared for Contour gives no right to read it. */
  readonly optional?: true;
  readonly fieldSelector?: string;
}

/** Every kind that Isoline watches. @see reference 9.1 */
const watchedKinds: readonly WatchedKind[] = [
  { kind: 'Service' },
  { kind: 'EndpointSlice' },
  // Releases of Helm are large, and neither kind holds a certificate.
  { kind: 'Secret', fieldSelector: 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token' },
  { kind: 'HTTPProxy' },
  { kind: 'TLSCertificateDelegation' },
  { kind: 'ExtensionService', feature: 'extensionservices' },
  { kind: 'Ingress' },
  { kind: 'IngressClass', optional: true },
  { kind: 'ContourConfiguration', optional: true },
  { kind: 'Namespace', gateway: true },
  { kind: 'ConfigMap', gateway: true },
  { kind: 'GatewayClass', gateway: true },
  { kind: 'Gateway', gateway: true },
  { kind: 'HTTPRoute', gateway: true },
  { kind: 'GRPCRoute', gateway: true, feature: 'grpcroutes' },
  { kind: 'TLSRoute', gateway: true, feature: 'tlsroutes' },
  { kind: 'TCPRoute', gateway: true, feature: 'tcproutes' },
  { kind: 'UDPRoute', gateway: true, optional: true },
  { kind: 'ListenerSet', gateway: true, optional: true },
  { kind: 'BackendTLSPolicy', gateway: true, feature: 'backendtlspolicies' },
  { kind: 'ReferenceGrant', gateway: true },
];

/** The kinds to watch with a configuration. */
export function kindsToWatch(config: Pick<Config, 'gatewayRef'>, disabledFeatures: readonly string[]): readonly WatchedKind[] {
  return watchedKinds.filter(
    ({ gateway, feature }) =>
      (gateway !== true || config.gatewayRef !== undefined) && (feature === undefined || !disabledFeatures.includes(feature)),
  );
}

/** The versions of the Gateway API's kinds that have one schema, the one to prefer first. */
const gatewayVersions = ['v1', 'v1beta1', 'v1alpha3', 'v1alpha2'];

/**
 * Where the API server keeps a kind: in the version that it serves, where Isoline's own is too new for it. A kind that it
 * does not serve, in no version that Isoline can read, is looked for in Isoline's own.
 */
export function resourceOf(kind: KindName, served: ServedVersions): ResourceKind {
  const info = infoOf(kind);
  const versions = served.get(info.plural) ?? [];
  if (versions.length === 0 || versions.includes(info.version)) return info;
  return { ...info, version: gatewayVersions.find((version) => versions.includes(version)) ?? info.version };
}

/** The place of a kind in the scheme. */
export function infoOf(kind: KindName): KindInfo {
  const info = kindInfos.get(kind);
  if (info === undefined) throw new RangeError(`the scheme has no kind ${kind}`);
  return info;
}
