import { RunningEnergy } from '../inference/diagnostics/energy.js';
import { RunningEstimates } from '../inference/diagnostics/running-estimates.js';
import type { Adaptation, EventSink, Progress } from '../inference/events.js';
import { ForwardingSink } from './forwarding-sink.js';
import { Patience } from './patience.js';
import type { RunBlock, RunProgress } from './request.js';

/** Milliseconds between reports. */
const INTERVAL = 100;
/** Maximum number of variables, in addition to the log density, with estimates while the chain runs. */
const MOST_ESTIMATES = 50;

/** Properties of a run other than its columns. */
interface WatchedRun {
  /** The progress of earlier blocks. */
  readonly before?: RunBlock['before'];
  /** Names of the parameters and transformed parameters, which follow the algorithm's columns in a draw. */
  readonly variables?: readonly string[];
  /** The maximum tree depth. */
  readonly maximumDepth?: number | undefined;
}

/** Forwards all events, and periodically reports the progress of the chain. */
export class WatchedSink extends ForwardingSink {
  private readonly report: (progress: RunProgress) => void;
  private readonly gradients: () => number;
  private readonly divergentColumn: number;
  private readonly stepSizeColumn: number;
  private readonly energyColumn: number;
  private readonly depthColumn: number;
  private readonly maximumDepth: number;
  private readonly start = performance.now();
  /** Stan's latest progress line. */
  private line: string | undefined;
  /** The latest iteration, and the number of all; 0 before the first. */
  private latest = 0;
  private total = 0;
  /** Iterations before the first one of this sink. */
  private earlier = 0;
  private draws = 0;
  private divergences = 0;
  private depthHits = 0;
  private energy = new RunningEnergy();
  private estimates: RunningEstimates | undefined;
  private readonly quantities: readonly string[];
  /** Indexes of the quantities in the values of a draw. */
  private readonly places: readonly number[];
  private stepSize: number | undefined;
  private readonly patience = new Patience(INTERVAL);
  private isReported = true;

  /** `columns` are the algorithm's own columns; `gradients` returns the number of evaluated gradients. */
  constructor(
    sink: EventSink,
    columns: readonly string[],
    gradients: () => number,
    report: (progress: RunProgress) => void,
    { before = { draws: 0, gradients: 0 }, maximumDepth = Number.POSITIVE_INFINITY, variables = [] }: WatchedRun = {},
  ) {
    super(sink);
    this.report = report;
    this.gradients = () => before.gradients + gradients();
    this.draws = before.draws;
    this.divergences = before.divergences ?? 0;
    this.divergentColumn = columns.indexOf('divergent__');
    this.depthHits = before.treedepth_hits ?? 0;
    this.stepSizeColumn = columns.indexOf('stepsize__');
    this.energyColumn = columns.indexOf('energy__');
    this.depthColumn = Number.isFinite(maximumDepth) ? columns.indexOf('treedepth__') : -1;
    this.maximumDepth = maximumDepth;
    const named = [...columns, ...variables];
    this.quantities = ['lp__', ...variables.slice(0, MOST_ESTIMATES)];
    this.places = this.quantities.map((name) => named.indexOf(name));
  }

  override progress(progress: Progress): void {
    super.progress(progress);
    this.line = progress.text;
    this.reach(progress.iteration, progress.total);
  }

  override iteration(iteration: number, total: number, logDensity?: number): void {
    super.iteration(iteration, total, logDensity);
    this.reach(iteration, total);
  }

  override adaptation(adaptation: Adaptation): void {
    super.adaptation(adaptation);
    this.stepSize = adaptation.stepSize;
    this.energy = new RunningEnergy();
    if (this.energyColumn >= 0 && !this.places.includes(-1)) this.estimates = new RunningEstimates(this.quantities);
    this.note();
  }

  override draw(values: Float64Array): void {
    super.draw(values);
    this.draws++;
    if (this.divergentColumn >= 0 && values[this.divergentColumn] === 1) this.divergences++;
    if (this.depthColumn >= 0 && values[this.depthColumn] >= this.maximumDepth) this.depthHits++;
    if (this.energyColumn >= 0) this.energy.add(values[this.energyColumn]);
    this.estimates?.add(values, this.places);
    if (this.stepSizeColumn >= 0) this.stepSize = values[this.stepSizeColumn];
    this.note();
  }

  /** Reports progress that has not yet been reported. */
  flush(): void {
    if (this.isReported) return;
    this.isReported = true;
    this.patience.begin();
    const { draws, divergences, latest, line, stepSize, total } = this;
    const { fraction } = this.energy;
    const estimates = this.estimates?.estimates() ?? [];
    const left = this.secondsLeft();
    this.report({
      draws,
      gradients: this.gradients(),
      ...(this.divergentColumn >= 0 && { divergences }),
      ...(this.depthColumn >= 0 && { treedepth_hits: this.depthHits }),
      ...(Number.isFinite(fraction) && { e_bfmi: Number(fraction.toPrecision(4)) }),
      ...(estimates.length > 0 && { estimates }),
      ...(stepSize !== undefined && Number.isFinite(stepSize) && { step_size: stepSize }),
      ...(total > 0 && { iteration: latest, iterations: total }),
      ...(line !== undefined && { progress: line }),
      ...(left !== undefined && { seconds_left: left }),
    });
  }

  private reach(iteration: number, total: number): void {
    if (this.total === 0) this.earlier = iteration - 1;
    this.latest = iteration;
    this.total = total;
    this.note();
  }

  private note(): void {
    this.isReported = false;
    if (this.patience.isOver()) this.flush();
  }

  /** The estimated time left, assuming that iterations continue at the same speed. */
  private secondsLeft(): number | undefined {
    const done = this.latest - this.earlier;
    if (done < 1) return undefined;
    const seconds = ((performance.now() - this.start) / 1000 / done) * Math.max(0, this.total - this.latest);
    return Number(seconds.toPrecision(3));
  }
}
