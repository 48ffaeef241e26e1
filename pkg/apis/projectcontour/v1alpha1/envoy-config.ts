import { boolean, dictionary, integer, list, object, oneOf, optional, redescribed, type Static, string } from '../../../schema/builder.ts';
import { circuitBreakerPolicySchema } from './extension-service.ts';

/** Names an object in any namespace. */
export const namespacedNameSchema = object('Names an object.', {
  name: string('Its name.'),
  namespace: string('Its namespace.'),
});

/** Where a listener for metrics is, and how it is secured. */
export const metricsSchema = object('Where metrics are served.', {
  address: optional(string('The address to listen on.', { minLength: 1, maxLength: 253 })),
  port: optional(integer('The port to listen on.')),
  tls: optional(
    object('Serves metrics over TLS. Not on the same address and port as health.', {
      caFile: optional(
        string('A file with the CA certificates that certificates of clients are checked with. Default: clients need none.'),
      ),
      certFile: optional(string('A file with the certificate.')),
      keyFile: optional(string('A file with the key.')),
    }),
  ),
});

/** Where a listener for health checks is. */
export const healthSchema = object('Where health is served.', {
  address: optional(string('The address to listen on.', { minLength: 1 })),
  port: optional(integer('The port to listen on.')),
});

const tlsShape = {
  minimumProtocolVersion: optional(string('The oldest version of TLS: `1.2` or `1.3`. Default: `1.2`.')),
  maximumProtocolVersion: optional(string('The newest version of TLS: `1.2` or `1.3`. Default: `1.3`.')),
  cipherSuites: optional(
    list(
      'Cipher suites for TLS 1.2, in order of preference. Default: the AES-GCM and ChaCha20 suites with ECDHE.',
      string("A cipher suite in Envoy's spelling; a group of equal preference stands in brackets, parted by `|`."),
    ),
  ),
  ecdhCurves: optional(
    list(
      "Curves for the key exchange, in order of preference. Default: Envoy's.",
      string('`X25519`, `P-256`, `P-384`, `P-521`, `X25519MLKEM768` or `MLKEM1024`.'),
    ),
  ),
};

const upstreamTlsSchema = object('TLS towards Services.', tlsShape);

const listenerTlsSchema = object('TLS towards clients. Virtual hosts can narrow the versions.', {
  ...tlsShape,
  certificates: optional(
    string(
      'How proxies come by the certificates of virtual hosts: `preloaded`, all of them from the start, or `on-demand`, each when a client first names its host. Default: `preloaded`.',
    ),
  ),
  fingerprint: optional(
    object('Fingerprints of the ClientHello, for access logs and headers.', {
      ja3: optional(boolean('True: compute the JA3 fingerprint.')),
      ja4: optional(boolean('True: compute the JA4 fingerprint.')),
    }),
  ),
});

const httpListenerShape = {
  address: optional(string('The address to listen on. Default: `0.0.0.0`.', { minLength: 1 })),
  accessLog: optional(string('The file that accesses are logged to. Default: `/dev/stdout`.')),
};

const positive = { format: 'int32', minimum: 1 } as const;

const listenerSchema = object('How Envoy treats connections of clients.', {
  useProxyProtocol: optional(boolean('True: every connection begins with a header of the PROXY protocol. Default: false.')),
  disableAllowChunkedLength: optional(boolean('True: a request with both Content-Length and chunked encoding is refused. Default: false.')),
  disableMergeSlashes: optional(boolean('True: several slashes in a row in a path are left as they are. Default: false.')),
  serverHeaderTransformation: optional(
    string('What happens to the Server header of responses: `overwrite` (the default), `append_if_absent` or `pass_through`.'),
  ),
  compression: optional(
    object('Compression of responses, for clients that accept it.', {
      algorithm: optional(
        oneOf('The algorithm; `disabled` turns compression off. Default: `gzip`.', ['gzip', 'brotli', 'zstd', 'disabled']),
      ),
    }),
  ),
  connectionBalancer: optional(string('`exact` spreads connections evenly over the threads of Envoy. Default: left to the kernel.')),
  maxRequestsPerConnection: optional(integer('After so many requests a connection is closed. Default: no limit.', positive)),
  'per-connection-buffer-limit-bytes': optional(integer('How many bytes of a connection are buffered. Default: 1 MiB.', positive)),
  maxRequestsPerIOCycle: optional(
    integer('How many requests of one connection are taken up at a time; the rest waits for its turn. Default: no limit.', positive),
  ),
  httpMaxConcurrentStreams: optional(integer('How many streams a connection with HTTP/2 may have at a time. Default: no limit.', positive)),
  maxConnectionsPerListener: optional(integer('How many connections a listener may have at a time. Default: no limit.', positive)),
  maxConnectionsToAcceptPerSocketEvent: optional(integer('How many connections are accepted at a time. Default: no limit.', positive)),
  tls: optional(listenerTlsSchema),
  socketOptions: optional(
    object('Options of the sockets that listen.', {
      tos: optional(integer('Type of service of IPv4 packets.', { format: 'int32', minimum: 0, maximum: 255 })),
      trafficClass: optional(integer('Traffic class of IPv6 packets.', { format: 'int32', minimum: 0, maximum: 255 })),
    }),
  ),
});

