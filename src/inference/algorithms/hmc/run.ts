import { CenteringAdaptation } from '../../adaptation/centering-adaptation.js';
import { DivergenceWatch } from '../../adaptation/divergence-watch.js';
import { DualAveraging } from '../../adaptation/dual-averaging.js';
import type { MetricAdaptation } from '../../adaptation/metric-adaptation.js';
import { END_OF_WARMUP } from '../../events.js';
import { type Initialization, initialize } from '../../initialize.js';
import { streamText } from '../../number-text.js';
import { Hamiltonian } from '../../transition/hamiltonian.js';
import { searchStepSize } from '../../transition/step-size-search.js';
import { type Chain, type Continuation, OTHER_DENSITY, type Outcome } from '../algorithm.js';
import type { Settings } from '../arguments.js';
import { DrawRecorder } from '../draw-recorder.js';
import { elapsedLines, iterationPlan, runIterations, stopwatch } from '../iterations.js';
import { dualAveragingSettings } from './arguments.js';
import type { MetricKind, PreparedMetric } from './metrics.js';
import type { Mover, Trajectory } from './trajectories.js';
import { typicalStart } from './typical-start.js';

export interface HmcOptions {
  readonly trajectory: Trajectory;
  readonly kind: MetricKind;
  /** Whether step size and metric are adapted in warmup. */
  readonly adapts: boolean;
  /** Columns of a draw before the constrained values. */
  readonly columnCount: number;
  readonly settings: Settings;
  readonly chain: Chain;
}

/** Runs one chain of Hamiltonian Monte Carlo. */
export function runHmc(options: HmcOptions): Outcome {
  const { chain, kind, settings } = options;
  const { target, places, sink } = chain;
  const { centering } = target;
  const centeringAdaptation = centering && new CenteringAdaptation(centering, settings.number('num_warmup'), places);
  const learnsFromGradients = options.adapts && kind.learnsFromGradients(settings);
  const start = startOf(chain, settings.number('init_radius'), learnsFromGradients);
  if ('problem' in start) {
    sink.log('error', start.problem);
    return { status: 'failed', message: start.problem };
  }
  const prepared = kind.prepare(target, settings);
  if ('problem' in prepared) {
    for (const line of prepared.problem) sink.log('error', line);
    return { status: 'failed', message: prepared.problem[prepared.problem.length - 1] };
  }
  for (const line of target.integration?.report() ?? []) sink.log('info', line);
  for (const line of centering?.report() ?? []) sink.log('info', line);
  const extended = { ...options, centeringAdaptation, learnsFromGradients };
  return new HmcRun(extended, prepared, start).run();
}

/** A starting point that has been found. */
type Start = Exclude<Initialization, { readonly problem: string }>;

/** The starting point of the chain. */
function startOf(chain: Chain, radius: number, learnsFromGradients: boolean): Initialization {
  const { clock, continued, initial, rng, sink, target } = chain;
  if (continued !== undefined) return { position: continued.position, gradientSeconds: 0 };
  if (learnsFromGradients) return typicalStart(chain, radius);
  return initialize({ density: target, initial, radius, rng, sink, clock, reportTiming: true });
}

function placesText(places: Float64Array): string[] {
  const texts = Array.from(places, (value) => streamText(value));
  return [
    'Positions between non-centered (0) and centered (1) coordinates, logarithms of reference scales:',
    texts.filter((_, k) => k % 2 === 0).join(', '),
    texts.filter((_, k) => k % 2 === 1).join(', '),
  ];
}

