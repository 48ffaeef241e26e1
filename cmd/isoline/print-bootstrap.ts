import { bootstrap } from '../../pkg/envoy/bootstrap/bootstrap.ts';
import { bootstrapDefaults } from '../../pkg/envoy/bootstrap/options.ts';
import { toJson } from '../../pkg/envoy/json.ts';
import { Bootstrap } from '../../pkg/envoy-api/envoy/config/bootstrap/v3/bootstrap.ts';

/** The bootstrap with every setting at its default, as JSON. */
export function printBootstrap(namespace: string): unknown {
  const message = bootstrap({ ...bootstrapDefaults, namespace });
  return toJson('envoy.config.bootstrap.v3.Bootstrap', Bootstrap.encode(message).finish());
}
