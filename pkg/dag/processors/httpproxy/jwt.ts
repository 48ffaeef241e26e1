import type { JWTProvider, VirtualHost } from '../../../apis/projectcontour/v1/httpproxy.ts';
import { fail, type Outcome, ok, type Problem } from '../../../util/outcome.ts';
import type { JwtProvider, JwtVerification, RouteJwt } from '../../model/jwt.ts';
import { keySetOf } from '../../policy/key-set.ts';
import { remoteKeySet } from '../../policy/remote-key-set.ts';
import { originOf, problem, type RootBuild } from './build.ts';
import type { RouteContext } from './route-context.ts';

const providersField = 'Spec.VirtualHost.JWTProviders';

/** What the tokens of a host are checked by; `undefined`: it has no providers. Problems are `JWTVerificationError`s. @see reference 3.6 */
export function hostJwt(build: RootBuild, { jwtProviders = [] }: VirtualHost): Outcome<JwtVerification | undefined> {
  const names = jwtProviders.map(({ name }) => name);
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) return invalid('DuplicateProviderName', `${providersField} is invalid: duplicate name ${repeated}`);
  if (jwtProviders.filter((provider) => provider.default === true).length > 1) {
    const message = `${providersField} is invalid: at most one provider can be set as the default`;
    return invalid('MultipleDefaultProvidersSpecified', message);
  }
  const providers: JwtProvider[] = [];
  for (const [i, provider] of jwtProviders.entries()) {
    const made = providerOf(build, provider, i);
    if (!made.ok) return made;
    providers.push(made.value);
  }
  return ok(providers.length === 0 ? undefined : { providers: providers.sort((a, b) => (a.name < b.name ? -1 : 1)) });
}

function invalid(reason: string, message: string): Outcome<never> {
  return fail('JWTVerificationError', reason, message);
}

function providerOf(build: RootBuild, provider: JWTProvider, index: number): Outcome<JwtProvider> {
  const keys = keysOf(build, provider, index);
  if (!keys.ok) return keys;
  const { name, issuer = '', audiences = [], forwardJWT = false } = provider;
  return ok({ name, issuer, audiences, forward: forwardJWT, keys: keys.value });
}

function keysOf({ reader, config, root }: RootBuild, provider: JWTProvider, index: number): Outcome<JwtProvider['keys']> {
  const { name, remoteJWKS, localJWKS } = provider;
  if (remoteJWKS !== undefined && localJWKS !== undefined) {
    return invalid('JWKSSourceConflict', `${providersField} is invalid: provider "${name}" must not set both remoteJWKS and localJWKS`);
  }
  const path = `spec.virtualhost.jwtProviders[${index}]`;
  if (remoteJWKS !== undefined) {
    const where = { field: `${providersField}.RemoteJWKS for provider "${name}"`, origin: originOf(root.proxy, `${path}.remoteJWKS`) };
    return remoteKeySet({ reader, config }, remoteJWKS, where);
  }
  if (localJWKS === undefined) {
    return invalid('JWKSSourceMissing', `${providersField} is invalid: provider "${name}" must set one of remoteJWKS and localJWKS`);
  }
  // Of its own namespace alone: a name with a slash is that of no Secret.
  const secret = reader.get('Secret', root.namespace, localJWKS.secretName);
  const keys = secret === undefined ? fail('', '', 'Secret not found') : keySetOf(secret, localJWKS.key);
  if (keys.ok) return ok({ type: 'local', keys: keys.value });
  const message = `Secret "${root.namespace}/${localJWKS.secretName}": ${keys.problem.message}`;
  return invalid('LocalJWKSInvalid', `${providersField}.LocalJWKS for provider "${name}" is invalid: ${message}`);
}

/** What a route asks of tokens; `undefined`: nothing. The problem is that of a provider that there is not: such a route is open to nobody. */
export function routeJwt({ build, route }: RouteContext): { readonly jwt?: RouteJwt; readonly problem?: Problem } {
  const { require: required, disabled } = route.jwtVerificationPolicy ?? {};
  const providers = build.root.proxy.spec.virtualhost?.jwtProviders ?? [];
  const name = required || (disabled === true ? undefined : providers.find((provider) => provider.default === true)?.name);
  if (!name) return {};
  if (providers.some((provider) => provider.name === name)) return { jwt: { provider: name } };
  return { problem: problem('JWTVerificationError', 'JWTProviderNotDefined', `Route references an undefined JWT provider "${name}"`) };
}
