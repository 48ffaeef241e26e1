import { secretKeyOf } from '../asked-secret.ts';
import { type SnapshotView, typeUrls } from '../resource.ts';
import type { ProxyAnswer } from './proxy-answer.ts';

/** An answer about secrets by the names that these are served by: a proxy also asks for one by the server names that it is for. */
export function byServedName(answer: ProxyAnswer, snapshot: SnapshotView): ProxyAnswer {
  const secrets = snapshot.all(typeUrls.secret);
  const served = (name: string) => secretKeyOf(name, secrets) ?? name;
  const { refused } = answer;
  const sent = new Map([...answer.sent].map(([name, version]) => [served(name), version]));
  return { ...answer, sent, ...(refused && { refused: { ...refused, names: refused.names.map(served) } }) };
}
