import { END_OF_WARMUP } from '../events.js';
import { initialize } from '../initialize.js';
import { streamText } from '../number-text.js';
import { Ladder } from '../tempering/ladder.js';
import { readLadder, writeLadder } from '../tempering/ladder-state.js';
import { FIRST_LEVELS, rearrange, roundsOf } from '../tempering/rounds.js';
import { barriers, normalSchedule } from '../tempering/schedule.js';
import { BREADTH, temperedStart } from '../tempering/start.js';
import { SteppingStones } from '../tempering/stepping-stone.js';
import { type Algorithm, type Chain, type Continuation, failed, OTHER_DENSITY, type Outcome } from './algorithm.js';
import { commonArguments, drawArguments, MAX_COUNT, type Settings, threadsArgument } from './arguments.js';
import { DrawRecorder, phaseSpaceColumns } from './draw-recorder.js';
import {
  dualAveragingSettings,
  integratorArguments,
  nutsArguments,
  stepSizeAdaptationArguments,
  warmupArguments,
} from './hmc/arguments.js';
import { elapsedLines, iterationPlan, runIterations, stopwatch } from './iterations.js';

const COLUMNS = [
  'lp__',
  'accept_stat__',
  'stepsize__',
  'treedepth__',
  'n_leapfrog__',
  'divergent__',
  'round_trips__',
  'energy__',
];

/** Maximum number of draws of each round to which a reference is matched. */
const MOST_DRAWS = 300;

/**
 * Non-reversible parallel tempering from a reference to the posterior. The reference is first broad, and then a mixture of normal distributions
 * that is matched to draws (Surjanovic, Syed, Bouchard-Côté and Campbell, arXiv 2206.00080, match one).
 */
export const tempered: Algorithm = {
  name: 'tempered',
  functionName: 'leapfrog::services::sample::tempered',
  description:
    'Non-reversible parallel tempering, for posteriors with several modes: chains of the No-U-Turn sampler at inverse temperatures between a reference distribution and the posterior, which exchange their positions. Each chain has its own temperatures.',
  arguments: [
    ...commonArguments,
    ...drawArguments,
    ...warmupArguments.map((each) =>
      each.name === 'num_warmup' && each.type === 'integer' ? { ...each, default: 2000 } : each,
    ),
    ...integratorArguments.filter(({ name }) => name === 'stepsize'),
    ...nutsArguments,
    ...stepSizeAdaptationArguments,
    {
      name: 'max_temperatures',
      type: 'integer',
      default: 30,
      minimum: 2,
      maximum: MAX_COUNT,
      description:
        'Maximum number of temperatures, including those of the reference and of the posterior; warmup chooses the number from the rates at which exchanges are rejected.',
    },
    threadsArgument,
  ],
  inputs: ['init', 'continue'],
  metric: 'diag_e',
  hasFurtherState: true,
  draws: 'all',
  drawColumns: COLUMNS,
  diagnosticColumns: (names) => phaseSpaceColumns(COLUMNS, names),
  run,
};

function run(settings: Settings, chain: Chain): Outcome {
  const { clock, continued, initial, interrupt, rng, sink, target } = chain;
  const { dimension } = target;
  const options = {
    target,
    rng,
    sink,
    interrupt,
    maxDepth: settings.number('max_depth'),
    stepSizes: dualAveragingSettings(settings),
  };
  if (continued !== undefined) {
    const earlier = continued.further && readLadder(continued.further, dimension);
    if (earlier === undefined) return failed(chain, NOT_TEMPERED);
    const ladder = new Ladder(options, earlier.reference, earlier.starts);
    ladder.restore(earlier.changing);
    return new TemperedRun(settings, chain, ladder).continue(continued);
  }
  const radius = settings.number('init_radius');
  const first = initialize({ density: target, initial, radius, rng, sink, clock, reportTiming: true });
  if ('problem' in first) return failed(chain, first.problem);
  const { positions, reference } = temperedStart({ target, initial, radius, rng, clock }, first.position);
  const levels = Math.min(FIRST_LEVELS, settings.number('max_temperatures'));
  const inverseMetric = reference.components[0].variances.map((variance) => variance / BREADTH ** 2);
  const stepSize = settings.number('stepsize');
  const starts = normalSchedule(levels, BREADTH ** 2).map((beta, k) => {
    return { beta, position: positions[k % positions.length], stepSize, inverseMetric };
  });
  return new TemperedRun(settings, chain, new Ladder(options, reference, starts)).run();
}

