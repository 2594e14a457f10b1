import type { Adaptation, EventSink, Progress } from '../inference/events.js';
import { ForwardingSink } from './forwarding-sink.js';
import { Patience } from './patience.js';
import type { RunBlock, RunProgress } from './request.js';

/** Milliseconds between reports. */
const INTERVAL = 100;

/** Passes on all events, and reports the chain's progress from time to time. */
export class WatchedSink extends ForwardingSink {
  private readonly report: (progress: RunProgress) => void;
  private readonly gradients: () => number;
  private readonly divergentColumn: number;
  private readonly stepSizeColumn: number;
  private readonly start = performance.now();
  private latest: Progress | undefined;
  /** Iterations before the first one that was reported. */
  private earlier = 0;
  private draws = 0;
  private divergences = 0;
  private stepSize: number | undefined;
  private readonly patience = new Patience(INTERVAL);
  private isReported = true;

  /** `columns` are the algorithm's own, `gradients` counts those evaluated so far; `before` is the progress of earlier blocks. */
  constructor(
    sink: EventSink,
    columns: readonly string[],
    gradients: () => number,
    report: (progress: RunProgress) => void,
    before: RunBlock['before'] = { draws: 0, gradients: 0 },
  ) {
    super(sink);
    this.report = report;
    this.gradients = () => before.gradients + gradients();
    this.draws = before.draws;
    this.divergences = before.divergences ?? 0;
    this.divergentColumn = columns.indexOf('divergent__');
    this.stepSizeColumn = columns.indexOf('stepsize__');
  }

  override progress(progress: Progress): void {
    super.progress(progress);
    if (this.latest === undefined) this.earlier = progress.iteration - 1;
    this.latest = progress;
    this.note();
  }

  override adaptation(adaptation: Adaptation): void {
    super.adaptation(adaptation);
    this.stepSize = adaptation.stepSize;
    this.note();
  }

  override draw(values: Float64Array): void {
    super.draw(values);
    this.draws++;
    if (this.divergentColumn >= 0 && values[this.divergentColumn] === 1) this.divergences++;
    if (this.stepSizeColumn >= 0) this.stepSize = values[this.stepSizeColumn];
    this.note();
  }

  /** Reports what has not been reported yet. */
  flush(): void {
    if (this.isReported) return;
    this.isReported = true;
    this.patience.begin();
    const { latest, draws, divergences, stepSize } = this;
    const left = latest && this.secondsLeft(latest);
    this.report({
      draws,
      gradients: this.gradients(),
      ...(this.divergentColumn >= 0 && { divergences }),
      ...(stepSize !== undefined && Number.isFinite(stepSize) && { step_size: stepSize }),
      ...(latest !== undefined && { iteration: latest.iteration, iterations: latest.total, progress: latest.text }),
      ...(left !== undefined && { seconds_left: left }),
    });
  }

  private note(): void {
    this.isReported = false;
    if (this.patience.isOver()) this.flush();
  }

  /** Supposing that iterations go on taking as long as they took. */
  private secondsLeft({ iteration, total }: Progress): number | undefined {
    const done = iteration - this.earlier;
    if (done < 1) return undefined;
    const seconds = ((performance.now() - this.start) / 1000 / done) * Math.max(0, total - iteration);
    return Number(seconds.toPrecision(3));
  }
}
