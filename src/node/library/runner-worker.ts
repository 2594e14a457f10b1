/** Entry point of a worker thread that runs compiled programs. */
import { runnerThread } from '../../library/runner-thread.js';
import { sharing } from '../sharing.js';
import { answerOrders } from './worker-side.js';

answerOrders((say) => runnerThread(say, sharing));
