/** Cancellable work with refits, at most one job of a type for each run. */
import { programReasonOf } from '../reasons.js';
import type { Unfinished } from '../state/refitting.js';
import type { Run } from '../state/run.js';
import { runWith } from '../state/store.js';

/** What a job receives. */
export interface Job {
  readonly signal: AbortSignal;
  /** Shows the number of refits that have ended, of `count`. */
  readonly onProgress: (done: number, count: number) => void;
}

export class RefitJobs<Done> {
  private readonly stops = new Map<string, AbortController>();
  private readonly show: (id: string, state: Done | Unfinished) => void;

  constructor(show: (id: string, state: Done | Unfinished) => void) {
    this.show = show;
  }

  cancel({ id }: Run): void {
    const stop = this.stops.get(id);
    if (stop === undefined) return;
    // Not after the work has ended, which may take long, such as compiling a program.
    this.stops.delete(id);
    this.show(id, { kind: 'cancelled' });
    stop.abort();
  }

  /** Starts a job unless the run has one, and shows its progress and how it ended. */
  async start(run: Run, work: (job: Job) => Promise<Done>): Promise<void> {
    const { id } = run;
    if (this.stops.has(id)) return;
    const stop = new AbortController();
    this.stops.set(id, stop);
    const show = (state: Done | Unfinished) => !stop.signal.aborted && this.show(id, state);
    show({ kind: 'running', done: 0, count: undefined });
    const onProgress = (done: number, count: number) => {
      if (runWith(id) === undefined) this.cancel(run);
      show({ kind: 'running', done, count });
    };
    try {
      show(await work({ signal: stop.signal, onProgress }));
    } catch (error) {
      show({ kind: 'failed', problem: programReasonOf(error) });
    }
    if (this.stops.get(id) === stop) this.stops.delete(id);
  }
}
