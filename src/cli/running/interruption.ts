/** Early ends of a run, by a signal from the user or by a failed chain. */
import { setMaxListeners } from 'node:events';
import { onEndingSignal } from '../../node/signals.js';
import { INTERRUPTED } from '../errors.js';

/** Milliseconds within which chains must stop, which they do between two evaluations of the model. */
const GRACE = 200;

/**
 * Stops chains at the first signal, and ends the threads of those that do not stop in time. A second signal ends all
 * threads immediately, and a third one ends the process.
 */
export class Interruption {
  /** Shared with the chains. The value 1 stops them. */
  readonly stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly controller = new AbortController();
  private signals = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor() {
    // Every job of a run adds a listener.
    setMaxListeners(0, this.controller.signal);
  }

  /** Aborted to end the threads. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isRequested(): boolean {
    return Atomics.load(this.stop, 0) !== 0;
  }

  /** Whether the user has sent a signal. */
  get isUsers(): boolean {
    return this.signals > 0;
  }

  ask(): void {
    Atomics.store(this.stop, 0, 1);
    this.timer ??= setTimeout(() => this.controller.abort(), GRACE);
  }

  /** Runs an action during which signals interrupt the run. */
  async during<Result>(action: () => Promise<Result>): Promise<Result> {
    const detach = onEndingSignal(() => this.receive());
    try {
      return await action();
    } finally {
      detach();
      clearTimeout(this.timer);
    }
  }

  private receive(): void {
    this.signals += 1;
    if (this.signals === 1) this.ask();
    else if (this.signals === 2) this.controller.abort();
    else process.exit(INTERRUPTED);
  }
}
