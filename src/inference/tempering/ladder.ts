import { exponential } from '../../base/elementary.js';
import { DualAveraging, type DualAveragingSettings } from '../adaptation/dual-averaging.js';
import type { EventSink } from '../events.js';
import type { Rng } from '../random/rng.js';
import { SILENT } from '../silent.js';
import type { Failure, Target } from '../target.js';
import { Hamiltonian } from '../transition/hamiltonian.js';
import { NutsSampler } from '../transition/nuts.js';
import { PhaseSpace } from '../transition/phase-space.js';
import { searchStepSize } from '../transition/step-size-search.js';
import { LevelScale, LevelScales } from './level-scales.js';
import type { NormalMixture } from './mixture.js';
import { TemperedDensity } from './tempered-density.js';

/** Leapfrog steps between two calls of `interrupt`. */
const INTERRUPT_EVERY = 8;

/** What a level starts with. */
export interface LevelStart {
  readonly beta: number;
  readonly position: Float64Array;
  readonly stepSize: number;
  readonly inverseMetric: Float64Array;
}

/** The state of the chain at one inverse temperature. */
export interface Level {
  readonly beta: number;
  readonly sampler: NutsSampler;
  readonly scale: LevelScale;
  readonly adaptation: DualAveraging;
  stepSize: number;
  /** Log densities of posterior and reference at the position; the former is -∞ outside of the support. */
  logTarget: number;
  logReference: number;
  targetGradient: Float64Array;
}

/** Where a replica, which moves between levels by swaps, was last: 1 at the reference, -1 at the posterior after it, 0 at neither. */
type Origin = -1 | 0 | 1;

export interface LadderOptions {
  readonly target: Target;
  readonly rng: Rng;
  readonly sink: EventSink;
  readonly interrupt: () => boolean;
  readonly maxDepth: number;
  readonly stepSizes: DualAveragingSettings;
}

/**
 * Non-reversible parallel tempering (Syed, Bouchard-Côté, Deligiannidis and Doucet, JRSS B 84, 2022): one chain for each inverse temperature
 * between a reference (0) and the posterior (1). An iteration proposes to swap the positions of neighbors, of even and of odd pairs in turn, and
 * makes a transition of the No-U-Turn sampler at each level; the reference is drawn from.
 */
export class Ladder {
  levels: readonly Level[] = [];
  /** Number of replicas that have moved from the reference to the posterior and back. */
  roundTrips = 0;
  /** Sums of the rejection probabilities of swaps with the level above, and their numbers. */
  readonly rejected: number[] = [];
  readonly proposed: number[] = [];
  private readonly options: LadderOptions;
  private readonly density: TemperedDensity;
  private readonly space: PhaseSpace;
  private readonly scales: LevelScales;
  private readonly hamiltonian: Hamiltonian;
  /** The reason why the target could not be evaluated outside of transitions, if that is an error of the program. */
  private failure: Failure | undefined;
  private readonly position: Float64Array;
  private readonly referenceGradient: Float64Array;
  private origins: Origin[] = [];
  private isOdd = false;

  constructor(options: LadderOptions, reference: NormalMixture, starts: readonly LevelStart[]) {
    const { sink, target } = options;
    this.options = options;
    this.density = new TemperedDensity(target, reference);
    this.space = new PhaseSpace(target.dimension);
    this.scales = new LevelScales(this.space);
    this.hamiltonian = new Hamiltonian(this.density, this.space, this.scales, {
      ...SILENT,
      log: (severity, text) => {
        if (this.density.beta === 1) sink.log(severity, text);
      },
    });
    this.position = new Float64Array(target.dimension);
    this.referenceGradient = new Float64Array(target.dimension);
    this.arrange(reference, starts);
  }

  get reference(): NormalMixture {
    return this.density.reference;
  }

  /** The error of the program that ends the run, if any. */
  error(): Failure | undefined {
    return this.failure ?? this.hamiltonian.error;
  }

