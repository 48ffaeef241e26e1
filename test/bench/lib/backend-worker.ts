/** A thread that answers every request on every local address, and names the address that it was reached at in `x-backend`. */
import { createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { ports } from './ports.ts';

const server = createServer({ noDelay: true }, (socket) => {
  const answer = `HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-backend: ${socket.localAddress}\r\n\r\nok`;
  let rest = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    const requests = (rest + text).split('\r\n\r\n');
    rest = requests.pop() ?? '';
    socket.write(answer.repeat(requests.length));
  });
  socket.on('error', () => undefined); // Envoy closes connections to what is gone
});
server.listen(ports.backend, '0.0.0.0', () => parentPort?.postMessage('listening'));
