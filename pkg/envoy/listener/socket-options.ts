import type { ListenerConfig } from '../../config/config.ts';
import { SocketOption, SocketOption_SocketState } from '../../envoy-api/envoy/config/core/v3/socket_option.ts';
import { isIpv6 } from '../../schema/formats.ts';

/** Linux numbers of protocol levels and options. */
const solSocket = 1;
const ipprotoIp = 0;
const ipprotoTcp = 6;
const ipprotoIpv6 = 41;

/**
 * TCP keep-alive that finds dead clients within about 90 seconds, and the configured DSCP marks (reference §8.1). The mark of IPv6 goes to IPv6
 * addresses alone: where an option cannot be set, Envoy does not listen. The mark of IPv4 can be set on both, and holds for IPv4 clients of `::`.
 */
export function socketOptions(address: string, marks: ListenerConfig['socketOptions']): readonly SocketOption[] {
  const options = [
    option('Enable TCP keep-alive', solSocket, 9, 1),
    option('TCP keep-alive initial idle time', ipprotoTcp, 4, 45),
    option('TCP keep-alive time between probes', ipprotoTcp, 5, 5),
    option('TCP keep-alive probe count', ipprotoTcp, 6, 9),
  ];
  if (marks.tos !== 0) options.push(option('Set IPv4 TOS field', ipprotoIp, 1, marks.tos));
  if (marks.trafficClass !== 0 && isIpv6(address)) options.push(option('Set IPv6 IPV6_TCLASS field', ipprotoIpv6, 67, marks.trafficClass));
  return options;
}

function option(description: string, level: number, name: number, value: number): SocketOption {
  return SocketOption.fromPartial({
    description,
    level,
    name,
    value: { $case: 'intValue', value },
    state: SocketOption_SocketState.STATE_LISTENING,
  });
}