/** A chain that starts at its initial point. */
class HmcRun {
  private readonly settings: Settings;
  private readonly chain: Chain;
  private readonly prepared: PreparedMetric;
  private readonly hamiltonian: Hamiltonian;
  private readonly mover: Mover;
  /** Absent if nothing is adapted. */
  private readonly stepSizeAdaptation: DualAveraging | undefined;
  private readonly metricAdaptation: MetricAdaptation | undefined;
  /** Adaptation of the coordinates, if the target has adjustable ones. */
  private readonly centering: CenteringAdaptation | undefined;
  /** Raises `delta` if transitions diverge. Set if the metric is learned from gradients. */
  private readonly divergenceWatch: DivergenceWatch | undefined;
  /** Estimated variances of the coordinates, if known. */
  private readonly variances: Float64Array | undefined;
  private readonly recorder: DrawRecorder;
  private readonly reportColumns: Float64Array;
  private readonly diagnostics: Float64Array;
  private readonly jitter: number;
  /** State of the random number generator before the latest transition. */
  private readonly random: Int32Array;
  /** The step size that is set or adapted, and the step size of the latest transition, which includes jitter. */
  private nominalStepSize: number;
  private stepSize: number;

  constructor(
    options: HmcOptions & {
      readonly centeringAdaptation: CenteringAdaptation | undefined;
      readonly learnsFromGradients: boolean;
    },
    prepared: PreparedMetric,
    { gradientSeconds, position, variances }: Start,
  ) {
    const { adapts, chain, columnCount, settings, trajectory } = options;
    const { target, rng, sink, interrupt } = chain;
    this.settings = settings;
    this.chain = chain;
    this.variances = variances;
    this.prepared = prepared;
    this.hamiltonian = new Hamiltonian(target, prepared.space, prepared.metric, sink);
    const start = prepared.space.acquire(1);
    start.position.set(position);
    const interruptEvery = interruptInterval(gradientSeconds);
    this.mover = trajectory.createMover({
      hamiltonian: this.hamiltonian,
      rng,
      start,
      interrupt,
      interruptEvery,
      settings,
    });
    this.nominalStepSize = settings.number('stepsize');
    this.stepSize = this.nominalStepSize;
    const jitter = settings.number('stepsize_jitter');
    this.jitter = jitter < 1 ? jitter : 0;
    this.random = new Int32Array(rng.state?.length ?? 0);
    this.stepSizeAdaptation = adapts ? stepSizeAdaptation(settings) : undefined;
    this.metricAdaptation = adapts ? prepared.adaptation?.(settings, sink) : undefined;
    this.centering = options.centeringAdaptation;
    this.divergenceWatch = options.learnsFromGradients ? new DivergenceWatch(settings.number('num_warmup')) : undefined;
    this.recorder = new DrawRecorder(columnCount, target, sink);
    this.reportColumns = this.recorder.columns.subarray(3, columnCount - 1);
    this.diagnostics = new Float64Array(columnCount + 3 * target.dimension);
  }

  run(): Outcome {
    const { continued, sink, interrupt, isAdapted, clock } = this.chain;
    const { settings, stepSizeAdaptation } = this;
    this.hamiltonian.evaluate(this.mover.point);
    if (continued !== undefined) return this.continue(continued);
    if (settings.rows('inv_metric') === undefined) this.metricAdaptation?.begin(this.mover.point, this.variances);
    const problem = stepSizeAdaptation === undefined || isAdapted ? undefined : this.initializeStepSize();
    if (problem !== undefined) {
      sink.log('error', 'Exception initializing step size.');
      return this.fail(problem);
    }

    // Stan's adaptation starts at ten times the argument `stepsize`, regardless of the search.
    if (this.divergenceWatch !== undefined && !isAdapted) stepSizeAdaptation?.restart(this.nominalStepSize);

    const record = () => this.record();
    const move = () => this.move();
    const warmup = stepSizeAdaptation === undefined ? move : () => this.adapt(stepSizeAdaptation);
    const warmupTime = stopwatch(clock);
    const plan = iterationPlan('warmup', settings, this.chain);
    const warmupEnd = runIterations(plan, sink, interrupt, warmup, record, () => this.logDensity());
    if (warmupEnd !== undefined) return warmupEnd;
    const warmupSeconds = warmupTime();
    // Without a transition since the latest search, the step size that it found is kept (as Stan does since 2.37).
    const averaged = stepSizeAdaptation?.averaged;
    const searchProblem = averaged === undefined ? undefined : this.shorten(averaged);
    if (searchProblem !== undefined) return this.fail(searchProblem);
    this.reportAdaptation();

    return this.sample(warmupSeconds);
  }

