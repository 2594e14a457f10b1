import type { Say } from './platform.js';
import type { Result } from './protocol.js';

/** Has what a thread does end in a result or, where it throws, in a fault. */
export class Answering {
  private readonly say: Say;

  constructor(say: Say) {
    this.say = say;
  }

  /** `work` gives undefined where nothing is to be said. */
  answer(work: () => Result | undefined): void {
    try {
      const result = work();
      if (result !== undefined) this.say({ kind: 'result', result });
    } catch (error) {
      this.say({ kind: 'fault', report: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
}
