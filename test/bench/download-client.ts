/** A client in its own process, so that it uses no memory of the server: reads a response, counts its bytes and discards them. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** The line that the client prints when it has read everything. */
export interface Download {
  readonly bytes: number;
  readonly seconds: number;
}

const start = performance.now();
const [response]: IncomingMessage[] = await once(get(process.argv[2]), 'response');
if (response.statusCode !== 200) throw new Error(`the answer is ${response.statusCode}`);
let bytes = 0;
response.on('data', (chunk: Buffer) => {
  bytes += chunk.length;
});
await once(response, 'end');
if (!response.complete) throw new Error('the answer was cut off');
console.log(JSON.stringify({ bytes, seconds: (performance.now() - start) / 1000 } satisfies Download));
