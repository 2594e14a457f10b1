/** The entry of the processes behind the Python package: `main.js engine` or `main.js evaluate`. */
import { PipeEngine } from './engine.js';
import { serveEvaluator } from './evaluator.js';
import { FrameReader } from './frames.js';

if (process.argv[2] === 'evaluate') {
  await serveEvaluator();
  process.exit();
}

const engine = new PipeEngine((pieces) => {
  for (const piece of pieces) process.stdout.write(piece);
});
const reader = new FrameReader((frame) => void engine.receive(frame));
// The client ends the process by closing its end of the pipe.
process.stdout.on('error', () => process.exit());
process.stdin.on('data', (chunk: Uint8Array) => reader.add(chunk)).on('end', () => process.exit());
