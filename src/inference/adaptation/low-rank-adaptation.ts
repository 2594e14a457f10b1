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
/** Minimum number of draws for an estimate. */
const FEWEST = 3;
/** Minimum number of draws for an estimate that replaces a metric that an earlier fit has learned. */
const FEWEST_TO_REPLACE = 100;
/** Maximum number of draws in an estimate, the latest ones, to bound its cost. */
const MOST_DRAWS = 200;
/** Ratio of early to late squared gradients in a window above which the chain is still approaching the typical set. */
const MOST_CHANGE = 100;

/**
 * Learns a low-rank inverse metric from positions and gradients. As in nutpie, an estimate uses the draws of the latest complete window and
 * those since, so that early draws soon lose their influence. Windows end after 20 draws in the first 30 % of warmup, then after 80, 120,
 * 180, … (Seyboldt, Carlson and Carpenter, arXiv 2603.18845, 2026, section 4). While gradients change by orders of magnitude, the chain
 * approaches the typical set, and the metric keeps its value from the first gradient. Repeated positions, as after a rejection, are
 * ignored. If half of the draws are repeated, directions are dropped until the next estimate; after 20 repeated draws in a row, the metric
 * is reset.
 *
 * In the last 15 % of warmup, the metric is fixed and the step size converges.
 */
export class LowRankAdaptation implements MetricAdaptation {
  private readonly metric: LowRankMetric;
  private readonly maxRank: number;
  private readonly numWarmup: number;
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
  private readonly workspace = new MetricWorkspace();

  constructor(options: {
    readonly metric: LowRankMetric;
    readonly maxRank: number;
    readonly numWarmup: number;
  }) {
    this.metric = options.metric;
    this.maxRank = options.maxRank;
    this.numWarmup = options.numWarmup;
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
    if (iteration >= final) return 'unchanged';
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
    if (maxRank > 0) this.sinceEstimate = 0;
    this.repeated = 0;
    this.estimated = this.points.length;
    this.set(estimateLowRank(points, this.form.scales, maxRank, this.workspace));
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
