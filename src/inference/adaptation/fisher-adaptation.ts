import type { DiagonalMetric } from '../transition/diagonal-metric.js';
import type { PhasePoint } from '../transition/phase-point.js';
import type { ChangedCoordinates } from './centering-adaptation.js';
import type { MetricAdaptation } from './metric-adaptation.js';
import { WelfordVariance } from './welford.js';

/** Window length in draws: in the first part of warmup, and later. */
const EARLY_WINDOW = 10;
const LATE_WINDOW = 80;
/** Fractions of warmup: the early part, and the last part, in which the metric is fixed. */
const EARLY = 0.3;
const FINAL = 0.15;
/** Minimum number of draws for an estimate, and for one that replaces a metric that an earlier fit has learned. */
const FEWEST = 3;
const FEWEST_TO_REPLACE = 20;
/** Bounds of the elements of an inverse metric. */
const SMALLEST = 1e-20;
const LARGEST = 1e20;

/**
 * Learns a diagonal inverse metric from positions and gradients: for each coordinate, the standard deviation of the positions over that of
 * the gradients, which minimizes the Fisher divergence to a standard normal (Seyboldt, Carlson and Carpenter, "Preconditioning Hamiltonian
 * Monte Carlo by minimizing Fisher divergence", arXiv 2603.18845, 2026).
 *
 * A few draws suffice, so the metric is updated after every transition from the start, as in nutpie. It uses a foreground estimate, which
 * is replaced at the end of each window by a background estimate that started later. The step size adapts as usual.
 */
export class FisherAdaptation implements MetricAdaptation {
  private readonly metric: DiagonalMetric;
  private readonly numWarmup: number;
  private readonly inverse: Float64Array;
  private foreground: Estimates;
  private background: Estimates;
  private fewest = FEWEST_TO_REPLACE;
  private iteration = 0;

  constructor(metric: DiagonalMetric, dimension: number, numWarmup: number) {
    this.metric = metric;
    this.numWarmup = numWarmup;
    this.inverse = new Float64Array(dimension);
    this.foreground = new Estimates(dimension);
    this.background = new Estimates(dimension);
  }

  begin({ gradient }: Pick<PhasePoint, 'gradient'>, variances?: Float64Array): void {
    this.fewest = FEWEST;
    this.set((i) => variances?.[i] ?? 1 / Math.abs(gradient[i]));
  }

  update(point: Pick<PhasePoint, 'position' | 'gradient'>): 'unchanged' {
    const iteration = this.iteration++;
    if (iteration >= (1 - FINAL) * this.numWarmup) return 'unchanged';
    this.foreground.add(point);
    this.background.add(point);
    if (this.background.size >= (iteration < EARLY * this.numWarmup ? EARLY_WINDOW : LATE_WINDOW)) {
      const outworn = this.foreground;
      this.foreground = this.background;
      this.background = outworn;
      outworn.restart();
    }
    if (this.foreground.size >= this.fewest) {
      this.fewest = FEWEST;
      const { gradients, positions } = this.foreground.variances();
      this.set((i) => Math.sqrt(positions[i] / gradients[i]));
    }
    return 'unchanged';
  }

  change({ elements, gradients, positions }: ChangedCoordinates): void {
    const estimates = new Float64Array(this.inverse.length);
    this.fewest = FEWEST;
    for (const [k, element] of elements.entries()) estimates[element] = Math.sqrt(positions[k] / gradients[k]);
    this.set((i) => estimates[i]);
    this.foreground.restart();
    this.background.restart();
  }

  /** Coordinates without a usable estimate keep their value. */
  private set(estimate: (index: number) => number): void {
    const { inverse, metric } = this;
    inverse.set(metric.inverse());
    for (let i = 0; i < inverse.length; i++) {
      const value = estimate(i);
      if (value >= SMALLEST && value <= LARGEST) inverse[i] = value;
    }
    metric.setInverse(inverse);
  }
}

/** Variances of positions and gradients. */
class Estimates {
  private readonly positions: WelfordVariance;
  private readonly gradients: WelfordVariance;
  private readonly results: { readonly positions: Float64Array; readonly gradients: Float64Array };

  constructor(dimension: number) {
    this.positions = new WelfordVariance(dimension);
    this.gradients = new WelfordVariance(dimension);
    this.results = { positions: new Float64Array(dimension), gradients: new Float64Array(dimension) };
  }

  get size(): number {
    return this.positions.size;
  }

  restart(): void {
    this.positions.restart();
    this.gradients.restart();
  }

  add({ gradient, position }: Pick<PhasePoint, 'position' | 'gradient'>): void {
    this.positions.add(position);
    this.gradients.add(gradient);
  }

  variances(): { readonly positions: Float64Array; readonly gradients: Float64Array } {
    this.positions.writeVariance(this.results.positions);
    this.gradients.writeVariance(this.results.gradients);
    return this.results;
  }
}
