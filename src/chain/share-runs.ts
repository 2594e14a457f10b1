/** Runs of a chain that consists of other runs, as in simulation-based calibration and cross-validation with refits. */
import type { EventSink } from '../inference/events.js';
import { DrawCollector } from './draw-collector.js';
import type { ModelHost } from './model-host.js';
import type { RunOutcome, RunRequest } from './request.js';
import { runFunction } from './run-function.js';

/** The parts of the request that a run changes. */
type Changes = Pick<RunRequest, 'arguments' | 'chain'> &
  Partial<Pick<RunRequest, 'model' | 'data' | 'inputs' | 'save'>>;

/** Any outcome of a run except success. */
export type Unfinished = Exclude<RunOutcome, { readonly kind: 'finished' }>;

/** Makes runs in sequence, with the model, data, inputs and seed of a request unless they are changed. */
export class ShareRuns {
  /** Gradients evaluated so far. */
  private gradients = 0;
  private readonly host: ModelHost;
  private readonly request: RunRequest;

  constructor(host: ModelHost, request: RunRequest) {
    this.host = host;
    this.request = request;
  }

  /** Runs a function. `drawn` receives its draws. */
  run(
    functionName: string,
    changes: Changes,
    drawn = new DrawCollector(),
  ): { readonly outcome: RunOutcome; readonly drawn: DrawCollector } {
    const { data, inputs, interrupt, limits, model, seed } = this.request;
    let gradients = 0;
    const report = (progress: { readonly gradients: number }) => {
      gradients = progress.gradients;
    };
    const common = { model, data, inputs, seed, limits, index: 0, report, profiled: () => undefined };
    const run = { ...common, ...changes, ...(interrupt && { interrupt }) };
    const outcome = runFunction(this.host, functionName, run, drawn);
    this.gradients += gradients;
    return { outcome, drawn };
  }

  /**
   * Returns a function that reports the number of completed steps of `total`. `name` describes the steps. The time is measured from this
   * call.
   */
  progress(name: string, total: number, sink: EventSink): (done: number, divergences: number) => void {
    const start = performance.now();
    return (done, divergences) => {
      const text = `${name}: ${done} / ${total} [${String(Math.floor((100 * done) / total)).padStart(3)}%]`;
      sink.progress({ iteration: done, total, text });
      const seconds = ((performance.now() - start) / 1000 / done) * (total - done);
      this.request.report?.({
        draws: done,
        gradients: this.gradients,
        divergences,
        iteration: done,
        iterations: total,
        progress: text,
        seconds_left: Number(seconds.toPrecision(3)),
      });
    };
  }
}

/** Number of divergences among draws; 0 if the sampler reports none. */
export function divergencesOf(drawn: DrawCollector): number {
  return drawn.column('divergent__')?.filter((value) => value > 0).length ?? 0;
}