  /** The level of the posterior. */
  get top(): Level {
    return this.levels[this.levels.length - 1];
  }

  /** Replaces the reference and all levels. The inverse temperatures must increase from 0 to 1. */
  arrange(reference: NormalMixture, starts: readonly LevelStart[]): void {
    const { hamiltonian, options, space } = this;
    this.density.reference = reference;
    for (const { sampler } of this.levels) space.release(sampler.point);
    this.levels = starts.map(({ beta, inverseMetric, position, stepSize }) => {
      const start = space.acquire(1);
      start.position.set(position);
      const { interrupt, maxDepth, rng } = options;
      return {
        beta,
        sampler: new NutsSampler({ hamiltonian, rng, start, maxDepth, interrupt, interruptEvery: INTERRUPT_EVERY }),
        scale: new LevelScale(inverseMetric),
        adaptation: new DualAveraging(options.stepSizes, stepSize),
        stepSize,
        logTarget: 0,
        logReference: 0,
        targetGradient: new Float64Array(space.dimension),
      };
    });
    this.origins = starts.map(() => 0);
    this.roundTrips = 0;
    this.restart();
    for (const level of this.levels) {
      this.evaluate(level);
      this.settle(level);
    }
  }

  /** Searches for step sizes at all levels but the reference. Returns the reason for a failure. */
  searchStepSizes(): string | undefined {
    for (const level of this.levels.slice(1)) {
      this.use(level);
      const found = searchStepSize(this.hamiltonian, level.sampler.point, level.stepSize, this.options.rng);
      if ('problem' in found) return found.problem;
      level.stepSize = found.stepSize;
      level.adaptation.restart(found.stepSize);
    }
    return undefined;
  }

  /** Forgets the rates of swaps. */
  restart(): void {
    this.rejected.length = 0;
    this.proposed.length = 0;
    for (let k = 0; k < this.levels.length - 1; k++) {
      this.rejected.push(0);
      this.proposed.push(0);
    }
  }

  /** The rejection rates of swaps with the level above. */
  rejections(): number[] {
    return this.rejected.map((sum, k) => (this.proposed[k] === 0 ? 0 : sum / this.proposed[k]));
  }

  /** One iteration. Returns false if it was interrupted or the program has an error; `restore` must then be called. */
  iterate(): boolean {
    this.swapNeighbors();
    for (let k = 0; k < this.levels.length; k++) if (!this.explore(this.levels[k])) return false;
    return true;
  }

  /** Adapts the step sizes after an iteration, and learns the metrics. */
  adapt(): void {
    for (let k = 1; k < this.levels.length; k++) {
      const level = this.levels[k];
      level.stepSize = level.adaptation.update(level.sampler.report.acceptStatistic);
      level.scale.add(level.sampler.point);
    }
  }

  /** Sets the averaged step sizes. */
  endAdaptation(): void {
    for (const level of this.levels) level.stepSize = level.adaptation.averaged ?? level.stepSize;
  }

  /** The logarithm of the weight with which the draw at level `k` represents the next level. */
  stepLogWeight(k: number): number {
    const { beta, logReference, logTarget } = this.levels[k];
    return (this.levels[k + 1].beta - beta) * (logTarget - logReference);
  }

  /** Number of elements of `save`. */
  get stateLength(): number {
    return this.levels.length * (this.space.dimension + 1) + 2;
  }

  /** Writes the state that iterations change, apart from the random numbers. */
  save(state: Float64Array): void {
    const { levels, origins, space } = this;
    let place = 0;
    for (let k = 0; k < levels.length; k++) {
      state.set(levels[k].sampler.point.position, place);
      state[place + space.dimension] = origins[k];
      place += space.dimension + 1;
    }
    state[place] = this.roundTrips;
    state[place + 1] = this.isOdd ? 1 : 0;
  }

