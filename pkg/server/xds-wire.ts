import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { Node } from '../envoy-api/envoy/config/core/v3/base.ts';
import { DeltaDiscoveryRequest, DiscoveryRequest } from '../envoy-api/envoy/service/discovery/v3/discovery.ts';
import type { Status } from '../envoy-api/google/rpc/status.ts';
import type { XdsRequest } from '../xds/ordering.ts';
import type { ErrorDetail, Response, SentResource } from '../xds/type-stream.ts';
import type { EncodedResource, TypeUrl } from '../xdscache/resource.ts';

/** The two protocols. */
export type Protocol = XdsRequest['protocol'];

/** What is kept of the Node that an Envoy presents; the rest, some 100 KiB of extension names, is dropped. */
export interface NodeInfo {
  readonly id: string;
  readonly cluster: string;
  /** Such as `envoy 1.40.0`; `''` if it does not say. */
  readonly userAgent: string;
}

/** A request as it came in. */
export interface DecodedRequest {
  /** `''` where the client leaves it to the method. */
  readonly typeUrl: string;
  readonly node: NodeInfo | undefined;
  readonly request: XdsRequest;
}

/** @throws {Error} if the bytes are no request of the protocol. */
export function decodeRequest(protocol: Protocol, bytes: Uint8Array): DecodedRequest {
  return protocol === 'delta' ? decodeDelta(DeltaDiscoveryRequest.decode(bytes)) : decodeSotw(DiscoveryRequest.decode(bytes));
}

function decodeDelta(message: DeltaDiscoveryRequest): DecodedRequest {
  const request = {
    subscribe: message.resourceNamesSubscribe,
    unsubscribe: message.resourceNamesUnsubscribe,
    initialVersions: new Map(Object.entries(message.initialResourceVersions)),
    nonce: message.responseNonce,
    ...errorDetail(message.errorDetail),
  };
  return { typeUrl: message.typeUrl, node: nodeInfo(message.node), request: { protocol: 'delta', request } };
}

function decodeSotw(message: DiscoveryRequest): DecodedRequest {
  const request = { names: message.resourceNames, nonce: message.responseNonce, ...errorDetail(message.errorDetail) };
  return { typeUrl: message.typeUrl, node: nodeInfo(message.node), request: { protocol: 'sotw', request } };
}

function errorDetail(status: Status | undefined): { readonly error?: ErrorDetail } {
  return status === undefined ? {} : { error: { code: status.code, message: status.message } };
}

function nodeInfo(node: Node | undefined): NodeInfo | undefined {
  if (node === undefined) return undefined;
  const version = node.userAgentVersionType;
  const number = version?.$case === 'userAgentBuildVersion' ? version.value.version : undefined;
  const text =
    version?.$case === 'userAgentVersion' ? version.value : number && `${number.majorNumber}.${number.minorNumber}.${number.patch}`;
  return { id: node.id, cluster: node.cluster, userAgent: [node.userAgentName, text ?? ''].join(' ').trim() };
}

// Tags of DiscoveryResponse, DeltaDiscoveryResponse, their Resource and Any: field number * 8 + 2 (length-delimited).
const versionTag = 0x0a; // field 1 in both responses and in Resource
const resourcesTag = 0x12; // field 2 in both responses
const typeUrlTag = 0x22; // field 4 in both responses
const nonceTag = 0x2a; // field 5 in both responses
const removedTag = 0x32; // field 6 of DeltaDiscoveryResponse
const resourceNameTag = 0x1a; // field 3 of Resource
const resourceAnyTag = 0x12; // field 2 of Resource
const anyTypeTag = 0x0a;
const anyValueTag = 0x12;

/**
 * Serialises responses around the resources' own bytes. What stands before a resource in a response is made once for each version of it,
 * and ends where its bytes begin: these are shared by all streams and never encoded again.
 */
export class ResponseWriter {
  readonly #heads: Readonly<Record<Protocol, WeakMap<EncodedResource, Head>>> = { delta: new WeakMap(), sotw: new WeakMap() };