/** Round trips below which the shares of modes among the draws of a chain are not reliable. */
const LEAST_ROUND_TRIPS = 10;
const FEW_ROUND_TRIPS = `There are fewer than ${LEAST_ROUND_TRIPS} round trips: this chain seldom moves between modes, so their shares of the draws are not reliable. Draw more samples, or raise num_warmup or max_temperatures.`;
const NOT_TEMPERED = 'The fit cannot be continued, because its chains are not those of the sampler tempered.';

/** A chain whose ladder has its starting points. */
class TemperedRun {
  private readonly settings: Settings;
  private readonly chain: Chain;
  private readonly ladder: Ladder;
  private readonly recorder: DrawRecorder;
  private readonly diagnostics: Float64Array;
  /** States of the ladder and of the random number generator before the latest iteration. */
  private before = new Float64Array();
  private readonly random: Int32Array;

  constructor(settings: Settings, chain: Chain, ladder: Ladder) {
    const { rng, sink, target } = chain;
    this.settings = settings;
    this.chain = chain;
    this.ladder = ladder;
    this.recorder = new DrawRecorder(COLUMNS.length, target, sink);
    this.diagnostics = new Float64Array(COLUMNS.length + 3 * target.dimension);
    this.random = new Int32Array(rng.state?.length ?? 0);
  }

  run(): Outcome {
    const { chain, ladder } = this;
    const { clock, interrupt, sink } = chain;
    const problem = ladder.error()?.message ?? ladder.searchStepSizes();
    if (problem !== undefined) return failed(chain, problem);
    const elapsed = stopwatch(clock);
    let done = 0;
    const draws: Float64Array[] = [];
    for (const { change, iterations } of roundsOf(this.settings.number('num_warmup'))) {
      const every = Math.ceil(iterations / MOST_DRAWS);
      let index = 0;
      const adapt = () => {
        const ended = this.move();
        if (ended !== undefined) return ended;
        ladder.adapt();
        if (change !== 'schedule' && index++ % every === 0) draws.push(ladder.top.sampler.point.position.slice());
        return undefined;
      };
      const plan = { ...iterationPlan('warmup', this.settings, chain), count: iterations, done };
      const ended = runIterations(
        plan,
        sink,
        interrupt,
        adapt,
        () => this.record(),
        () => ladder.top.logTarget,
      );
      if (ended !== undefined) return ended;
      done += iterations;
      if (iterations > 0) rearrange(ladder, change, draws, this.settings.number('max_temperatures'));
      const error = ladder.error();
      if (error !== undefined) return failed(chain, error.message);
    }
    ladder.endAdaptation();
    ladder.roundTrips = 0;
    this.reportAdaptation();
    return this.sample(elapsed());
  }

  /** Continues an earlier run of the chain. */
  continue({ logDensity, random }: Continuation): Outcome {
    const { chain, ladder } = this;
    if (ladder.top.logTarget !== logDensity) return failed(chain, OTHER_DENSITY);
    chain.rng.state?.set(random);
    this.reportAdaptation();
    return this.sample(0);
  }

  private sample(warmupSeconds: number): Outcome {
    const { chain, ladder } = this;
    const { block, clock, interrupt, rest, sink } = chain;
    const samplingTime = stopwatch(clock);
    const plan = iterationPlan('sampling', this.settings, this.chain);
    let iterations = plan.continued ?? 0;
    this.before = new Float64Array(ladder.stateLength);
    const stones = new SteppingStones(ladder.levels.length - 1, plan.count);
    ladder.restart();
    const tripsBefore = ladder.roundTrips;
    const end = () => this.end(iterations).end;
    const move = () => {
      rest?.(end);
      const ended = this.moveOrStay();
      if (ended === undefined) {
        iterations += 1;
        for (let k = 0; k < ladder.levels.length - 1; k++) stones.add(k, ladder.stepLogWeight(k));
        stones.next();
      }
      return ended;
    };
    const ended = runIterations(plan, sink, interrupt, move, () => this.record());
    if (ended?.status === 'failed') return ended;
    this.reportTempering(stones, ladder.roundTrips - tripsBefore);
    const seconds = { warmup: warmupSeconds, sampling: samplingTime() };
    if (block === undefined) sink.elapsed(elapsedLines(seconds.warmup, seconds.sampling));
    const status = ended === undefined ? 'completed' : 'interrupted';
    return { status, ...this.end(iterations), ...(block !== undefined && { seconds }) };
  }

