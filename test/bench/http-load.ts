/**
 * Load for the HTTP benchmark, in its own process: repeats one request over persistent connections. Options and results are sent over the
 * channel of `fork`. It parses a response only to find its end, because it shares the processor cores with the server.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  readonly url: string;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Duration of each request, in milliseconds. */
  readonly latencies: readonly number[];
  /** Processor time of the load itself per request, in microseconds. */
  readonly cost: number;
}

const HEAD_END = '\r\n\r\n';

process.on('message', (load: Load) => {
  void run(load).then((result) => process.send?.(result));
});

async function run({ url, body, connections, seconds }: Load): Promise<LoadResult> {
  const { hostname, port, pathname, host } = new URL(url);
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  const request = Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: hostname, port: Number(port), noDelay: true }),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const latencies: number[] = [];
  const used = process.cpuUsage();
  const start = performance.now();
  await Promise.all(sockets.map((socket) => repeat(socket, request, start + 1000 * seconds, latencies)));
  const elapsed = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  return {
    requestsPerSecond: (1000 * latencies.length) / elapsed,
    latencies,
    cost: (user + system) / latencies.length,
  };
}

/** Sends a request whenever the response to the previous one has arrived, until `end`. */
function repeat(socket: Socket, request: Buffer, end: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let begin = performance.now();
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (!isWhole(received)) return;
      if (!received.startsWith('HTTP/1.1 200 ')) return reject(new Error(received));
      received = '';
      const now = performance.now();
      latencies.push(now - begin);
      begin = now;
      if (now < end) socket.write(request);
      else socket.end(resolve);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.write(request);
  });
}

function isWhole(response: string): boolean {
  const end = response.indexOf(HEAD_END);
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(response.slice(0, end));
  if (length === null) throw new Error(`an answer without its length: ${response}`);
  return response.length >= end + HEAD_END.length + Number(length[1]);
}
