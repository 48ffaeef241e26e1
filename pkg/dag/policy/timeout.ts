import type { TimeoutSetting } from '../../config/config.ts';
import { parseGoDuration } from '../../k8s/duration.ts';
import { errorMessage } from '../../util/error-text.ts';

/**
 * Reads a timeout in Go's duration syntax, such as `1m30s` or `250ms`.
 *
 * - `''` and any spelling of zero mean Envoy's default (`undefined`); `infinity` and `infinite` mean `'disabled'`.
 * - The result is in milliseconds and may have a fraction (`500us` is 0.5).
 * - A number with no unit (`90`) is refused, as Contour refuses it.
 *
 * @throws {RangeError} if the text is none of these, or is negative.
 * @see HTTPProxy `spec.routes[].timeoutPolicy`
 */
export function parseTimeout(text: string): TimeoutSetting {
  if (text === '') return undefined;
  if (text === 'infinity' || text === 'infinite') return 'disabled';
  const ms = durationOf(text);
  if (ms < 0) throw new RangeError(`unable to parse timeout string ${JSON.stringify(text)}: it is negative`);
  return ms === 0 ? undefined : ms;
}

function durationOf(text: string): number {
  try {
    return parseGoDuration(text);
  } catch (error) {
    const detail = errorMessage(error);
    throw new RangeError(`unable to parse timeout string ${JSON.stringify(text)}: ${detail}`);
  }
}
