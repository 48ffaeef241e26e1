import type { Gateway } from '../../../apis/gateway/gateway.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import type { Contribution, GatewayListenerStatus, GatewayStatusPart } from '../../contribution.ts';
import { emptyContribution } from '../../contribution.ts';
import { gatewayGroup } from '../../policy/gateway-listeners.ts';
import { guardedListeners } from '../../policy/listeners.ts';
import { conditionsOf, type Finding, fault, withDefaults } from './findings.ts';
import { type ServedGateway, servedGateway } from './served-gateway.ts';
import type { ServedListener } from './served-listener.ts';

/** Brings the listeners of the configured Gateway, and its status. Other Gateways are none of ours. */
export function processGateway({ metadata }: Gateway, reader: Reader, config: Config): Contribution {
  const { gatewayRef } = config;
  if (gatewayRef === undefined || metadata.namespace !== gatewayRef.namespace || metadata.name !== gatewayRef.name)
    return emptyContribution;
  const served = servedGateway(reader, config);
  if (served === undefined) return emptyContribution;
  return { ...emptyContribution, listeners: guardedListeners(reader, config), statuses: [gatewayStatus(served)] };
}

function gatewayStatus(served: ServedGateway): GatewayStatusPart {
  const generation = served.gateway.metadata.generation ?? 0;
  const listeners = served.listeners.map((listener) => listenerStatus(listener, generation));
  return {
    type: 'gateway',
    object: served.ref,
    generation,
    conditions: conditionsOf(gatewayFindings(served, listeners), generation),
    listeners,
  };
}

function gatewayFindings({ addressProblem }: ServedGateway, listeners: readonly GatewayListenerStatus[]): readonly Finding[] {
  const accepted: Finding = { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Gateway is accepted' };
  if (addressProblem !== undefined) return [accepted, fault('Programmed', 'AddressNotAssigned', addressProblem)];
  const isProgrammed = ({ conditions }: GatewayListenerStatus) =>
    conditions.every(({ type, status }) => type !== 'Programmed' || status === 'True');
  if (!listeners.every(isProgrammed)) return [accepted, fault('Programmed', 'ListenersNotValid', 'Listeners are not valid')];
  return [accepted, { type: 'Programmed', status: 'True', reason: 'Programmed', message: 'Valid Gateway' }];
}

const accepted: Finding = { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Listener accepted' };
const resolved: Finding = { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'Listener references resolved' };
const programmed: Finding = { type: 'Programmed', status: 'True', reason: 'Programmed', message: 'Valid listener' };
const notProgrammed = fault('Programmed', 'Invalid', 'Invalid listener, see other listener conditions for details');

function listenerStatus({ listener, kinds, findings, warnings }: ServedListener, generation: number): GatewayListenerStatus {
  const said = findings.length > 0 ? findings : warnings;
  const verdict = findings.length > 0 ? notProgrammed : programmed;
  return {
    name: listener.name,
    supportedKinds: kinds.map((kind) => ({ group: gatewayGroup, kind })),
    conditions: conditionsOf(withDefaults(said, [verdict, accepted, resolved]), generation),
  };
}
