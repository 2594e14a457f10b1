import { DiagonalAdaptation } from '../adaptation/diagonal-adaptation.js';
import { DualAveraging } from '../adaptation/dual-averaging.js';
import { warmupSchedule } from '../adaptation/windows.js';
import { initialize } from '../initialize.js';
import { streamText } from '../number-text.js';
import { Hamiltonian } from '../transition/hamiltonian.js';
import { DiagonalMetric } from '../transition/metric.js';
import { NutsSampler } from '../transition/nuts.js';
import { PhaseSpace } from '../transition/phase-space.js';
import { searchStepSize } from '../transition/step-size-search.js';
import type { Algorithm, Chain, Outcome } from './algorithm.js';
import { commonArguments, drawArguments, type Settings } from './arguments.js';
import { DrawRecorder } from './draw-recorder.js';
import { adaptationArguments, nutsArguments } from './hmc-arguments.js';
import { type IterationPlan, logElapsed, runIterations, stopwatch } from './iterations.js';

const COLUMNS = ['lp__', 'accept_stat__', 'stepsize__', 'treedepth__', 'n_leapfrog__', 'divergent__', 'energy__'];

/** Stan's default sampler: NUTS with a diagonal metric, step size and metric learnt in warmup. */
export const hmcNutsDiagEAdapt: Algorithm = {
  name: 'hmc_nuts_diag_e_adapt',
  functionName: 'stan::services::sample::hmc_nuts_diag_e_adapt',
  description: 'No-U-Turn sampler with a diagonal Euclidean metric; step size and metric are adapted during warmup.',
  arguments: [...commonArguments, ...drawArguments, ...nutsArguments, ...adaptationArguments],
  drawColumns: COLUMNS,
  diagnosticColumns: (names) => [
    ...COLUMNS,
    ...names,
    ...names.map((name) => `p_${name}`),
    ...names.map((name) => `g_${name}`),
  ],
  run: (settings, chain) => {
    const radius = settings.number('init_radius');
    const { target, initial, rng, sink, clock } = chain;
    const start = initialize({ density: target, initial, radius, rng, sink, clock, reportTiming: true });
    if ('problem' in start) {
      sink.log('error', start.problem);
      return { status: 'failed', message: start.problem };
    }
    return new AdaptiveRun(settings, chain, start.position, start.gradientSeconds).run();
  },
};

/** One chain from its initial point on. */
class AdaptiveRun {
  private readonly settings: Settings;
  private readonly chain: Chain;
  private readonly metric: DiagonalMetric;
  private readonly hamiltonian: Hamiltonian;
  private readonly sampler: NutsSampler;
  private readonly stepSizeAdaptation: DualAveraging;
  private readonly metricAdaptation: DiagonalAdaptation;
  private readonly recorder: DrawRecorder;
  private readonly diagnostics: Float64Array;
  private readonly jitter: number;
  /** The adapted step size, and the one that the latest transition used, jitter included. */
  private nominalStepSize: number;
  private stepSize: number;

  constructor(settings: Settings, chain: Chain, position: Float64Array, gradientSeconds: number) {
    const { target, rng, sink, interrupt } = chain;
    this.settings = settings;
    this.chain = chain;
    const space = new PhaseSpace(target.dimension);
    this.metric = new DiagonalMetric(space);
    this.hamiltonian = new Hamiltonian(target, space, this.metric, sink);
    const start = space.acquire(1);
    start.position.set(position);
    this.sampler = new NutsSampler({
      hamiltonian: this.hamiltonian,
      rng,
      start,
      maxDepth: settings.number('max_depth'),
      interrupt,
      interruptEvery: interruptInterval(gradientSeconds),
    });
    this.nominalStepSize = settings.number('stepsize');
    this.stepSize = this.nominalStepSize;
    const jitter = settings.number('stepsize_jitter');
    this.jitter = jitter < 1 ? jitter : 0;
    this.stepSizeAdaptation = new DualAveraging(
      {
        delta: settings.number('delta'),
        gamma: settings.number('gamma'),
        kappa: settings.number('kappa'),
        t0: settings.number('t0'),
      },
      this.nominalStepSize,
    );
    const schedule = warmupSchedule({
      numWarmup: settings.number('num_warmup'),
      initBuffer: settings.number('init_buffer'),
      termBuffer: settings.number('term_buffer'),
      baseWindow: settings.number('window'),
    });
    for (const line of schedule.messages) sink.log('info', line);
    this.metricAdaptation = new DiagonalAdaptation(schedule, this.metric, target.dimension);
    this.recorder = new DrawRecorder(COLUMNS.length, target, sink);
    this.diagnostics = new Float64Array(COLUMNS.length + 3 * target.dimension);
  }

