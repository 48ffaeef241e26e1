import type { TypeUrl } from '../xdscache/resource.ts';
import type { Protocol } from './xds-wire.ts';

/** What the xDS server counts. Each function is called as it happens and must be quick. */
export interface XdsMetrics {
  streamOpened(protocol: Protocol): void;
  streamClosed(protocol: Protocol): void;
  requestReceived(type: TypeUrl): void;
  responseSent(type: TypeUrl, size: ResponseSize): void;
  /** @param delayMs from the writing of the response to its acknowledgement. */
  responseAccepted(type: TypeUrl, delayMs: number): void;
  responseRefused(type: TypeUrl): void;
  /** A request broke the protocol and its stream was ended. */
  requestMalformed(): void;
  /** A connection was refused, such as for its certificate. */
  handshakeFailed(): void;
}

/** How much a response carries. */
export interface ResponseSize {
  readonly bytes: number;
  /** Resources sent and removed. */
  readonly resources: number;
}

const nothing = (): void => undefined;

/** Counts nothing. */
export const noXdsMetrics: XdsMetrics = {
  streamOpened: nothing,
  streamClosed: nothing,
  requestReceived: nothing,
  responseSent: nothing,
  responseAccepted: nothing,
  responseRefused: nothing,
  requestMalformed: nothing,
  handshakeFailed: nothing,
};
