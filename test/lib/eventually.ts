/**
 * Waits until something holds, looking every few milliseconds. For what tells nobody when it happens; where there is an event,
 * wait for that.
 *
 * @throws {Error} naming `what`, with the last failure as its cause, after `limitMs` (default 20,000: machines under load are slow).
 */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>, limitMs = 20_000): Promise<void> {
  const end = performance.now() + limitMs;
  let cause: unknown;
  do {
    try {
      if (await holds()) return;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  } while (performance.now() < end);
  throw new Error(`waited in vain for ${what}`, { cause });
}
