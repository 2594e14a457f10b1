/** Thread that computes statistics of draws. */
import { leaveOut } from '../fits/cross-validation.js';
import { placesAmong } from '../fits/predictive-places.js';
import { summariesOf } from '../fits/statistics.js';
import { Answering } from './answering.js';
import type { Say } from './platform.js';
import type { Order } from './protocol.js';

/** Handles messages one after another. Call it with each incoming message. */
export function statisticsThread(say: Say): (order: Order) => void {
  const answering = new Answering(say);
  return (order) =>
    answering.answer(() => {
      switch (order.kind) {
        case 'set up statistics':
          return undefined;
        case 'summarize':
          return { kind: 'summarized', summaries: summariesOf(order.columns) };
        case 'leave out':
          return { kind: 'left out', ...leaveOut(order.columns) };
        case 'place': {
          const { logLikelihoods, observations, simulated } = order;
          return { kind: 'placed', places: placesAmong(observations, logLikelihoods, simulated) };
        }
        default:
          throw new Error(`unexpected message to a statistics thread: ${order.kind}`);
      }
    });
}
