import { dot } from '../linear/vectors.js';
import type { LowRankForm, LowRankMetric } from '../transition/low-rank-metric.js';
import type { PhasePoint } from '../transition/phase-point.js';
import type { ChangedCoordinates } from './centering-adaptation.js';
import { estimateLowRank, type GradientAt } from './low-rank-estimate.js';
import { MetricWorkspace } from './low-rank-kernel.js';
import type { MetricAdaptation } from './metric-adaptation.js';

/** Fractions of warmup: the early part, in which windows are short, and the last part, in which the metric is fixed. */
const EARLY = 0.3;
const FINAL = 0.15;
/** Number of latest draws whose gradients show whether the chain is still approaching the typical set. */
const APPROACH = 9;
/** Window lengths in draws: in the early part, and of the first window in the main part, where windows grow by a factor. */
const EARLY_WINDOW = 20;
const FIRST_WINDOW = 80;
const GROWTH = 1.5;
/** Number of new draws after which directions are estimated again, and growth of the number of draws after which a diagonal is. */
const INTERVAL = 20;
const DIAGONAL_GROWTH = 1.1;
/** Initial scales come from the first gradient if they are between this and its inverse. */
const SMALLEST_START = 1e-10;
/** Minimum number of draws for an estimate, and for one with directions. */
const FEWEST = 3;
const FEWEST_WITH_DIRECTIONS = 20;
/** Minimum number of draws for an estimate that replaces a metric that an earlier fit has learned. */
const FEWEST_TO_REPLACE = 100;
/** Maximum number of draws in an estimate, the latest ones, to bound its cost. */
const MOST_DRAWS = 200;
/** Ratio of early to late squared gradients in a window above which the chain is still approaching the typical set. */
const MOST_CHANGE = 100;
/** Fraction of the draws that test directions; the directions are estimated from the other draws. */
const JUDGES = 0.3;

/**
 * Learns a low-rank inverse metric from positions and gradients. As in nutpie, an estimate uses the draws of the latest complete window and
 * those since, so that early draws soon lose their influence. Windows end after 20 draws in the first 30 % of warmup, then after 80, 120,
 * 180, … (Seyboldt, Carlson and Carpenter, arXiv 2603.18845, 2026, section 4). While gradients change by orders of magnitude, the chain
 * approaches the typical set, and the metric keeps its value from the first gradient. Repeated positions, as after a rejection, are
 * ignored. If half of the draws are repeated, directions are dropped until the next estimate; after 20 repeated draws in a row, the metric
 * is reset.
 *
 * Directions are used only if they predict: directions estimated from the earlier draws must lower the Fisher divergence of the later
 * draws. They do not while the chain approaches the typical set. In the last 15 % of warmup, the metric is fixed and the step size
 * converges. The draws of the first half of that part test the estimate again; if it fails, the diagonal is used.
 */
export class LowRankAdaptation implements MetricAdaptation {
  private readonly metric: LowRankMetric;
  private readonly maxRank: number;
  private readonly numWarmup: number;
  private readonly report: (message: string) => void;
  /** Draws of the latest whole window, and those since. */
  private points: Draw[] = [];
  private sinceWindow = 0;
  private sinceEstimate = 0;
  /** Number of draws at the latest estimate. */
  private estimated = 0;
  /** Repeated positions since the latest estimate. */
  private repeated = 0;
  /** Repeated positions in a row. */
  private still = 0;
  private window = FIRST_WINDOW;
  /** Whether the metric is one that an earlier fit has learned, which is kept until there are enough draws to replace it. */
  private isKept = true;
  private form: LowRankForm;
  private iteration = 0;
  private readonly judged: GradientAt[] = [];
  private readonly workspace = new MetricWorkspace();

  /** `report` receives a message if the directions are dropped. */
  constructor(options: {
    readonly metric: LowRankMetric;
    readonly maxRank: number;
    readonly numWarmup: number;
    readonly report: (message: string) => void;
  }) {
    this.metric = options.metric;
    this.maxRank = options.maxRank;
    this.numWarmup = options.numWarmup;
    this.report = options.report;
    this.form = options.metric.form;
  }

