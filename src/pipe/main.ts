/**
 * Entry point of the processes that the packages for Python and R start: `pipe engine` or `pipe evaluate`, over
 * standard input and output, or with `--listen` over a socket.
 */
import { PipeEngine } from './engine.js';
import { serveEvaluator } from './evaluator.js';
import { FrameReader } from './frames.js';
import { listen } from './listen.js';

const [, , role, transport] = process.argv;

if (transport === '--listen') {
  listen(role === 'evaluate' ? 'evaluate' : 'engine');
} else if (role === 'evaluate') {
  void serveEvaluator().then(() => process.exit());
} else {
  const engine = new PipeEngine((pieces) => {
    for (const piece of pieces) process.stdout.write(piece);
  });
  const reader = new FrameReader((frame) => void engine.receive(frame));
  // The client ends the process by closing its end of the pipe.
  process.stdout.on('error', () => process.exit());
  process.stdin.on('data', (chunk: Uint8Array) => reader.add(chunk)).on('end', () => process.exit());
}
