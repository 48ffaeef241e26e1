import type { ExtensionTarget } from '../../dag/model/guards.ts';
import { GrpcService } from '../../envoy-api/envoy/config/core/v3/grpc_service.ts';
import { extensionClusterName } from '../names.ts';
import { timeout } from '../protobuf.ts';

/** How Envoy asks an ExtensionService over gRPC. Without a name to check, the cluster's stands for it. */
export function extensionGrpcService(target: ExtensionTarget): GrpcService {
  const clusterName = extensionClusterName(target);
  const authority = target.sni ?? clusterName.replaceAll('/', '.');
  const limit = timeout(target.timeoutMs);
  return GrpcService.fromPartial({
    targetSpecifier: { $case: 'envoyGrpc', value: { clusterName, authority } },
    ...(limit !== undefined && { timeout: limit }),
  });
}