  begin({ gradient }: Pick<PhasePoint, 'gradient'>, variances?: Float64Array): void {
    const scales = gradient.map((element, i) => {
      const scale = variances === undefined ? 1 / Math.sqrt(Math.abs(element)) : Math.sqrt(variances[i]);
      return scale > SMALLEST_START && scale < 1 / SMALLEST_START ? scale : 1;
    });
    this.isKept = false;
    this.set({ scales, directions: [] });
  }

  update(point: Pick<PhasePoint, 'position' | 'gradient'>): 'unchanged' | 'updated' {
    const iteration = this.iteration++;
    const final = Math.floor((1 - FINAL) * this.numWarmup);
    const verdict = final + Math.floor((FINAL * this.numWarmup) / 2);
    if (iteration >= final) {
      if (iteration <= verdict) this.judged.push(copyOf(point));
      return iteration === verdict ? this.judge() : 'unchanged';
    }
    this.sinceEstimate += 1;
    if (this.isRepeated(point)) return this.rest(point);
    this.still = 0;
    this.points.push(copyOf(point));
    this.sinceWindow += 1;
    if (!isStationary(this.points)) {
      this.points = this.points.slice(-APPROACH);
      this.sinceWindow = 0;
      return 'unchanged';
    }
    if (this.isKept && this.points.length < FEWEST_TO_REPLACE) return 'unchanged';
    this.isKept = false;
    const isMain = iteration >= EARLY * this.numWarmup;
    const size = isMain ? this.window : EARLY_WINDOW;
    const next = isMain ? Math.round(size * GROWTH) : size;
    const hasEnded = this.sinceWindow >= size && iteration + next <= final;
    if (hasEnded) {
      this.points = this.points.slice(-this.sinceWindow);
      this.sinceWindow = 0;
      if (isMain) this.window = next;
    }
    if (hasEnded || this.sinceEstimate >= INTERVAL) this.estimate(this.maxRank);
    else if (this.form.directions.length === 0 && this.hasGrown()) this.estimate(0);
    return 'unchanged';
  }

  change({ elements, gradients, positions }: ChangedCoordinates): void {
    const scales = this.form.scales.slice();
    for (const [k, element] of elements.entries()) {
      const scale = (positions[k] / gradients[k]) ** 0.25;
      if (scale > SMALLEST_START && scale < 1 / SMALLEST_START) scales[element] = scale;
    }
    this.isKept = false;
    this.set({ scales, directions: [] });
    this.points = [];
    this.sinceWindow = 0;
  }

  /**
   * Handles a repeated position: drops directions if repetitions are frequent, and resets the metric from the gradient if they continue.
   */
  private rest(point: Pick<PhasePoint, 'position' | 'gradient'>): 'unchanged' | 'updated' {
    this.repeated += 1;
    this.still += 1;
    if (this.still === INTERVAL) {
      this.begin(point);
      this.points = [copyOf(point)];
      this.sinceWindow = 0;
      return 'updated';
    }
    if (this.repeated > INTERVAL / 2 && this.form.directions.length > 0) this.estimate(0);
    return 'unchanged';
  }

  /** Whether the number of draws has changed enough for another diagonal: one draw more changes that of many draws little. */
  private hasGrown(): boolean {
    return this.points.length >= DIAGONAL_GROWTH * this.estimated || this.points.length < this.estimated;
  }

  private isRepeated({ position }: Pick<PhasePoint, 'position'>): boolean {
    const last = this.points.at(-1)?.position;
    return last?.every((element, i) => element === position[i]) ?? false;
  }

