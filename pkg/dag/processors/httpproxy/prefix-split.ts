import type { PathRewrite, Route } from '../../model/route.ts';
import type { RouteDraft } from './route-draft.ts';

/**
 * Makes prefix rewrites come out clean for both `/foo` and `/foo/x`. A route with a rewrite whose prefix, but for
 * trailing slashes, no other route has becomes two, so that no request gets a double slash or loses one. A prefix
 * that ends in a slash must not take its siblings with it: there the first of the two is exact.
 *
 * | prefix | routes | rewrite |
 * | --- | --- | --- |
 * | `/foo` | prefix `/foo`, prefix `/foo/` | `/bar`, `/bar/` |
 * | `/foo/` | exact `/foo`, prefix `/foo/` | `/bar`, `/bar/` |
 *
 * Prefixes of two or more routes are left alone: there the user cares for both forms.
 * @see reference 3.8
 */
export function splitPrefixRewrites(drafts: readonly RouteDraft[]): readonly RouteDraft[] {
  if (!drafts.some(isSplittable)) return drafts;
  const counts = new Map<string, number>();
  for (const draft of drafts) {
    const stem = stemOf(draft);
    if (stem !== undefined) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return drafts.flatMap((draft) => (isSplittable(draft) && counts.get(stemOf(draft) ?? '') === 1 ? split(draft) : [draft]));
}

function rewriteOf({ action }: Route): PathRewrite | undefined {
  return action.type === 'forward' ? action.forward?.pathRewrite : undefined;
}

function isSplittable(draft: RouteDraft): boolean {
  const { path } = draft.route.match;
  return draft.split !== true && path.type === 'prefix' && path.prefix !== '/' && rewriteOf(draft.route)?.type === 'prefix';
}

/** The prefix without trailing slashes: what routes are grouped by. */
function stemOf({ route }: RouteDraft): string | undefined {
  const { path } = route.match;
  return path.type === 'prefix' ? withoutTrailingSlashes(path.prefix) : undefined;
}

function withoutTrailingSlashes(path: string): string {
  return path.replace(/\/+$/, '');
}

function split(draft: RouteDraft): readonly RouteDraft[] {
  const { route } = draft;
  const { path } = route.match;
  const rewrite = rewriteOf(route);
  if (path.type !== 'prefix' || rewrite?.type !== 'prefix') return [draft];

  const stem = withoutTrailingSlashes(path.prefix);
  const target = withoutTrailingSlashes(rewrite.replacement);
  const bare = path.prefix === stem ? path : ({ type: 'exact', path: stem } as const);
  return [
    { ...draft, split: true, route: rewritten({ ...route, match: { ...route.match, path: bare } }, target || '/') },
    {
      ...draft,
      split: true,
      route: rewritten({ ...route, match: { ...route.match, path: { ...path, prefix: `${stem}/` } } }, `${target}/`),
    },
  ];
}

function rewritten(route: Route, replacement: string): Route {
  if (route.action.type !== 'forward') return route;
  const forward = { ...route.action.forward, pathRewrite: { type: 'prefix', replacement } as const };
  return { ...route, action: { ...route.action, forward } };
}
