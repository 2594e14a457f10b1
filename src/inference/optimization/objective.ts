import type { Failure, LogDensity } from '../target.js';

/** A point with the objective there. */
export interface Evaluated {
  readonly position: Float64Array;
  /** The gradient of the objective. */
  readonly gradient: Float64Array;
  value: number;
}

/** The minimized function: minus a log density. Points at which it or its gradient is not finite count as unusable. */
export class Objective {
  /** Number of gradients so far. */
  evaluations = 0;
  /** Set if the program itself has failed, so that no further step is possible. */
  error: Failure | undefined;
  readonly dimension: number;
  readonly density: LogDensity;
  private readonly log: (text: string) => void;

  /** `log` receives the program's output and why a point is unusable. */
  constructor(density: LogDensity, log: (text: string) => void) {
    this.density = density;
    this.dimension = density.dimension;
    this.log = log;
  }

  newPoint(): Evaluated {
    const { dimension } = this;
    return { position: new Float64Array(dimension), gradient: new Float64Array(dimension), value: Number.NaN };
  }

  /** Evaluates at the point's position; false if that is unusable. */
  evaluate(point: Evaluated): boolean {
    const { density, log } = this;
    const { gradient, position } = point;
    this.evaluations += 1;
    const logDensity = density.logDensityGradient(position, gradient);
    point.value = -logDensity;
    const printed = density.takePrinted();
    if (printed !== '') log(printed);
    const { failure } = density;
    if (Number.isNaN(logDensity) && failure !== undefined) {
      if (failure.kind === 'error') this.error = failure;
      log(failure.message);
      return false;
    }
    for (let i = 0; i < gradient.length; i++) gradient[i] = -gradient[i];
    const problem = !gradient.every(Number.isFinite)
      ? 'gradient'
      : Number.isFinite(logDensity)
        ? undefined
        : 'function evaluation';
    if (problem !== undefined) log(`Error evaluating model log probability: Non-finite ${problem}.`);
    return problem === undefined;
  }
}
