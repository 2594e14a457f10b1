import type { Failure, LogDensity, Target } from '../target.js';

/** A log density for tests: returns its value and writes its gradient, or returns a failure. */
export type Evaluate = (position: Float64Array, gradient: Float64Array) => number | Failure;

/** A target whose draws are the positions themselves. */
export class TestTarget implements Target {
  readonly dimension: number;
  readonly drawLength: number;
  readonly generatedFrom: number;
  failure: Failure | undefined;
  /** Output to report after the next evaluation. */
  printed = '';
  evaluations = 0;
  readonly withoutJacobian: LogDensity;
  private readonly evaluate: Evaluate;
  private readonly scratch: Float64Array;

  /** `withoutJacobian` is the target itself by default. */
  constructor(dimension: number, evaluate: Evaluate, withoutJacobian?: LogDensity) {
    this.withoutJacobian = withoutJacobian ?? this;
    this.dimension = dimension;
    this.drawLength = dimension;
    this.generatedFrom = dimension;
    this.evaluate = evaluate;
    this.scratch = new Float64Array(dimension);
  }

  logDensityGradient(position: Float64Array, gradient: Float64Array): number {
    this.evaluations += 1;
    const result = this.evaluate(position, gradient);
    if (typeof result === 'number') {
      this.failure = undefined;
      return result;
    }
    this.failure = result;
    return Number.NaN;
  }

  logDensity(position: Float64Array): number {
    return this.logDensityGradient(position, this.scratch);
  }

  takePrinted(): string {
    const { printed } = this;
    this.printed = '';
    return printed;
  }

  writeDraw(position: Float64Array, draw: Float64Array, offset: number): Failure | undefined {
    draw.set(position, offset);
    return undefined;
  }
}

/** Independent normals with mean zero. */
export function normalTarget(scales: readonly number[]): TestTarget {
  const precisions = Float64Array.from(scales, (scale) => scale ** -2);
  return new TestTarget(scales.length, (position, gradient) => {
    let squares = 0;
    for (let i = 0; i < position.length; i++) {
      const pull = precisions[i] * position[i];
      gradient[i] = -pull;
      squares += pull * position[i];
    }
    return -0.5 * squares;
  });
}

/** Two standard normals with a correlation. */
export function correlatedTarget(correlation: number): TestTarget {
  const factor = 1 / (1 - correlation ** 2);
  return new TestTarget(2, ([x, y], gradient) => {
    gradient[0] = -factor * (x - correlation * y);
    gradient[1] = -factor * (y - correlation * x);
    return -0.5 * factor * (x * x - 2 * correlation * x * y + y * y);
  });
}

/** A mixture of normals with the same mean and standard deviation in every coordinate. The density is normalized. */
export function mixtureTarget(
  dimension: number,
  components: readonly { readonly weight: number; readonly mean: number; readonly scale: number }[],
): TestTarget {
  const constants = components.map(
    ({ scale, weight }) => Math.log(weight) - dimension * Math.log(scale * Math.sqrt(2 * Math.PI)),
  );
  const terms = new Float64Array(components.length);
  return new TestTarget(dimension, (position, gradient) => {
    let density = Number.NEGATIVE_INFINITY;
    for (const [k, { mean, scale }] of components.entries()) {
      let squares = 0;
      for (let i = 0; i < dimension; i++) squares += (position[i] - mean) ** 2;
      terms[k] = constants[k] - squares / (2 * scale ** 2);
      const [less, more] = density < terms[k] ? [density, terms[k]] : [terms[k], density];
      density = more + Math.log1p(Math.exp(less - more));
    }
    gradient.fill(0);
    for (const [k, { mean, scale }] of components.entries()) {
      const share = Math.exp(terms[k] - density) / scale ** 2;
      for (let i = 0; i < dimension; i++) gradient[i] -= share * (position[i] - mean);
    }
    return density;
  });
}

/** A mild version of Neal's funnel in two dimensions: y ~ normal(0, 1), x ~ normal(0, exp(y / 2)). */
export function funnelTarget(): TestTarget {
  return new TestTarget(2, ([y, x], gradient) => {
    const precision = Math.exp(-y);
    gradient[0] = -y - 0.5 + 0.5 * x * x * precision;
    gradient[1] = -x * precision;
    return -0.5 * (y * y + y + x * x * precision);
  });
}

/** Two standard normals, the first truncated to [-1, 1]: other positions are rejected. */
export function boxTarget(): TestTarget {
  return new TestTarget(2, ([x, y], gradient) => {
    if (Math.abs(x) > 1) return { kind: 'rejection', message: 'x is outside of the box' };
    gradient[0] = -x;
    gradient[1] = -y;
    return -0.5 * (x * x + y * y);
  });
}
