/** Entry point of a web worker that computes statistics of draws. */
import { statisticsThread } from '../statistics-thread.js';
import type { WorkerScope } from './web-worker.js';

declare const self: WorkerScope;

const perform = statisticsThread((said, handed = []) => self.postMessage(said, handed));
self.onmessage = ({ data }) => perform(data);