const clusterSchema = object('How Envoy treats connections to Services.', {
  dnsLookupFamily: optional(
    string('Which addresses of an ExternalName are used: `auto` (IPv6, else IPv4; the default), `v4`, `v6` or `all`.'),
  ),
  maxRequestsPerConnection: optional(integer('After so many requests a connection is closed. Default: no limit.', positive)),
  'per-connection-buffer-limit-bytes': optional(integer('How many bytes of a connection are buffered. Default: 1 MiB.', positive)),
  circuitBreakers: optional(redescribed(circuitBreakerPolicySchema, 'Limits for each Service that has none of its own.')),
  upstreamTLS: optional(upstreamTlsSchema),
});

const timeoutsSchema = object('Timeouts of all virtual hosts. Each is a duration such as `1m30s`, or `infinity` for no limit.', {
  requestTimeout: optional(string('How long a whole request may take to arrive. Default: no limit.')),
  connectionIdleTimeout: optional(string('How long a connection of a client stays open without a request. Default: 1 hour.')),
  streamIdleTimeout: optional(string('How long a stream may stay without any data. Default: 5 minutes.')),
  maxConnectionDuration: optional(string('How long a connection of a client may live. Default: no limit.')),
  delayedCloseTimeout: optional(string('How long Envoy waits for the client when it closes a connection. Default: 1 second.')),
  connectionShutdownGracePeriod: optional(
    string('How long Envoy waits between announcing the end of a connection and closing it. Default: 5 seconds.'),
  ),
  connectTimeout: optional(string('How long a connection to a Service may take to open; a duration only. Default: `2s`.')),
});

const loggingSchema = object('Access logs.', {
  accessLogFormat: optional(string('`envoy` (text, the default) or `json`.')),
  accessLogFormatString: optional(string("For `envoy`: a format string of Envoy. Default: Envoy's own.")),
  accessLogJSONFields: optional(list('For `json`: the fields of a line.', string('The name of a field that is known, or `name=format`.'))),
  accessLogLevel: optional(
    string('What is logged: `info` (all requests, the default), `error` (status 300 and up), `critical` (500 and up) or `disabled`.'),
  ),
});

const networkSchema = object('Addresses and hops.', {
  numTrustedHops: optional(
    integer('How many proxies in front of Envoy may be trusted to append to X-Forwarded-For. Default: 0.', { format: 'int32' }),
  ),
  adminPort: optional(integer('The port of the read-only admin listener; 0 turns it off. Default: 9001.')),
  stripTrailingHostDot: optional(boolean('True: a dot at the end of the Host header does not count. Default: false.')),
});

/** Everything about Envoy. */
export const envoyConfigSchema = object('How Envoy behaves.', {
  listener: optional(listenerSchema),
  service: optional(
    redescribed(
      namespacedNameSchema,
      'The Service in front of Envoy, whose addresses are published in statuses. Default: `projectcontour/envoy`.',
    ),
  ),
  http: optional(
    object('The listener for HTTP.', { ...httpListenerShape, port: optional(integer('The port to listen on. Default: 8080.')) }),
  ),
  https: optional(
    object('The listener for HTTPS.', { ...httpListenerShape, port: optional(integer('The port to listen on. Default: 8443.')) }),
  ),
  health: optional(redescribed(healthSchema, 'Where Envoy serves its health. Default: `0.0.0.0:8002`.')),
  metrics: optional(redescribed(metricsSchema, 'Where Envoy serves its metrics. Default: `0.0.0.0:8002`.')),
  clientCertificate: optional(redescribed(namespacedNameSchema, 'The Secret with the certificate that Envoy shows to Services.')),
  logging: optional(loggingSchema),
  defaultHTTPVersions: optional(list('The versions of HTTP that clients are offered. Default: both.', string('`HTTP/1.1` or `HTTP/2`.'))),
  timeouts: optional(timeoutsSchema),
  cluster: optional(clusterSchema),
  network: optional(networkSchema),
  omEnforcedHealth: optional(
    redescribed(
      healthSchema,
      'One more listener for health, which the overload manager may turn away. Not on the address and port of health or metrics. Default: none.',
    ),
  ),
  runtimeSettings: optional(
    dictionary("Keys and values of Envoy's runtime. Those that are set by other fields go before.", string('A value.')),
  ),
});

export type NamespacedNameReference = Static<typeof namespacedNameSchema>;
export type EnvoyConfig = Static<typeof envoyConfigSchema>;