  /** The last bodies by protocol and type, as long as they are in memory anyway. */
  readonly #bodies = new Map<string, readonly WeakRef<Body>[]>();

  /** The bytes of a DeltaDiscoveryResponse or a DiscoveryResponse. */
  write(protocol: Protocol, response: Response): Buffer {
    const nonce = new BinaryWriter().uint32(nonceTag).string(response.nonce).finish();
    return Buffer.concat([this.#body(protocol, response), nonce]);
  }

  /** All but the nonce: it is the same for every proxy that the same is due for, and made once while they get it. */
  #body(protocol: Protocol, response: Response): Buffer {
    const key = `${protocol} ${response.type}`;
    const bodies = this.#bodies.get(key) ?? [];
    for (const reference of bodies) {
      const body = reference.deref();
      if (body !== undefined && sameContent(body.response, response)) return body.bytes;
    }
    const body = { response, bytes: this.#writeBody(protocol, response) };
    this.#bodies.set(key, [new WeakRef(body), ...bodies.filter((one) => one.deref() !== undefined)].slice(0, maxBodies));
    return body.bytes;
  }

  #writeBody(protocol: Protocol, response: Response): Buffer {
    const start = new BinaryWriter();
    start.uint32(versionTag).string(response.version);
    const chunks: Uint8Array[] = [start.finish()];
    for (const resource of response.resources) {
      chunks.push(this.#head(protocol, response.type, resource), resource.encoded.bytes);
    }
    const end = new BinaryWriter();
    for (const name of response.removed) end.uint32(removedTag).string(name);
    end.uint32(typeUrlTag).string(response.type);
    chunks.push(end.finish());
    return Buffer.concat(chunks);
  }

  #head(protocol: Protocol, type: TypeUrl, { name, encoded }: SentResource): Uint8Array {
    const heads = this.#heads[protocol];
    const known = heads.get(encoded);
    if (known?.name === name && known.type === type) return known.bytes;
    const bytes = protocol === 'delta' ? deltaHead(type, name, encoded) : sotwHead(type, encoded);
    heads.set(encoded, { name, type, bytes });
    return bytes;
  }
}

/** How many bodies of a type are remembered. */
const maxBodies = 3;

/** The bytes of a response without its nonce. */
interface Body {
  readonly response: Response;
  readonly bytes: Buffer;
}

function sameContent(a: Response, b: Response): boolean {
  if (a.version !== b.version || a.resources.length !== b.resources.length || a.removed.length !== b.removed.length) return false;
  const same = a.resources.every(({ name, encoded }, i) => name === b.resources[i]?.name && encoded === b.resources[i].encoded);
  return same && a.removed.every((name, i) => name === b.removed[i]);
}

interface Head {
  readonly name: string;
  readonly type: TypeUrl;
  readonly bytes: Uint8Array;
}

/** An Any without its value's bytes. */
function anyHead(type: TypeUrl, valueBytes: number): Uint8Array {
  return new BinaryWriter().uint32(anyTypeTag).string(type).uint32(anyValueTag).uint32(valueBytes).finish();
}

function sotwHead(type: TypeUrl, { bytes }: EncodedResource): Uint8Array {
  const any = anyHead(type, bytes.length);
  return new BinaryWriter()
    .uint32(resourcesTag)
    .uint32(any.length + bytes.length)
    .raw(any)
    .finish();
}

function deltaHead(type: TypeUrl, name: string, { version, bytes }: EncodedResource): Uint8Array {
  const any = anyHead(type, bytes.length);
  const resource = new BinaryWriter().uint32(resourceNameTag).string(name).uint32(versionTag).string(version);
  const head = resource
    .uint32(resourceAnyTag)
    .uint32(any.length + bytes.length)
    .raw(any)
    .finish();
  return new BinaryWriter()
    .uint32(resourcesTag)
    .uint32(head.length + bytes.length)
    .raw(head)
    .finish();
}
