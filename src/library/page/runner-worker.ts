/** Entry point of a web worker that runs compiled programs. */
import { runnerThread } from '../runner-thread.js';
import type { WorkerScope } from './web-worker.js';

declare const self: WorkerScope;

const perform = runnerThread((said, handed = []) => self.postMessage(said, handed));
self.onmessage = ({ data }) => perform(data);
