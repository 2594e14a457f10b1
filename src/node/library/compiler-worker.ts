/** Entry point of a worker thread that compiles programs and runs them. */
import { compilerThread } from '../../library/compiler-thread.js';
import { sharing } from '../sharing.js';
import { answerOrders } from './worker-side.js';

answerOrders((say) => compilerThread(say, sharing));
