/**
 * The two gRPC services that Envoy asks before it lets a request through: envoy.service.auth.v3.Authorization and
 * envoy.service.ratelimit.v3.RateLimitService, as much of their messages as the cases look at.
 */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export interface GrpcAnswer {
  readonly message: Uint8Array;
  /** What to note, and under which name. */
  readonly calls: readonly { readonly id: string; readonly [key: string]: unknown }[];
  readonly delayMs?: number;
}

/** By the path of a call; each takes the request and gives the answer. */
export const grpcServices: ReadonlyMap<string, (request: Uint8Array) => GrpcAnswer> = new Map([
  ['/envoy.service.auth.v3.Authorization/Check', authorize],
  ['/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit', limitRate],
]);

/** How long the authorization takes that the cases call slow. */
const slowMs = 3_000;
const unauthenticated = 16;
const text = new TextDecoder('latin1');

/** Allows requests with `x-auth: allow`, after a while those with `x-auth: slow`, and denies the others with 401. */
function authorize(request: Uint8Array): GrpcAnswer {
  const attributes = at(request, 1); // CheckRequest.attributes
  const http = at(attributes, 4, 2); // AttributeContext.request.http
  const headers = stringMap(http, 3);
  const context = [...stringMap(attributes, 10)].map((pair) => pair.join('=')).sort();
  const seen = context.join(',') || 'none';
  const word = (path: number): string => text.decode(at(http, path));
  const body = at(http, 11).length || at(http, 12).length;
  const call = {
    id: headers.get('x-test-id') ?? '',
    service: 'authz',
    path: word(4),
    host: word(5),
    method: word(2),
    context: context.join(','),
  };
  const auth = headers.get('x-auth');
  const allowed = auth === 'allow' || auth === 'slow';
  const added = { 'x-auth-seen': 'grpc', 'x-auth-context': seen, 'x-auth-body': String(body) };
  const message = allowed
    ? encode([1, new Uint8Array()], [3, encode(...Object.entries(added).map(([key, value]) => [2, headerOption(key, value)] as const))])
    : encode(
        [1, encode([1, unauthenticated])],
        [2, encode([1, encode([1, 401])], [2, headerOption('x-auth-context', seen)], [3, utf8('denied by authz')])],
      );
  return { message, calls: [call], delayMs: auth === 'slow' ? slowMs : 0 };
}

/** Refuses descriptors with a value that begins with `deny`. */
function limitRate(request: Uint8Array): GrpcAnswer {
  const domain = text.decode(at(request, 1));
  const descriptors = all(request, 2).map((descriptor) =>
    all(descriptor, 1).map((entry) => ({ key: text.decode(at(entry, 1)), value: text.decode(at(entry, 2)) })),
  );
  const over = descriptors.flat().some(({ value }) => value.startsWith('deny'));
  const groups = descriptors.map((entries) => entries.map(({ key, value }) => `${key}=${value}`).join(','));
  const seen = `${domain}|${groups.join('|')}`;
  const header = (name: string): Uint8Array => encode([1, utf8(name)], [2, utf8(seen)]);
  const message = encode([1, over ? 2 : 1], [3, header('x-rl')], [4, header('x-rl-seen')]);
  return { message, calls: [{ id: 'ratelimit', service: 'ratelimit', text: seen }] };
}

/** A HeaderValueOption. */
function headerOption(key: string, value: string): Uint8Array {
  return encode([1, encode([1, utf8(key)], [2, utf8(value)])]);
}

function utf8(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

/** A message of fields: numbers are varints, bytes are strings or messages. */
function encode(...fields: readonly (readonly [number, number | Uint8Array])[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [field, value] of fields) {
    if (typeof value === 'number') writer.tag(field, WireType.Varint).int64(value);
    else writer.tag(field, WireType.LengthDelimited).bytes(value);
  }
  return writer.finish();
}

/** All values of a field of strings or messages. */
function all(message: Uint8Array, wanted: number): readonly Uint8Array[] {
  const reader = new BinaryReader(message);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted && type === WireType.LengthDelimited) found.push(reader.bytes());
    else reader.skip(type, field);
  }
  return found;
}

/** The first value along a path of fields; empty where there is none. */
function at(message: Uint8Array, ...path: readonly number[]): Uint8Array {
  return path.reduce((part, field) => all(part, field)[0] ?? new Uint8Array(), message);
}

function stringMap(message: Uint8Array, field: number): ReadonlyMap<string, string> {
  return new Map(all(message, field).map((entry) => [text.decode(at(entry, 1)), text.decode(at(entry, 2))]));
}
