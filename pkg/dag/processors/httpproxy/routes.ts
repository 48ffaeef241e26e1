import type { HTTPProxy, Include, MatchCondition } from '../../../apis/projectcontour/v1/httpproxy.ts';
import { fail, type Outcome, ok } from '../../../util/outcome.ts';
import { mergeConditions } from '../../policy/match.ts';
import { headerConditionsError, includePathConditionsError, queryConditionsError } from '../../policy/match-rules.ts';
import { matchKey } from '../../policy/route-order.ts';
import { idOf, originOf, problem, type RootBuild, type Visit, visit } from './build.ts';
import { splitPrefixRewrites } from './prefix-split.ts';
import { processRoute } from './route.ts';
import type { RouteDraft } from './route-draft.ts';

/** Proxies that include one another many times over multiply with every level; no real host comes near this. */
const maximumIncludes = 10_000;

/** All routes of a root's host: those of its includes, then its own. */
export function processRoutes(build: RootBuild): readonly RouteDraft[] {
  return routesOfProxy({ build, visit: build.root, conditions: [], chain: [] });
}

/** A proxy as one chain of includes reaches it. */
interface Reached {
  readonly build: RootBuild;
  readonly visit: Visit;
  /** Those of all includes on the way, from the outermost. */
  readonly conditions: readonly MatchCondition[];
  /** The proxies on the way, from the root. */
  readonly chain: readonly HTTPProxy[];
}

/** An error in a proxy's own routes leaves the whole proxy without routes, those of its includes too. */
function routesOfProxy({ build, visit: here, conditions, chain }: Reached): readonly RouteDraft[] {
  const { proxy, errors } = here;
  if (chain.includes(proxy)) {
    const loop = [...chain, proxy].map(idOf).join(' -> ');
    errors.push(problem('IncludeError', 'IncludeCreatesCycle', `include creates an include cycle: ${loop}`));
    return [];
  }
  const drafts = [...routesOfIncludes({ build, visit: here, conditions, chain: [...chain, proxy] })];
  for (const [i, route] of (proxy.spec.routes ?? []).entries()) {
    const draft = processRoute({ build, visit: here, route, path: `spec.routes[${i}]`, inherited: conditions });
    if (!draft.ok) {
      errors.push(draft.problem);
      return [];
    }
    drafts.push(draft.value);
  }
  return splitPrefixRewrites(drafts);
}

function routesOfIncludes(reached: Reached): readonly RouteDraft[] {
  const seen = new Set<string>();
  return (reached.visit.proxy.spec.includes ?? []).flatMap((include, i) => {
    const valid = checkInclude(reached, { include, path: `spec.includes[${i}].conditions` }, seen);
    if (valid.ok) return routesOfInclude(reached, include, i);
    reached.visit.errors.push(valid.problem);
    return [];
  });
}

const unconditional = matchKey(mergeConditions([]));

function checkInclude(
  { conditions }: Reached,
  { include, path }: { readonly include: Include; readonly path: string },
  seen: Set<string>,
): Outcome<undefined> {
  const own = include.conditions ?? [];
  const pathError = includePathConditionsError(own);
  if (pathError !== undefined) return fail('IncludeError', 'PathMatchConditionsNotValid', `${path}: ${pathError}`);
  const all = [...conditions, ...own];
  const headerError = headerConditionsError(all);
  if (headerError !== undefined) return fail('RouteError', 'HeaderMatchConditionsNotValid', `${path}: ${headerError}`);
  const queryError = queryConditionsError(all);
  if (queryError !== undefined) return fail('RouteError', 'QueryParameterMatchConditionsNotValid', `${path}: ${queryError}`);

  const key = matchKey(mergeConditions(own));
  // Without conditions several includes may share the whole of what is theirs: their routes have paths of their own.
  if (key !== unconditional && seen.has(key)) {
    return fail('IncludeError', 'DuplicateMatchConditions', `${path}: another include has the same`);
  }
  seen.add(key);
  return ok(undefined);
}

function routesOfInclude({ build, visit: here, conditions, chain }: Reached, include: Include, i: number): readonly RouteDraft[] {
  const { errors, proxy, namespace: own } = here;
  const namespace = include.namespace || own;
  const inner = [...conditions, ...(include.conditions ?? [])];
  if (++build.followed > maximumIncludes) {
    if (build.followed === maximumIncludes + 1) {
      build.root.errors.push(
        problem('IncludeError', 'TooManyIncludes', `more than ${maximumIncludes} includes are followed; the rest answers 502`),
      );
    }
    return [badGateway(build, proxy, inner, i)];
  }
  const target = build.reader.get('HTTPProxy', namespace, include.name);
  if (target !== undefined && target.spec.virtualhost === undefined) {
    return routesOfProxy({ build, visit: visit(build, target), conditions: inner, chain });
  }
  const id = `${namespace}/${include.name}`;
  errors.push(
    target === undefined
      ? problem('IncludeError', 'IncludeNotFound', `spec.includes[${i}]: HTTPProxy ${id} not found`)
      : problem('IncludeError', 'RootIncludesRoot', `spec.includes[${i}]: root httpproxy cannot include another root httpproxy (${id})`),
  );
  return include.conditions?.length ? [badGateway(build, proxy, inner, i)] : [];
}

/** Keeps requests for a missing include from a broader route, whose backend knows nothing of them. */
function badGateway({ hostMatches }: RootBuild, proxy: HTTPProxy, conditions: readonly MatchCondition[], i: number): RouteDraft {
  return {
    route: {
      match: mergeConditions(conditions, hostMatches),
      action: { type: 'direct-response', status: 502 },
      httpsRedirect: false,
      priority: 0,
      origin: originOf(proxy, `spec.includes[${i}]`),
    },
    permitInsecure: true,
  };
}
