/** Entry point of a worker thread that compiles programs. */
import { compilerThread } from '../../library/compiler-thread.js';
import { answerOrders } from './worker-side.js';

answerOrders(compilerThread);
