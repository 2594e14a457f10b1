import { drawNormal, normalized } from '../approximation/normal.js';
import { LimitedCurvature } from '../optimization/curvature.js';
import type { Objective } from '../optimization/objective.js';
import { QuasiNewton, type StepResult, type Tolerances } from '../optimization/quasi-newton.js';
import type { Rng } from '../random/rng.js';
import type { Failure, LogDensity } from '../target.js';
import { approximationAt, type PathApproximation, type PathStep, updateDiagonal } from './inverse-hessian.js';

/** Draws of an approximation, with their log densities under the approximation and under the target. */
export interface ApproximateDraws {
  readonly positions: readonly Float64Array[];
  readonly logApproximate: Float64Array;
  /** NaN if not requested; -∞ if the target rejects the draw. */
  readonly logTarget: Float64Array;
}

/** A point of the optimizer and the gradient of its objective. */
export interface PathPoint {
  readonly position: Float64Array;
  readonly gradient: Float64Array;
}

/** The best approximation along a path. */
export interface BestApproximation {
  readonly iteration: number;
  readonly approximation: PathApproximation;
  /** The draws from which its ELBO was estimated. */
  readonly draws: ApproximateDraws;
  readonly elbo: number;
}

export interface PathSettings {
  readonly historySize: number;
  readonly tolerances: Tolerances;
  readonly initialStep: number;
  /** Number of draws per ELBO. */
  readonly elboDraws: number;
}

/**
 * Follows an optimizer and estimates the ELBO of normal approximations at its points (Zhang, Carpenter, Gelman and
 * Vehtari, "Pathfinder: parallel quasi-Newton variational inference", JMLR 23, 2022, algorithm 1).
 */
export class Path {
  readonly minimizer: QuasiNewton;
  best: BestApproximation | undefined;
  /** The approximation of the latest estimate, if one exists. */
  approximation: PathApproximation | undefined;
  /** The latest point, or the start. */
  point: PathPoint;
  /** The latest estimate; NaN if there is no approximation, or if the target is NaN at one of its draws. */
  elbo = Number.NaN;
  /** Number of log densities of draws so far. */
  evaluations = 0;
  /** Set if the program has an error. */
  error: Failure | undefined;
  private readonly objective: Objective;
  private readonly density: LogDensity;
  private readonly rng: Rng;
  private readonly log: (text: string) => void;
  private readonly settings: PathSettings;
  private readonly history: PathStep[] = [];
  private alpha: Float64Array;

  /**
   * `objective` must have been evaluated at its point. `density` is the same density with constants. `log` receives what the program prints
   * at draws.
   */
  constructor(
    objective: Objective,
    start: ReturnType<Objective['newPoint']>,
    density: LogDensity,
    rng: Rng,
    settings: PathSettings,
    log: (text: string) => void,
  ) {
    this.objective = objective;
    this.density = density;
    this.rng = rng;
    this.settings = settings;
    this.log = log;
    this.alpha = new Float64Array(density.dimension).fill(1);
    this.point = { position: start.position.slice(), gradient: start.gradient.slice() };
    this.minimizer = new QuasiNewton({
      objective,
      start,
      curvature: new LimitedCurvature(settings.historySize),
      tolerances: settings.tolerances,
      initialStep: settings.initialStep,
    });
  }

  /** Makes one step of the optimizer. */
  advance(): StepResult {
    const result = this.minimizer.advance();
    this.error = this.objective.error;
    if (result === 'no step') return result;
    const { gradient, position } = this.minimizer.point;
    const latest = {
      step: position.map((value, i) => value - this.point.position[i]),
      gradientChange: gradient.map((value, i) => value - this.point.gradient[i]),
    };
    this.point = { position: position.slice(), gradient: gradient.slice() };
    this.alpha = updateDiagonal(this.alpha, latest);
    this.history.push(latest);
    if (this.history.length > this.settings.historySize) this.history.shift();
    return result;
  }

  /** Number of steps in the history of the approximation at the latest point. */
  get historySize(): number {
    return this.history.length;
  }

  /** Draws from an approximation. */
  draw(approximation: PathApproximation, count: number, withTarget: boolean): ApproximateDraws {
    const { density, rng } = this;
    const z = new Float64Array(density.dimension);
    const logApproximate = new Float64Array(count);
    const positions = Array.from({ length: count }, (_, index) => {
      const position = new Float64Array(density.dimension);
      logApproximate[index] = normalized(approximation, drawNormal(approximation, rng, z, position));
      return position;
    });
    const logTarget = Float64Array.from(positions, (position) => (withTarget ? this.logTarget(position) : Number.NaN));
    return { positions, logApproximate, logTarget };
  }

  /** Computes the approximation at the latest point and estimates its ELBO. */
  estimate(): void {
    this.elbo = Number.NaN;
    const { gradient, position } = this.point;
    const approximation = approximationAt(position, gradient, this.alpha, this.history);
    this.approximation = approximation;
    if (approximation === undefined) return;
    const draws = this.draw(approximation, this.settings.elboDraws, true);
    const ratios = draws.logTarget.map((value, i) => value - draws.logApproximate[i]);
    this.elbo = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    if (this.elbo > (this.best?.elbo ?? Number.NEGATIVE_INFINITY)) {
      this.best = { iteration: this.minimizer.iteration, approximation, draws, elbo: this.elbo };
    }
  }

  private logTarget(position: Float64Array): number {
    this.evaluations += 1;
    const value = this.density.logDensity(position);
    const printed = this.density.takePrinted();
    if (printed !== '') this.log(printed);
    const { failure } = this.density;
    if (!Number.isNaN(value) || failure === undefined) return value;
    if (failure.kind === 'error') this.error = failure;
    return Number.NEGATIVE_INFINITY;
  }
}
