import type { Ingress } from '../../../apis/networking/v1/ingress.ts';
import type { TimeoutSetting } from '../../../config/config.ts';
import type { Problem } from '../../../util/outcome.ts';
import type { RetryPolicy } from '../../model/route.ts';
import { parseTimeout } from '../../policy/timeout.ts';

/** What the annotations of an Ingress ask for. */
export interface IngressSettings {
  /** Plaintext routes answer 301 to https. */
  readonly forceSslRedirect: boolean;
  /** Whether there are plaintext routes. A forced redirect keeps them whatever the annotation says. */
  readonly allowHttp: boolean;
  readonly responseTimeoutMs: TimeoutSetting;
  readonly retry?: RetryPolicy;
  /** Paths, as rules have them, whose connections may be upgraded to WebSocket. */
  readonly websocketPaths: ReadonlySet<string>;
  readonly tlsMinimum: string;
  readonly tlsMaximum: string;
  /** Where Secrets are that are named without a namespace. */
  readonly secretNamespace: string;
  /** Annotations that cannot be read; each leaves its default. */
  readonly problems: readonly Problem[];
}

/** Reads the annotations of an Ingress. @see Contour `internal/annotation/annotations.go` */
export function ingressSettings({ metadata }: Ingress): IngressSettings {
  const annotations = metadata.annotations ?? {};
  const contour = (name: string): string | undefined => annotations[`projectcontour.io/${name}`];
  const problems: Problem[] = [];
  const timeout = (...names: readonly string[]): TimeoutSetting => {
    const name = names.find((candidate) => contour(candidate) !== undefined);
    return name === undefined ? undefined : readTimeout(`projectcontour.io/${name}`, contour(name)!, problems);
  };
  const forceSslRedirect = annotations['ingress.kubernetes.io/force-ssl-redirect'] === 'true';
  const retryOn = contour('retry-on') ?? '';
  return {
    forceSslRedirect,
    allowHttp: forceSslRedirect || annotations['kubernetes.io/ingress.allow-http'] !== 'false',
    responseTimeoutMs: timeout('response-timeout', 'request-timeout'),
    ...(retryOn !== '' && { retry: retry(retryOn, contour('num-retries'), timeout('per-try-timeout')) }),
    websocketPaths: new Set(
      (contour('websocket-routes') ?? '')
        .split(',')
        .map((path) => path.trim())
        .filter((path) => path !== ''),
    ),
    tlsMinimum: contour('tls-minimum-protocol-version') ?? '',
    tlsMaximum: contour('tls-maximum-protocol-version') ?? '',
    secretNamespace: contour('tls-cert-namespace') || (metadata.namespace ?? ''),
    problems,
  };
}

function readTimeout(annotation: string, text: string, problems: Problem[]): TimeoutSetting {
  try {
    return parseTimeout(text);
  } catch (error) {
    problems.push({
      type: 'AnnotationError',
      reason: 'AnnotationNotValid',
      message: `annotation ${annotation}: ${(error as Error).message}`,
    });
    return undefined;
  }
}

function retry(retryOn: string, numRetries: string | undefined, perTryTimeoutMs: TimeoutSetting): RetryPolicy {
  return {
    retryOn,
    numRetries: retryCount(numRetries ?? ''),
    ...(perTryTimeoutMs !== undefined && { perTryTimeoutMs }),
    retriableStatusCodes: [],
  };
}

/** `-1` is none; anything else that is no number above 0 is 1. */
function retryCount(text: string): number {
  if (text === '-1') return 0;
  const count = /^\+?\d{1,9}$/.test(text) ? Number(text) : 1;
  return Math.max(count, 1);
}
