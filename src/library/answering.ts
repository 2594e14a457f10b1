import type { Say } from './platform.js';
import type { Result } from './protocol.js';

/** Answers a thread's orders: posts the result of the work or, if it throws, a fault. */
export class Answering<Tool> {
  private readonly say: Say;
  private made: Tool | undefined;

  constructor(say: Say) {
    this.say = say;
  }

  /** Sets the tool of the thread; posts no result. */
  setUp(tool: Tool): undefined {
    this.made = tool;
  }

  /** Throws before the tool is set up. */
  get tool(): Tool {
    if (this.made === undefined) throw new Error('a thread was given work before its kernels');
    return this.made;
  }

  /** Posts the result of `work` unless it is undefined. */
  answer(work: () => Result | undefined): void {
    try {
      const result = work();
      if (result !== undefined) this.say({ kind: 'result', result });
    } catch (error) {
      this.say({ kind: 'fault', report: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
}
