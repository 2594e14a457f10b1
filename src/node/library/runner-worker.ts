/** The entry of a worker thread that runs compiled programs. */
import { runnerThread } from '../../library/runner-thread.js';
import { sliceThreads } from '../slice-threads.js';
import { answerOrders } from './worker-side.js';

answerOrders((say) => runnerThread(say, sliceThreads));
