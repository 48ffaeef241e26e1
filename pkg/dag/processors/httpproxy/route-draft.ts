import type { Route } from '../../model/route.ts';

/** A route on its way to a virtual host. */
export interface RouteDraft {
  /** As the TLS virtual host gets it. */
  readonly route: Route;
  /** Whether the plaintext virtual host answers it too, in place of a redirect to HTTPS. */
  readonly permitInsecure: boolean;
  /** Set once a prefix rewrite was split in two: it is not split again at the levels above. */
  readonly split?: true;
}