  /** One iteration. If it is interrupted, the chain keeps its state. */
  private moveOrStay(): Outcome | undefined {
    const { chain, ladder } = this;
    const { state } = chain.rng;
    if (state !== undefined) this.random.set(state);
    ladder.save(this.before);
    const ended = this.move();
    if (ended?.status === 'interrupted') {
      ladder.restore(this.before);
      state?.set(this.random);
    }
    return ended;
  }

  private move(): Outcome | undefined {
    const { chain, ladder } = this;
    if (ladder.iterate()) return undefined;
    const error = ladder.error();
    return error === undefined ? { status: 'interrupted' } : failed(chain, error.message);
  }

  /** The current state of the chain. */
  private end(iterations: number): { readonly end?: Continuation } {
    const { ladder } = this;
    const { state } = this.chain.rng;
    if (state === undefined) return {};
    const changing = new Float64Array(ladder.stateLength);
    ladder.save(changing);
    const { logTarget, sampler } = ladder.top;
    return {
      end: {
        position: sampler.point.position.slice(),
        logDensity: logTarget,
        iterations,
        random: state.slice(),
        further: writeLadder(ladder, changing),
      },
    };
  }

  /** Emits the state at the posterior as a draw and as a diagnostic, which contains gradients of the potential, as in Stan. */
  private record(): Outcome | undefined {
    const { diagnostics, ladder, recorder } = this;
    const { logTarget, sampler, stepSize, targetGradient } = ladder.top;
    const { point, report } = sampler;
    const { columns } = recorder;
    columns[0] = logTarget;
    columns[1] = report.acceptStatistic;
    columns[2] = stepSize;
    columns[3] = report.treeDepth;
    columns[4] = report.leapfrogSteps;
    columns[5] = report.divergent ? 1 : 0;
    columns[6] = ladder.roundTrips;
    columns[7] = point.energy;
    const failure = recorder.record(point.position);
    if (failure !== undefined) return failed(this.chain, failure.message);
    const { length } = point.position;
    diagnostics.set(columns);
    diagnostics.set(point.position, COLUMNS.length);
    diagnostics.set(point.momentum, COLUMNS.length + length);
    for (let i = 0; i < length; i++) diagnostics[COLUMNS.length + 2 * length + i] = -targetGradient[i];
    this.chain.sink.diagnostic(diagnostics);
    return undefined;
  }

  private reportAdaptation(): void {
    const { scale, stepSize } = this.ladder.top;
    const inverseMetric = scale.inverse.slice();
    this.chain.sink.adaptation({
      stepSize,
      inverseMetric,
      text: [
        END_OF_WARMUP,
        `Step size = ${streamText(stepSize)}`,
        'Diagonal elements of inverse mass matrix:',
        Array.from(inverseMetric, (value) => streamText(value)).join(', '),
      ],
    });
  }

  private reportTempering(stones: SteppingStones, roundTrips: number): void {
    const { ladder } = this;
    const { sink } = this.chain;
    const rejections = ladder.rejections();
    const listed = (values: readonly number[]) => values.map((value) => streamText(value, 3)).join(', ');
    const barrier = barriers(rejections)[rejections.length];
    sink.log('info', `Inverse temperatures: ${listed(ladder.levels.map(({ beta }) => beta))}.`);
    sink.log(
      'info',
      `Rejection rates of swaps: ${listed(rejections)}; communication barrier ${streamText(barrier, 3)}.`,
    );
    sink.log('info', `Round trips between reference and posterior: ${roundTrips}.`);
    if (roundTrips < LEAST_ROUND_TRIPS) sink.log('warn', FEW_ROUND_TRIPS);
    const evidence = stones.estimate();
    if (evidence === undefined) return;
    const constant = this.dropped();
    const { logConstant, standardError } = evidence;
    sink.log(
      'info',
      `Log evidence: ${(logConstant + constant).toFixed(3)} (standard error ${streamText(standardError, 2)}).`,
    );
  }

  /** The constant terms that the log density of draws lacks. */
  private dropped(): number {
    const { position } = this.ladder.top.sampler.point;
    return this.chain.target.logDensity(position.slice()) - this.ladder.top.logTarget;
  }
}
