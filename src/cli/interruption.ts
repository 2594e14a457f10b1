/** Early ends of a run: a signal from the user, or a chain that fails. */
import { setMaxListeners } from 'node:events';
import { INTERRUPTED } from './errors.js';

/** Signals that end a run: from Ctrl-C, `kill`, and a closed terminal. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Milliseconds that chains have to stop between two evaluations of the model. */
const GRACE = 200;

/**
 * Stops chains, and ends the threads of those that do not stop. The first signal does that, a second one ends the threads at once, a third
 * one the process.
 */
export class Interruption {
  /** Shared with the chains; 1 to stop them. */
  readonly stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly controller = new AbortController();
  private signals = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor() {
    // Every job of a run adds a listener.
    setMaxListeners(0, this.controller.signal);
  }

  /** Aborted when threads are to be ended. */
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

  /** Runs an action that signals interrupt. */
  async during<Result>(action: () => Promise<Result>): Promise<Result> {
    const receive = () => this.receive();
    for (const signal of ENDING) process.on(signal, receive);
    try {
      return await action();
    } finally {
      for (const signal of ENDING) process.off(signal, receive);
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
