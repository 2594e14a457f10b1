/** What a thread does that computes statistics of draws. */
import { summariesOf } from '../run/statistics.js';
import { Answering } from './answering.js';
import type { Say } from './platform.js';
import type { Order } from './protocol.js';

/** Takes orders one after the other; to be called with each that comes. */
export function statisticsThread(say: Say): (order: Order) => void {
  const answering = new Answering(say);
  return (order) =>
    answering.answer(() => {
      if (order.kind === 'set up statistics') return undefined;
      if (order.kind !== 'summarize') throw new Error(`a thread for statistics was told to ${order.kind}`);
      return { kind: 'summarized', summaries: summariesOf(order.columns) };
    });
}
