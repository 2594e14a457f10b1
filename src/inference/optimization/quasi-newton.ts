import { dot, norm } from '../linear/vectors.js';
import type { Curvature } from './curvature.js';
import { cubicMinimum, type LineSearchSettings, stansLineSearch, wolfeLineSearch } from './line-search.js';
import type { Evaluated, Objective } from './objective.js';

/** Convergence tolerances of a minimization. A tolerance of 0 disables its test. */
export interface Tolerances {
  /** Absolute change of the objective. */
  readonly objective: number;
  /** Relative change of the objective, in units of the machine precision. */
  readonly relativeObjective: number;
  /** Length of the gradient. */
  readonly gradient: number;
  /** Decrease that the gradient predicts, relative to the objective, in units of the machine precision. */
  readonly relativeGradient: number;
  /** Length of the step. */
  readonly parameters: number;
  readonly iterations: number;
}

/** The outcome of a step. */
export type StepResult =
  | 'continues'
  | 'objective'
  | 'gradient'
  | 'parameters'
  | 'iterations'
  | 'relative objective'
  | 'relative gradient'
  | 'no step';

/** Stan's codes and texts for steps, and for the end of a minimization. */
export const RESULTS: Readonly<Record<StepResult, { readonly code: number; readonly text: string }>> = {
  continues: { code: 0, text: 'Successful step completed' },
  objective: { code: 20, text: 'Convergence detected: absolute change in objective function was below tolerance' },
  'relative objective': {
    code: 21,
    text: 'Convergence detected: relative change in objective function was below tolerance',
  },
  gradient: { code: 30, text: 'Convergence detected: gradient norm is below tolerance' },
  'relative gradient': { code: 31, text: 'Convergence detected: relative gradient magnitude is below tolerance' },
  parameters: { code: 10, text: 'Convergence detected: absolute parameter change was below tolerance' },
  iterations: { code: 40, text: 'Maximum number of iterations hit, may not be at an optima' },
  'no step': { code: -1, text: 'Line search failed to achieve a sufficient decrease, no more progress can be made' },
};

/**
 * Minimizes by quasi-Newton steps with a Wolfe line search. First steps, their scaling after a reset of the curvature, and the convergence
 * tests and their order are those of Stan's BFGS and L-BFGS.
 */
export class QuasiNewton {
  iteration = 0;
  /** The first and the accepted step of the latest line search. */
  firstStep = Number.NaN;
  step = Number.NaN;
  /** Length of the latest move. */
  moved = Number.NaN;
  note = '';
  private readonly objective: Objective;
  private readonly curvature: Curvature;
  private readonly tolerances: Tolerances;
  private readonly initialStep: number;
  private readonly search: LineSearchSettings = stansLineSearch;
  private current: Evaluated;
  private previous: Evaluated;
  private direction: Float64Array;
  private previousDirection: Float64Array;
  /** The latest step, in units of the latest direction, which a reset scales. */
  private previousStep = Number.NaN;
  private readonly gradientChange: Float64Array;
  private readonly positionChange: Float64Array;

  /** `start` must have been evaluated. */
  constructor(options: {
    objective: Objective;
    start: Evaluated;
    curvature: Curvature;
    tolerances: Tolerances;
    initialStep: number;
  }) {
    const { objective, start } = options;
    this.objective = objective;
    this.curvature = options.curvature;
    this.tolerances = options.tolerances;
    this.initialStep = options.initialStep;
    this.current = start;
    this.previous = objective.newPoint();
    this.direction = start.gradient.map((slope) => -slope);
    this.previousDirection = new Float64Array(objective.dimension);
    this.gradientChange = new Float64Array(objective.dimension);
    this.positionChange = new Float64Array(objective.dimension);
  }

  get point(): Evaluated {
    return this.current;
  }

  /** Makes one step and returns its result. */
  advance(): StepResult {
    this.iteration += 1;
    this.note = '';
    const reset = this.searchLine();
    if (reset === undefined) return 'no step';
    [this.current, this.previous] = [this.previous, this.current];
    [this.direction, this.previousDirection] = [this.previousDirection, this.direction];
    const { current, gradientChange, positionChange, previous } = this;
    for (let i = 0; i < positionChange.length; i++) {
      positionChange[i] = current.position[i] - previous.position[i];
      gradientChange[i] = current.gradient[i] - previous.gradient[i];
    }
    const factor = this.curvature.update(gradientChange, positionChange, reset);
    if (reset) for (let i = 0; i < positionChange.length; i++) this.previousDirection[i] /= factor;
    this.previousStep = this.step * factor;
    this.moved = norm(this.previousDirection) * this.previousStep;
    this.curvature.direction(current.gradient, this.direction);
    return this.judge();
  }

  /**
   * Finds the next point on the line and writes it to `previous`. Returns whether this required a reset of the curvature, or undefined if
   * no point was found.
   */
  private searchLine(): boolean | undefined {
    const { current, objective, previous, search } = this;
    const isFirst = this.iteration === 1;
    if (isFirst) this.resetDirection();
    this.firstStep = isFirst ? this.initialStep : this.guessStep();
    const found = wolfeLineSearch(objective, current, this.direction, this.firstStep, previous, search);
    if (found !== undefined) {
      this.step = found;
      return isFirst;
    }
    if (isFirst || objective.error !== undefined) return undefined;
    this.note = 'LS failed, Hessian reset';
    this.resetDirection();
    this.firstStep = this.initialStep;
    const retried = wolfeLineSearch(objective, current, this.direction, this.firstStep, previous, search);
    if (retried === undefined) return undefined;
    this.step = retried;
    return true;
  }

  private resetDirection(): void {
    const { gradient } = this.current;
    for (let i = 0; i < gradient.length; i++) this.direction[i] = -gradient[i];
  }

  /** The first step to try: slightly beyond the minimum of the cubic through the latest two points. */
  private guessStep(): number {
    const { current, previous, previousDirection, previousStep } = this;
    const slope = dot(previous.gradient, previousDirection);
    const slopeThere = dot(current.gradient, previousDirection);
    const change = current.value - previous.value;
    return Math.min(1, 1.01 * cubicMinimum(slope, previousStep, change, slopeThere, this.search.minimumStep, 1));
  }

  private judge(): StepResult {
    const { current, previous, tolerances } = this;
    const change = Math.abs(previous.value - current.value);
    if (change < tolerances.objective) return 'objective';
    if (norm(current.gradient) < tolerances.gradient) return 'gradient';
    if (norm(this.positionChange) < tolerances.parameters) return 'parameters';
    if (this.iteration >= tolerances.iterations) return 'iterations';
    const size = Math.max(Math.abs(current.value), 1);
    if (change / Math.max(Math.abs(previous.value), size) < tolerances.relativeObjective * Number.EPSILON) {
      return 'relative objective';
    }
    const promised = -dot(this.direction, current.gradient) / size;
    return promised < tolerances.relativeGradient * Number.EPSILON ? 'relative gradient' : 'continues';
  }
}
