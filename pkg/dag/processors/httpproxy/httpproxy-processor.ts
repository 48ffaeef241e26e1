import { keyOf, type ObjectRef } from '../../../apis/meta.ts';
import type { HTTPProxy } from '../../../apis/projectcontour/v1/httpproxy.ts';
import type { Config } from '../../../config/config.ts';
import type { Reader } from '../../../kubernetes-cache/reader.ts';
import { type Contribution, emptyContribution } from '../../contribution.ts';
import { oneLabelMatch } from '../../policy/wildcard-host.ts';
import type { Processor } from '../../processor.ts';
import { newVisit, problem, type RootBuild, statusOf } from './build.ts';
import { processVirtualHost } from './virtual-host.ts';

/**
 * The front end for HTTPProxies. A proxy with a `virtualhost` brings that host with all routes of the proxies that it
 * includes, and has a word on each of them; a proxy without one only says that it is an orphan, which the word of
 * any root that reaches it outweighs.
 */
export const httpProxyProcessor: Processor = {
  kinds: ['HTTPProxy'],
  process(root: ObjectRef, reader: Reader, config: Config): Contribution {
    const proxy = reader.get('HTTPProxy', root.namespace, root.name);
    if (proxy === undefined) return emptyContribution;
    return proxy.spec.virtualhost === undefined ? orphan(proxy) : processRoot(proxy, reader, config);
  },
};

function orphan(proxy: HTTPProxy): Contribution {
  const error = problem('Orphaned', 'Orphaned', 'no root HTTPProxy reaches this HTTPProxy by include: it serves nothing');
  return { ...emptyContribution, statuses: [{ ...statusOf({ ...newVisit(proxy), errors: [error] }), orphan: true }] };
}

function processRoot(proxy: HTTPProxy, reader: Reader, config: Config): Contribution {
  const root = newVisit(proxy);
  const visits = new Map([[keyOf(proxy), root]]);
  const hostMatch = oneLabelMatch((proxy.spec.virtualhost?.fqdn ?? '').toLowerCase());
  const build: RootBuild = { reader, config, root, hostMatches: hostMatch === undefined ? [] : [hostMatch], visits, followed: 0 };
  const virtualHosts = processVirtualHost(build);
  return { ...emptyContribution, virtualHosts, statuses: [...visits.values()].map(statusOf) };
}
