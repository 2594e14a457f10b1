import { dot } from '../linear/vectors.js';

/** The approximation of the inverse Hessian in a quasi-Newton method. */
export interface Curvature {
  /**
   * Updates with a step and the change of the gradient over the step. A reset discards earlier updates. Returns the factor by which a reset
   * scales the approximation of the Hessian, and 1 without a reset.
   */
  update(gradientChange: Float64Array, step: Float64Array, reset: boolean): number;
  /** direction = -inverse Hessian * gradient. */
  direction(gradient: Float64Array, direction: Float64Array): void;
}

/** The dense matrix, with the update of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright, equation 6.17). */
export class DenseCurvature implements Curvature {
  private readonly size: number;
  /** The inverse Hessian, row-major. */
  private readonly inverse: Float64Array;
  private readonly product: Float64Array;

  constructor(size: number) {
    this.size = size;
    this.inverse = new Float64Array(size * size);
    this.product = new Float64Array(size);
  }

  update(gradientChange: Float64Array, step: Float64Array, reset: boolean): number {
    const { inverse, product, size } = this;
    const curvature = dot(gradientChange, step);
    const factor = reset ? dot(gradientChange, gradientChange) / curvature : 1;
    if (reset) {
      inverse.fill(0);
      for (let i = 0; i < size; i++) inverse[i * (size + 1)] = 1 / factor;
    }
    multiply(inverse, gradientChange, product);
    const rho = 1 / curvature;
    const outer = rho * (1 + rho * dot(gradientChange, product));
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        inverse[i * size + j] += outer * step[i] * step[j] - rho * (step[i] * product[j] + product[i] * step[j]);
      }
    }
    return factor;
  }

  direction(gradient: Float64Array, direction: Float64Array): void {
    multiply(this.inverse, gradient, direction);
    for (let i = 0; i < this.size; i++) direction[i] = -direction[i];
  }
}

interface Update {
  readonly gradientChange: Float64Array;
  readonly step: Float64Array;
  readonly rho: number;
}

/** The latest updates only, applied in sequence (Nocedal and Wright, algorithm 7.4). */
export class LimitedCurvature implements Curvature {
  private readonly historySize: number;
  private readonly history: Update[] = [];
  private scale = 1;

  constructor(historySize: number) {
    this.historySize = historySize;
  }

  /** The stored updates, oldest first. */
  get updates(): readonly Update[] {
    return this.history;
  }

  update(gradientChange: Float64Array, step: Float64Array, reset: boolean): number {
    const { history } = this;
    const curvature = dot(gradientChange, step);
    const squares = dot(gradientChange, gradientChange);
    if (reset) history.length = 0;
    this.scale = curvature / squares;
    if (history.length === this.historySize) history.shift();
    history.push({ gradientChange: gradientChange.slice(), step: step.slice(), rho: 1 / curvature });
    return reset ? squares / curvature : 1;
  }

  direction(gradient: Float64Array, direction: Float64Array): void {
    const { history, scale } = this;
    for (let i = 0; i < gradient.length; i++) direction[i] = -gradient[i];
    const alphas = new Float64Array(history.length);
    for (let k = history.length - 1; k >= 0; k--) {
      const { gradientChange, rho, step } = history[k];
      alphas[k] = rho * dot(step, direction);
      subtract(direction, alphas[k], gradientChange);
    }
    for (let i = 0; i < direction.length; i++) direction[i] *= scale;
    history.forEach(({ gradientChange, rho, step }, k) => {
      subtract(direction, rho * dot(gradientChange, direction) - alphas[k], step);
    });
  }
}

function subtract(from: Float64Array, factor: number, vector: Float64Array): void {
  for (let i = 0; i < from.length; i++) from[i] -= factor * vector[i];
}

function multiply(matrix: Float64Array, vector: Float64Array, out: Float64Array): void {
  const size = vector.length;
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += matrix[i * size + j] * vector[j];
    out[i] = sum;
  }
}
