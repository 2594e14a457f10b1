import type { Say } from './platform.js';
import type { Result } from './protocol.js';

/** Responds to the messages of a thread's owner: posts the result of the work or, if the work throws, a fault. */
export class Answering<Tool> {
  private readonly say: Say;
  private made: Tool | undefined;

  constructor(say: Say) {
    this.say = say;
  }

  /** Sets the tool of the thread. Posts no result. */
  setUp(tool: Tool): undefined {
    this.made = tool;
  }

  /** The tool. Throws if it has not been set. */
  get tool(): Tool {
    if (this.made === undefined) throw new Error('a thread received a job before its set-up message');
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
