import type { ConfigSourceKind, TypeUrl } from '../resource.ts';

/** What a proxy answered to a response, with the resources and versions that it is about. */
export interface ProxyAnswer {
  /** Tells streams apart; the same object for all answers of one. */
  readonly stream: object;
  /** The name of the proxy, for people. */
  readonly node: string;
  readonly source: ConfigSourceKind;
  readonly type: TypeUrl;
  /** Name to version; `undefined` where the response said that the resource is gone. */
  readonly sent: ReadonlyMap<string, string | undefined>;
  /** Present: the response was refused, and these names in it are at fault. */
  readonly refused?: { readonly names: readonly string[]; readonly message: string };
}
