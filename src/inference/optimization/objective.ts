import type { Failure, LogDensity } from '../target.js';

/** A point and its value of the objective. */
export interface Evaluated {
  readonly position: Float64Array;
  /** The gradient of the objective. */
  readonly gradient: Float64Array;
  value: number;
}

/** The function to minimize: minus a log density. Points at which it or its gradient is not finite are unusable. */
export class Objective {
  /** Number of evaluated gradients. */
  evaluations = 0;
  /** Set if the program has an error, so that no further step is possible. */
  error: Failure | undefined;
  readonly dimension: number;
  readonly density: LogDensity;
  private readonly log: (text: string) => void;

  /** `log` receives output of the program and the reasons why points are unusable. */
  constructor(density: LogDensity, log: (text: string) => void) {
    this.density = density;
    this.dimension = density.dimension;
    this.log = log;
  }

  newPoint(): Evaluated {
    const { dimension } = this;
    return { position: new Float64Array(dimension), gradient: new Float64Array(dimension), value: Number.NaN };
  }

  /** Evaluates at the position of the point. Returns false if the point is unusable. */
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
