/** A name server for `*.backend.test`: everything else does not exist. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const suffix = ['backend', 'test'];
const typeA = 1;
const headerBytes = 12;

/** Listens on port 53 of 127.0.0.1, which a network namespace of the tests' own has free. */
export async function startNameServer(address: string): Promise<AsyncDisposable> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address: peer }) => socket.send(reply(query, address), port, peer));
  socket.bind(53, '127.0.0.1');
  await once(socket, 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Answers a query of one question (RFC 1035 §4.1). */
function reply(query: Buffer, address: string): Buffer {
  const { labels, end } = readName(query);
  const type = query.readUInt16BE(end);
  const ours = labels.slice(-2).join('.').toLowerCase() === suffix.join('.');
  // A pointer to the name in the question, type A, class IN, 5 s, and the address.
  const record = Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 5, 0, 4, ...address.split('.').map(Number)]);
  const records = ours && type === typeA ? [record] : [];
  const flags = Buffer.from([0x81, ours ? 0x80 : 0x83]);
  const counts = Buffer.from([0, 1, 0, records.length, 0, 0, 0, 0]);
  return Buffer.concat([query.subarray(0, 2), flags, counts, query.subarray(headerBytes, end + 4), ...records]);
}

function readName(query: Buffer): { readonly labels: readonly string[]; readonly end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { labels, end: at + 1 };
}
