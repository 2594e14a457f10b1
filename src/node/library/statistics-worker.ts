/** Entry point of a worker thread that computes statistics of draws. */
import { statisticsThread } from '../../library/statistics-thread.js';
import { answerOrders } from './worker-side.js';

answerOrders(statisticsThread);