  /** Continues an earlier run of the chain, whose step size and metric are passed as arguments. */
  private continue({ logDensity, random }: Continuation): Outcome {
    const { rng } = this.chain;
    if (-this.mover.point.potential !== logDensity) return this.fail(OTHER_DENSITY);
    rng.state?.set(random);
    this.reportAdaptation();
    return this.sample(0);
  }

  private sample(warmupSeconds: number): Outcome {
    const { block, clock, interrupt, rest, sink } = this.chain;
    const samplingTime = stopwatch(clock);
    const plan = iterationPlan('sampling', this.settings, this.chain);
    const { continued = 0 } = plan;
    let iterations = continued;
    const end = () => this.end(iterations).end;
    const move = () => {
      rest?.(end);
      const ended = this.moveOrStay();
      if (ended === undefined) iterations += 1;
      return ended;
    };
    const ended = runIterations(plan, sink, interrupt, move, () => this.record());
    if (ended?.status === 'failed') return ended;
    const seconds = { warmup: warmupSeconds, sampling: samplingTime() };
    if (block === undefined) sink.elapsed(elapsedLines(seconds.warmup, seconds.sampling));
    const status = ended === undefined ? 'completed' : 'interrupted';
    return { status, ...this.end(iterations), ...(block !== undefined && { seconds }) };
  }

  /** One transition. If it is interrupted, the chain keeps its position. */
  private moveOrStay(): Outcome | undefined {
    const { state } = this.chain.rng;
    if (state !== undefined) this.random.set(state);
    const ended = this.move();
    if (ended?.status === 'interrupted') state?.set(this.random);
    return ended;
  }

  /** The current state of the chain. */
  private end(iterations: number): { readonly end?: Continuation } {
    const { state } = this.chain.rng;
    if (state === undefined) return {};
    const { position, potential } = this.mover.point;
    return { end: { position: position.slice(), logDensity: -potential, iterations, random: state.slice() } };
  }

  /** One transition. */
  private move(): Outcome | undefined {
    this.stepSize = this.nominalStepSize;
    if (this.jitter > 0) this.stepSize *= 1 + this.jitter * (2 * this.chain.rng.uniform() - 1);
    if (this.mover.transition(this.stepSize)) return undefined;
    const { error } = this.hamiltonian;
    return error === undefined ? { status: 'interrupted' } : this.fail(error.message);
  }

  /** One transition of warmup, with adaptation. */
  private adapt(stepSizeAdaptation: DualAveraging): Outcome | undefined {
    const ended = this.move();
    if (ended !== undefined) return ended;
    const { mover } = this;
    if (this.divergenceWatch?.update(mover.report.divergent === true)) this.raiseTarget(stepSizeAdaptation);
    this.nominalStepSize = stepSizeAdaptation.update(mover.report.acceptStatistic);
    mover.adapted(this.nominalStepSize);
    const { point } = mover;
    const result = this.metricAdaptation?.update(point) ?? 'unchanged';
    if (typeof result !== 'string') return this.fail(result.problem);
    const change = this.centering?.update(point) ?? 'unchanged';
    if (typeof change !== 'string') {
      if ('message' in change) return this.fail(change.message);
      this.metricAdaptation?.change(change);
      this.hamiltonian.evaluate(point);
    }
    // After a change of coordinates, the step size adapts further: new trials of long steps would diverge, and raise `delta` without need.
    if (result === 'unchanged') return undefined;
    const problem = this.initializeStepSize();
    if (problem !== undefined) return this.fail(problem);
    mover.adapted(this.nominalStepSize);
    stepSizeAdaptation.restart(this.nominalStepSize);
    return undefined;
  }

  private raiseTarget(stepSizeAdaptation: DualAveraging): void {
    const [from, to] = stepSizeAdaptation.raiseTarget().map((delta) => streamText(delta));
    this.chain.sink.log('info', `Transitions diverge: delta is raised from ${from} to ${to} for this chain.`);
  }