  private estimate(maxRank: number): void {
    const points = this.points.slice(-MOST_DRAWS);
    if (points.length < FEWEST) return;
    const predicts = maxRank > 0 && points.length >= FEWEST_WITH_DIRECTIONS && this.directionsPredict(points);
    if (maxRank > 0) this.sinceEstimate = 0;
    this.repeated = 0;
    this.estimated = this.points.length;
    this.set(estimateLowRank(points, this.form.scales, predicts ? maxRank : 0, this.workspace));
  }

  /** Whether directions estimated from the earlier points lower the divergence of the later ones. */
  private directionsPredict(points: readonly GradientAt[]): boolean {
    const judges = Math.ceil(JUDGES * points.length);
    const form = estimateLowRank(points.slice(0, -judges), this.form.scales, this.maxRank, this.workspace);
    return form.directions.length > 0 && improvesDiagonal(form, points.slice(-judges));
  }

  private judge(): 'unchanged' | 'updated' {
    const { form, judged } = this;
    if (form.directions.length === 0 || judged.length < FEWEST || improvesDiagonal(form, judged)) return 'unchanged';
    this.estimate(0);
    this.report('The low-rank metric does not fit the posterior better than its diagonal, which is used instead.');
    return 'updated';
  }

  private set(form: LowRankForm): void {
    this.form = form;
    this.metric.set(form);
  }
}

/** A copy of a point with the sum of the squared elements of its gradient. */
interface Draw extends GradientAt {
  readonly squares: number;
}

function copyOf({ gradient, position }: Pick<PhasePoint, 'position' | 'gradient'>): Draw {
  return { position: position.slice(), gradient: gradient.slice(), squares: dot(gradient, gradient) };
}

/** Whether the gradients of the first and the last third of the points have about the same size. */
function isStationary(points: readonly Draw[]): boolean {
  const third = Math.floor(points.length / 3);
  if (third === 0) return true;
  const squares = (part: readonly Draw[]) => part.reduce((sum, point) => sum + point.squares, 0);
  const ratio = squares(points.slice(0, third)) / squares(points.slice(-third));
  return ratio < MOST_CHANGE && ratio > 1 / MOST_CHANGE;
}

/** Whether the directions lower the Fisher divergence on points from which they were not estimated. */
function improvesDiagonal(form: LowRankForm, points: readonly GradientAt[]): boolean {
  return fisherDivergence(points, form) < fisherDivergence(points, { ...form, directions: [] });
}

/**
 * The sum over points of |F' g + F⁻¹ (x - mean)|², with M⁻¹ = F F', where F = S (I + Σ (λ_j^1/2 - 1) u_j u_j'): the Fisher divergence
 * from the transformed draws to a standard normal, up to a factor.
 */
export function fisherDivergence(points: readonly GradientAt[], { directions, scales }: LowRankForm): number {
  const mean = new Float64Array(scales.length);
  const shift = new Float64Array(scales.length);
  for (const { position, gradient } of points) {
    for (let i = 0; i < mean.length; i++) {
      mean[i] += position[i] / points.length;
      shift[i] += gradient[i] / points.length;
    }
  }
  const values = directions.map((direction) => Math.sqrt(dot(direction, direction)));
  const scaled = new Float64Array(scales.length);
  const whitened = new Float64Array(scales.length);
  const total = new Float64Array(scales.length);
  let sum = 0;
  for (const { position, gradient } of points) {
    for (let i = 0; i < total.length; i++) {
      scaled[i] = (gradient[i] - shift[i]) * scales[i];
      whitened[i] = (position[i] - mean[i]) / scales[i];
      total[i] = scaled[i] + whitened[i];
    }
    for (const [k, direction] of directions.entries()) {
      const value = values[k];
      const alongScaled = dot(scaled, direction) / value;
      const alongWhitened = dot(whitened, direction) / value;
      const change = (Math.sqrt(value) - 1) * alongScaled + (1 / Math.sqrt(value) - 1) * alongWhitened;
      for (let i = 0; i < total.length; i++) total[i] += (change * direction[i]) / value;
    }
    for (let i = 0; i < total.length; i++) sum += total[i] * total[i];
  }
  return sum;
}