  /** Restores a state that `save` has written with the same number of levels. */
  restore(state: Float64Array): void {
    const { levels, origins, space } = this;
    const width = space.dimension + 1;
    for (let k = 0; k < levels.length; k++) {
      const level = levels[k];
      level.sampler.point.position.set(state.subarray(k * width, (k + 1) * width - 1));
      const origin = state[(k + 1) * width - 1];
      origins[k] = origin > 0 ? 1 : origin < 0 ? -1 : 0;
      this.evaluate(level);
      this.settle(level);
    }
    this.roundTrips = state[levels.length * width];
    this.isOdd = state[levels.length * width + 1] === 1;
  }

  private swapNeighbors(): void {
    const { levels, origins, proposed, rejected } = this;
    const { rng } = this.options;
    for (let k = this.isOdd ? 1 : 0; k < levels.length - 1; k += 2) {
      const lower = levels[k];
      const upper = levels[k + 1];
      const logRatio =
        (upper.beta - lower.beta) * (lower.logTarget - lower.logReference - (upper.logTarget - upper.logReference));
      const acceptance = logRatio >= 0 ? 1 : exponential(logRatio);
      proposed[k] += 1;
      rejected[k] += 1 - acceptance;
      if (rng.uniform() < acceptance) this.swap(k);
    }
    this.isOdd = !this.isOdd;
    const last = levels.length - 1;
    if (origins[0] === -1) this.roundTrips += 1;
    origins[0] = 1;
    if (origins[last] === 1) origins[last] = -1;
  }

  private swap(k: number): void {
    const { levels, origins } = this;
    const lower = levels[k];
    const upper = levels[k + 1];
    const origin = origins[k];
    origins[k] = origins[k + 1];
    origins[k + 1] = origin;
    this.position.set(lower.sampler.point.position);
    lower.sampler.point.position.set(upper.sampler.point.position);
    upper.sampler.point.position.set(this.position);
    const { logReference, logTarget, targetGradient } = lower;
    lower.logTarget = upper.logTarget;
    lower.logReference = upper.logReference;
    lower.targetGradient = upper.targetGradient;
    upper.logTarget = logTarget;
    upper.logReference = logReference;
    upper.targetGradient = targetGradient;
    this.settle(lower);
    this.settle(upper);
  }

  /** A transition that leaves the distribution at a level unchanged. */
  private explore(level: Level): boolean {
    const { sampler } = level;
    if (level.beta === 0) this.reference.draw(this.options.rng, sampler.point.position);
    else {
      this.use(level);
      if (!sampler.transition(level.stepSize)) return false;
    }
    this.evaluate(level);
    return this.error() === undefined;
  }

  private use(level: Level): void {
    this.density.beta = level.beta;
    this.scales.use(level.scale);
  }

  /** Evaluates posterior and reference at the position of a level. */
  private evaluate(level: Level): void {
    const { position } = this;
    const { sink, target } = this.options;
    position.set(level.sampler.point.position);
    const logTarget = target.logDensityGradient(position, level.targetGradient);
    const printed = target.takePrinted();
    if (printed !== '') sink.log('info', printed);
    if (Number.isNaN(logTarget) && target.failure?.kind === 'error') this.failure = target.failure;
    level.logTarget = Number.isNaN(logTarget) ? Number.NEGATIVE_INFINITY : logTarget;
    level.logReference = this.reference.logDensity(position);
  }

  /** Sets potential and gradient of the point of a level. */
  private settle({ beta, logReference, logTarget, sampler, targetGradient }: Level): void {
    const { density, position, referenceGradient } = this;
    const { point } = sampler;
    density.beta = beta;
    point.potential = -density.combined(logTarget, logReference);
    if (beta === 1) point.gradient.set(targetGradient);
    else {
      position.set(point.position);
      this.reference.logDensityGradient(position, referenceGradient);
      density.combineGradient(targetGradient, referenceGradient, point.gradient);
    }
  }
}
