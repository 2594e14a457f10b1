/** The entry of a worker thread that runs compiled programs. */
import { runnerThread } from '../../library/runner-thread.js';
import { answerOrders } from './worker-side.js';

answerOrders(runnerThread);