  /**
   * Sets the averaged step size. If warmup ends where steps must be less than half as long, as in the neck of a funnel, the search
   * determines whether the chain can leave with the averaged step size, and may shorten it. Otherwise, all transitions could be rejected.
   * Not used in Stan's algorithms. Returns the reason for a failure.
   */
  private shorten(averaged: number): string | undefined {
    const latest = this.nominalStepSize;
    this.nominalStepSize = averaged;
    if (this.divergenceWatch === undefined || latest > averaged / 2) return undefined;
    const problem = this.initializeStepSize();
    if (problem !== undefined) return problem;
    if (this.nominalStepSize < averaged) {
      const [from, to] = [averaged, this.nominalStepSize].map((size) => streamText(size));
      this.chain.sink.log(
        'info',
        `Warmup ends where steps are short: the step size is reduced from ${from} to ${to} for this chain.`,
      );
    } else this.nominalStepSize = averaged;
    return undefined;
  }

  /** Searches for a step size at the chain's position; returns the reason for a failure. */
  private initializeStepSize(): string | undefined {
    const { hamiltonian, mover } = this;
    const found = searchStepSize(hamiltonian, mover.point, this.nominalStepSize, this.chain.rng);
    if ('problem' in found) return found.problem;
    this.nominalStepSize = found.stepSize;
    return undefined;
  }

  /** The log density in the coordinates of the program. */
  private logDensity(): number {
    const { position, potential } = this.mover.point;
    return -potential + (this.centering?.logDerivative(position) ?? 0);
  }

  /** Emits the state of the chain as a draw and as a diagnostic. The diagnostic contains gradients of the potential, as in Stan. */
  private record(): Outcome | undefined {
    const { diagnostics, mover, recorder } = this;
    const { point } = mover;
    const { columns } = recorder;
    columns[0] = this.logDensity();
    columns[1] = mover.report.acceptStatistic;
    columns[2] = this.stepSize;
    mover.writeReport(this.reportColumns);
    columns[columns.length - 1] = point.energy;
    const failure = recorder.record(point.position);
    if (failure !== undefined) return this.fail(failure.message);

    let place = 0;
    place = append(diagnostics, place, columns);
    place = append(diagnostics, place, point.position);
    place = append(diagnostics, place, point.momentum);
    const { gradient } = point;
    for (let i = 0; i < gradient.length; i++) diagnostics[place + i] = -gradient[i];
    this.chain.sink.diagnostic(diagnostics);
    return undefined;
  }

  private reportAdaptation(): void {
    const stepSize = this.nominalStepSize;
    const places = this.centering?.places;
    const text = [
      END_OF_WARMUP,
      `Step size = ${streamText(stepSize)}`,
      ...this.prepared.text(),
      ...(places === undefined || places.length === 0 ? [] : placesText(places)),
    ];
    this.chain.sink.adaptation({
      stepSize,
      inverseMetric: this.prepared.metric.inverse(),
      ...(places && { places }),
      text,
    });
  }

  private fail(message: string): Outcome {
    this.chain.sink.log('error', message);
    return { status: 'failed', message };
  }
}

function stepSizeAdaptation(settings: Settings): DualAveraging {
  return new DualAveraging(dualAveragingSettings(settings), settings.number('stepsize'));
}

/** Copies values to an offset and returns the offset after them. For few numbers, a loop is faster than `set`. */
function append(to: Float64Array, place: number, values: Float64Array): number {
  for (let i = 0; i < values.length; i++) to[place + i] = values[i];
  return place + values.length;
}

/**
 * Number of leapfrog steps between two calls of `interrupt`: about 20 ms. The number is limited, so that a wrong estimate does little harm.
 */
function interruptInterval(gradientSeconds: number): number {
  return Math.max(1, Math.min(32, Math.floor(0.02 / Math.max(gradientSeconds, 1e-6))));
}
