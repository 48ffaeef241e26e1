import type { BackendTLSPolicy } from '../../../apis/gateway/backend-tls-policy.ts';
import type { BackendObjectReference, BackendRef } from '../../../apis/gateway/common.ts';
import type { GRPCRoute } from '../../../apis/gateway/grpc-route.ts';
import type { HTTPRoute, HTTPRouteFilter } from '../../../apis/gateway/http-route.ts';
import { refOf } from '../../../apis/meta.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import { type Contribution, emptyContribution, type PolicyStatusPart } from '../../contribution.ts';
import { gatewayGroup } from '../../policy/gateway-listeners.ts';
import { isReferenceGranted } from '../../policy/reference-grant.ts';
import { type PolicyFindings, policiesOf } from './backend-tls-policy.ts';
import { conditionsOf, type Finding, withDefaults } from './findings.ts';

/**
 * A policy that no route of ours leads to has no entry of ours in its status: where there is one it is to go. Those that matter are
 * spoken of by the routes.
 */
export function processBackendTlsPolicy(policy: BackendTLSPolicy): Contribution {
  return { ...emptyContribution, statuses: [partOf(policy, [])] };
}

/** Adds what is to be said of the policies of the Services that a route refers to. A route that is none of ours says nothing. */
export function withPolicies(contribution: Contribution, route: HTTPRoute | GRPCRoute, reader: Reader, config: Config): Contribution {
  const parents = contribution.statuses.flatMap((part) => (part.type === 'route' ? part.parents : []));
  const [first] = parents;
  if (first === undefined || config.gatewayRef === undefined) return contribution;
  const { namespace, name } = config.gatewayRef;
  const ancestorRef = { group: gatewayGroup, kind: 'Gateway', namespace, name };
  const parts = servicesOf(route, reader)
    .flatMap((service) => policiesOf(reader, service))
    .map(({ policy, findings }) =>
      partOf(policy, [{ ancestorRef, controllerName: first.controllerName, conditions: conditions({ policy, findings }) }]),
    );
  const unique = new Map(parts.map((part) => [part.object.name + part.object.namespace, part]));
  return unique.size === 0 ? contribution : { ...contribution, statuses: [...contribution.statuses, ...unique.values()] };
}

const accepted: Finding = { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Accepted BackendTLSPolicy' };
const resolved: Finding = { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'References resolved' };

function conditions({ policy, findings }: PolicyFindings): PolicyStatusPart['ancestors'][number]['conditions'] {
  return conditionsOf(withDefaults(findings, [accepted, resolved]), policy.metadata.generation ?? 0);
}

function partOf(policy: BackendTLSPolicy, ancestors: PolicyStatusPart['ancestors']): PolicyStatusPart {
  return { type: 'policy', object: refOf(policy), generation: policy.metadata.generation ?? 0, ancestors };
}

/** The Services that a route may send requests to, each once. */
function servicesOf(route: HTTPRoute | GRPCRoute, reader: Reader): readonly { readonly namespace: string; readonly name: string }[] {
  const { kind, namespace } = refOf(route);
  const from = { group: gatewayGroup, kind, namespace };
  const targets = backendsOf(route)
    .filter((backend) => (backend.group ?? '') === '' && (backend.kind ?? 'Service') === 'Service')
    .map((backend) => ({ group: '', kind: 'Service', namespace: backend.namespace ?? namespace, name: backend.name }))
    .filter((to) => isReferenceGranted(from, to, reader));
  return [...new Map(targets.map((target) => [`${target.namespace}/${target.name}`, target])).values()];
}

interface Rule {
  readonly backendRefs?: readonly (BackendRef & { readonly filters?: readonly HTTPRouteFilter[] })[];
  readonly filters?: readonly HTTPRouteFilter[];
}

function backendsOf({ spec }: HTTPRoute | GRPCRoute): readonly BackendObjectReference[] {
  const rules: readonly Rule[] = spec.rules ?? [];
  return rules.flatMap(({ backendRefs = [], filters = [] }) => [
    ...backendRefs,
    ...filters.flatMap(({ requestMirror }) => (requestMirror === undefined ? [] : [requestMirror.backendRef])),
  ]);
}
