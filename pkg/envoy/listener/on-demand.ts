import type { Config, ListenerConfig } from '../../config/config.ts';
import type { SecretNode } from '../../dag/model/cluster.ts';
import type { Listener } from '../../dag/model/listener.ts';
import type { VirtualHost } from '../../dag/model/virtual-host.ts';
import type { TransportSocket } from '../../envoy-api/envoy/config/core/v3/base.ts';
import { TypedExtensionConfig } from '../../envoy-api/envoy/config/core/v3/extension.ts';
import { SNI } from '../../envoy-api/envoy/extensions/transport_sockets/tls/cert_mappers/sni/v3/config.ts';
import { Config as OnDemandSecret } from '../../envoy-api/envoy/extensions/transport_sockets/tls/cert_selectors/on_demand_secret/v3/config.ts';
import type { Secret } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { DownstreamTlsContext } from '../../envoy-api/envoy/extensions/transport_sockets/tls/v3/tls.ts';
import { configSource, type SourceKind } from '../config-source.ts';
import { packed } from '../protobuf.ts';
import { tlsSecret } from '../secret/secret.ts';
import { tlsParameters } from '../tls-parameters.ts';
import { chainGroup } from './chain-group.ts';
import { httpAlpn, tlsSocket } from './downstream-tls.ts';

/** What Envoy asks for where a client sends no server name. No host is spelled so, and only one for all names has an answer. */
const noServerName = 'NO-SERVER-NAME';

/**
 * The one listener whose certificates may be fetched by server name: what Envoy asks for does not say on which listener, where a name may have
 * another certificate. A fallback certificate is a chain for every name, and so is that for certificates on demand.
 */
export function servesOnDemand({ name }: Listener, { listener, fallbackCertificate }: Config): boolean {
  if (listener.tls.certificates !== 'on-demand' || fallbackCertificate !== undefined) return false;
  return name === 'ingress_https' || name === 'https-443';
}

/** Whether a host is such as can be served by a certificate on demand: it could share a chain, and has one certificate. */
export function isOnDemand(host: VirtualHost, config: ListenerConfig): boolean {
  return chainGroup(host, config) !== undefined && host.tls?.type === 'terminate' && host.tls.secrets.length === 1;
}

/** The SDS resource of a host's certificate, by the name that Envoy asks with. */
export function onDemandSecret(host: string, secret: SecretNode): Secret {
  return { ...tlsSecret(secret), name: host };
}

/**
 * Ends TLS with a certificate that Envoy fetches when a client first names its host, and keeps. Envoy takes it only without session
 * resumption of either kind.
 */
export function onDemandTlsSocket(config: ListenerConfig, source: SourceKind): TransportSocket {
  const mapper = TypedExtensionConfig.fromPartial({
    name: 'envoy.tls.certificate_mappers.sni',
    typedConfig: packed(SNI, SNI.fromPartial({ defaultValue: noServerName })),
  });
  const selector = OnDemandSecret.fromPartial({ configSource: configSource(source), certificateMapper: mapper });
  const context = DownstreamTlsContext.fromPartial({
    commonTlsContext: {
      tlsParams: tlsParameters(config.tls),
      alpnProtocols: [...httpAlpn(config)],
      customTlsCertificateSelector: {
        name: 'envoy.tls.certificate_selectors.on_demand_secret',
        typedConfig: packed(OnDemandSecret, selector),
      },
    },
    sessionTicketKeysType: { $case: 'disableStatelessSessionResumption', value: true },
    disableStatefulSessionResumption: true,
  });
  return tlsSocket(context);
}
