import type { ListenerConfig } from '../../config/config.ts';
import { TypedExtensionConfig } from '../../envoy-api/envoy/config/core/v3/extension.ts';
import { Brotli } from '../../envoy-api/envoy/extensions/compression/brotli/compressor/v3/brotli.ts';
import { Gzip } from '../../envoy-api/envoy/extensions/compression/gzip/compressor/v3/gzip.ts';
import { Zstd } from '../../envoy-api/envoy/extensions/compression/zstd/compressor/v3/zstd.ts';
import { Compressor } from '../../envoy-api/envoy/extensions/filters/http/compressor/v3/compressor.ts';
import type { HttpFilter } from '../../envoy-api/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.ts';
import { packed } from '../protobuf.ts';
import { httpFilter } from './http-filter.ts';

type Compression = Exclude<ListenerConfig['compression'], 'disabled'>;

const libraries = {
  gzip: packed(Gzip, Gzip.fromPartial({})),
  brotli: packed(Brotli, Brotli.fromPartial({})),
  zstd: packed(Zstd, Zstd.fromPartial({})),
} as const;

/** Texts, and gRPC-Web in all its forms: the media types that responses are compressed for. */
const contentTypes = [
  'text/html',
  'text/plain',
  'text/css',
  'application/javascript',
  'application/x-javascript',
  'text/javascript',
  'text/x-javascript',
  'text/ecmascript',
  'text/js',
  'text/jscript',
  'text/x-js',
  'application/ecmascript',
  'application/x-json',
  'application/xml',
  'application/json',
  'image/svg+xml',
  'text/xml',
  'application/xhtml+xml',
  'application/grpc-web',
  'application/grpc-web+proto',
  'application/grpc-web+json',
  'application/grpc-web+thrift',
  'application/grpc-web-text',
  'application/grpc-web-text+proto',
  'application/grpc-web-text+thrift',
];

/** Compresses responses for clients that ask for it. */
export function compressor(compression: Compression): HttpFilter {
  const config = Compressor.fromPartial({
    compressorLibrary: TypedExtensionConfig.fromPartial({ name: compression, typedConfig: libraries[compression] }),
    responseDirectionConfig: { commonConfig: { contentType: contentTypes } },
  });
  return httpFilter('envoy.filters.http.compressor', packed(Compressor, config));
}