  run(): Outcome {
    const { sink, interrupt, clock } = this.chain;
    this.hamiltonian.evaluate(this.sampler.point);
    const problem = this.initializeStepSize();
    if (problem !== undefined) {
      sink.log('error', 'Exception initializing step size.');
      return this.fail(problem);
    }

    const record = () => this.record();
    const warmupTime = stopwatch(clock);
    const warmupEnd = runIterations(this.plan('warmup'), sink, interrupt, () => this.adapt(), record);
    if (warmupEnd !== undefined) return warmupEnd;
    const warmupSeconds = warmupTime();
    this.nominalStepSize = this.stepSizeAdaptation.averaged;
    this.reportAdaptation();

    const samplingTime = stopwatch(clock);
    const end = runIterations(this.plan('sampling'), sink, interrupt, () => this.move(), record);
    if (end !== undefined) return end;
    logElapsed(warmupSeconds, samplingTime(), sink);
    return { status: 'completed' };
  }

  private plan(phase: 'warmup' | 'sampling'): IterationPlan {
    const { settings } = this;
    const warmup = settings.number('num_warmup');
    const samples = settings.number('num_samples');
    return {
      phase,
      count: phase === 'warmup' ? warmup : samples,
      before: phase === 'warmup' ? 0 : warmup,
      total: warmup + samples,
      thin: settings.number('num_thin'),
      refresh: settings.number('refresh'),
      save: phase === 'sampling' || settings.flag('save_warmup'),
    };
  }

  /** One transition. */
  private move(): Outcome | undefined {
    this.stepSize = this.nominalStepSize;
    if (this.jitter > 0) this.stepSize *= 1 + this.jitter * (2 * this.chain.rng.uniform() - 1);
    if (this.sampler.transition(this.stepSize)) return undefined;
    const { error } = this.hamiltonian;
    return error === undefined ? { status: 'interrupted' } : this.fail(error.message);
  }

  /** One transition of warmup, and what is learnt from it. */
  private adapt(): Outcome | undefined {
    const ended = this.move();
    if (ended !== undefined) return ended;
    this.nominalStepSize = this.stepSizeAdaptation.update(this.sampler.report.acceptStatistic);
    const result = this.metricAdaptation.update(this.sampler.point.position);
    if (result === 'unchanged') return undefined;
    if (result !== 'updated') return this.fail(result.problem);
    const problem = this.initializeStepSize();
    if (problem !== undefined) return this.fail(problem);
    this.stepSizeAdaptation.restart(this.nominalStepSize);
    return undefined;
  }

  /** Searches a step size where the chain is; returns why there is none. */
  private initializeStepSize(): string | undefined {
    const { hamiltonian, sampler } = this;
    const found = searchStepSize(hamiltonian, sampler.point, this.nominalStepSize, this.chain.rng);
    if ('problem' in found) return found.problem;
    this.nominalStepSize = found.stepSize;
    return undefined;
  }

  /** Emits the chain's state as a draw and as a diagnostic; Stan's gradients there are those of the potential. */
  private record(): Outcome | undefined {
    const { diagnostics, recorder } = this;
    const { point, report } = this.sampler;
    const { columns } = recorder;
    columns[0] = -point.potential;
    columns[1] = report.acceptStatistic;
    columns[2] = this.stepSize;
    columns[3] = report.treeDepth;
    columns[4] = report.leapfrogSteps;
    columns[5] = report.divergent ? 1 : 0;
    columns[6] = point.energy;
    const failure = recorder.record(point.position);
    if (failure !== undefined) return this.fail(failure.message);

    const dimension = point.position.length;
    diagnostics.set(columns);
    diagnostics.set(point.position, COLUMNS.length);
    diagnostics.set(point.momentum, COLUMNS.length + dimension);
    const gradients = COLUMNS.length + 2 * dimension;
    for (let i = 0; i < dimension; i++) diagnostics[gradients + i] = -point.gradient[i];
    this.chain.sink.diagnostic(diagnostics);
    return undefined;
  }

  private reportAdaptation(): void {
    const stepSize = this.nominalStepSize;
    const inverseMetric = this.metric.inverse();
    const text = [
      'Adaptation terminated',
      `Step size = ${streamText(stepSize)}`,
      'Diagonal elements of inverse mass matrix:',
      Array.from(inverseMetric, streamText).join(', '),
    ];
    this.chain.sink.adaptation({ stepSize, inverseMetric, text });
  }

  private fail(message: string): Outcome {
    this.chain.sink.log('error', message);
    return { status: 'failed', message };
  }
}

/** Leapfrog steps between two questions whether to stop: about 20 ms, and so few that a wrong guess hurts little. */
function interruptInterval(gradientSeconds: number): number {
  return Math.max(1, Math.min(32, Math.floor(0.02 / Math.max(gradientSeconds, 1e-6))));
}
