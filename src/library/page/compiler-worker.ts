/** Entry point of a web worker that compiles programs and runs them. */
import { compilerThread } from '../compiler-thread.js';
import type { WorkerScope } from './web-worker.js';

declare const self: WorkerScope;

const perform = compilerThread((said, handed = []) => self.postMessage(said, handed));
self.onmessage = ({ data }) => perform(data);
