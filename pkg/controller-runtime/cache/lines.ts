import type { IncomingMessage } from 'node:http';

const newline = 0x0a;

/**
 * Gives each whole line of an answer to `onLine` as soon as it is there. A last line without its end is dropped: the
 * connection was cut within it.
 *
 * @throws what `onLine` throws, after closing the connection; an Error if the connection breaks
 */
export function readLines(response: IncomingMessage, onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let head: Buffer[] = [];
    response.on('data', (chunk: Buffer) => {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const line = joined(head, chunk.subarray(start, end));
        head = [];
        start = end + 1;
        try {
          onLine(line);
        } catch (error) {
          reject(error);
          response.destroy();
          return;
        }
      }
      if (start < chunk.length) head.push(chunk.subarray(start));
    });
    response.on('error', reject);
    response.on('end', resolve);
    // Whatever closes it: nobody may wait for a line that never comes.
    response.on('close', () => reject(new Error('the connection was closed')));
  });
}

function joined(head: readonly Buffer[], tail: Buffer): string {
  return head.length === 0 ? tail.toString('utf8') : Buffer.concat([...head, tail]).toString('utf8');
}
