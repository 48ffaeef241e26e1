import type { KindMap, KindName } from '../../../apis/kinds.ts';
import type { ObjectRef } from '../../../apis/meta.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import type { Contribution } from '../../contribution.ts';
import { emptyContribution } from '../../contribution.ts';
import type { Processor } from '../../processor.ts';
import { processGateway } from './gateway-status.ts';
import { processGrpcRoute, processHttpRoute } from './http-route.ts';
import { processBackendTlsPolicy } from './policy-status.ts';
import { processTcpRoute, processTlsRoute } from './stream-route.ts';

/**
 * The front end for the Gateway API. The configured Gateway brings the listeners, routes attach to it; without one in the configuration
 * nothing of this is ours.
 */
export const gatewayApiProcessor: Processor = {
  kinds: ['Gateway', 'HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'BackendTLSPolicy'],
  process: (root, reader, config) =>
    config.gatewayRef === undefined ? emptyContribution : (processors[root.kind]?.(root, reader, config) ?? emptyContribution),
};

type RootProcessor = (root: ObjectRef, reader: Reader, config: Config) => Contribution;

const processors: Readonly<Record<string, RootProcessor>> = {
  Gateway: rootProcessor('Gateway', processGateway),
  HTTPRoute: rootProcessor('HTTPRoute', processHttpRoute),
  GRPCRoute: rootProcessor('GRPCRoute', processGrpcRoute),
  TLSRoute: rootProcessor('TLSRoute', processTlsRoute),
  TCPRoute: rootProcessor('TCPRoute', processTcpRoute),
  BackendTLSPolicy: rootProcessor('BackendTLSPolicy', processBackendTlsPolicy),
};

function rootProcessor<K extends KindName>(
  kind: K,
  process: (object: KindMap[K], reader: Reader, config: Config) => Contribution,
): RootProcessor {
  return ({ namespace, name }, reader, config) => {
    const object = reader.get(kind, namespace, name);
    return object === undefined ? emptyContribution : process(object, reader, config);
  };
}
