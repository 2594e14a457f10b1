import { dot, step } from '../linear/vectors.js';
import type { Evaluated, Objective } from './objective.js';

/** The conditions for accepting a step along a direction. */
export interface LineSearchSettings {
  /** Sufficient decrease: the required fraction of the decrease that the slope at the start predicts. */
  readonly decrease: number;
  /** Curvature: the fraction of the initial slope to which the slope must decrease. */
  readonly curvature: number;
  readonly minimumStep: number;
  /** Maximum number of multiplications of the step by ten. */
  readonly widenings: number;
  /** Maximum number of consecutive halvings of the step because of an unusable point. */
  readonly retreats: number;
}

export const stansLineSearch: LineSearchSettings = {
  decrease: 1e-4,
  curvature: 0.9,
  minimumStep: 1e-12,
  widenings: 20,
  retreats: 10,
};

/** A point on the line: its step, the objective, and the slope of the objective along the line. */
interface OnLine {
  readonly step: number;
  readonly value: number;
  readonly slope: number;
}

/** The search ends if the bracket is narrower than this. */
const MINIMUM_BRACKET = 1e-16;

/**
 * A step along `direction` from `start` that satisfies the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization, 2nd
 * edition, algorithms 3.5 and 3.6), with Stan's interpolation and safeguards. Writes the point to `next` and returns the step; undefined if
 * no step is found.
 */
export function wolfeLineSearch(
  objective: Objective,
  start: Evaluated,
  direction: Float64Array,
  firstStep: number,
  next: Evaluated,
  settings: LineSearchSettings,
): number | undefined {
  const line = new Line(objective, start, direction, next, settings);
  let before: OnLine = { step: settings.minimumStep, value: start.value, slope: line.slope };
  let length = firstStep;
  let retreats = 0;
  for (let widenings = 0; widenings < settings.widenings; ) {
    const here = line.at(length);
    if (here === undefined) {
      if (objective.error !== undefined || retreats >= settings.retreats) return undefined;
      length = 0.5 * (before.step + length);
      retreats += 1;
      continue;
    }
    retreats = 0;
    const rises = here.value > start.value + firstStep * settings.decrease * line.slope;
    if (rises || (here.value >= before.value && widenings > 0)) return line.zoom(before, here);
    if (line.isFlat(here)) return here.step;
    if (here.slope >= 0) return line.zoom(here, before);
    before = here;
    length *= 10;
    widenings += 1;
  }
  return undefined;
}

/** The objective along a direction. */
class Line {
  /** The slope at the start. */
  readonly slope: number;
  private readonly objective: Objective;
  private readonly start: Evaluated;
  private readonly direction: Float64Array;
  private readonly next: Evaluated;
  private readonly settings: LineSearchSettings;

  constructor(
    objective: Objective,
    start: Evaluated,
    direction: Float64Array,
    next: Evaluated,
    settings: LineSearchSettings,
  ) {
    this.objective = objective;
    this.start = start;
    this.direction = direction;
    this.next = next;
    this.settings = settings;
    this.slope = dot(start.gradient, direction);
  }

  /** Evaluates the point at a step; undefined if it is unusable. */
  at(length: number): OnLine | undefined {
    const { direction, next, objective, start } = this;
    step(next.position, start.position, length, direction);
    if (!objective.evaluate(next)) return undefined;
    return { step: length, value: next.value, slope: dot(next.gradient, direction) };
  }

  isFlat({ slope }: OnLine): boolean {
    return Math.abs(slope) <= -this.settings.curvature * this.slope;
  }

  /** Narrows a bracket until a step is accepted. `low` is its better end. */
  zoom(low: OnLine, high: OnLine): number | undefined {
    const { decrease } = this.settings;
    for (let round = 1; Math.abs(low.step - high.step) >= MINIMUM_BRACKET; round++) {
      let length = round % 5 === 0 ? 0.5 * (low.step + high.step) : interpolate(low, high);
      let here = this.at(length);
      while (here === undefined) {
        const nearer = Math.min(low.step, high.step);
        length = 0.5 * (length + nearer);
        if (this.objective.error !== undefined || Math.abs(nearer - length) < MINIMUM_BRACKET) return undefined;
        here = this.at(length);
      }
      if (here.value > this.start.value + length * decrease * this.slope || here.value >= low.value) {
        high = here;
      } else {
        if (this.isFlat(here)) return here.step;
        if (here.slope * (high.step - low.step) >= 0) high = low;
        low = here;
      }
    }
    return undefined;
  }
}

/** The minimum of the cubic through both ends, or the midpoint if the minimum is outside or close to an end. */
function interpolate(low: OnLine, high: OnLine): number {
  const width = Math.abs(low.step - high.step);
  const d1 = low.slope + high.slope - (3 * (low.value - high.value)) / (low.step - high.step);
  const root = Math.sqrt(d1 * d1 - low.slope * high.slope);
  const d2 = high.step < low.step ? -root : root;
  const length = high.step - ((high.step - low.step) * (high.slope + d2 - d1)) / (high.slope - low.slope + 2 * d2);
  const least = Math.min(low.step, high.step) + 0.01 * width;
  const most = Math.max(low.step, high.step) - 0.01 * width;
  return length >= least && length <= most ? length : 0.5 * (low.step + high.step);
}

/** The minimum within (least, most) of the cubic that has value 0 and slope `slope` at 0, and `value` and `slopeThere` at `place`. */
export function cubicMinimum(
  slope: number,
  place: number,
  value: number,
  slopeThere: number,
  least: number,
  most: number,
): number {
  const third = (-12 * value + 6 * place * (slope + slopeThere)) / (place * place * place);
  const second = -(4 * slope + 2 * slopeThere) / place + (6 * value) / (place * place);
  const root = Math.sqrt(second * second - 2 * slope * third);
  const at = (x: number) => x * ((x * ((x * third) / 3 + second)) / 2 + slope);
  const stationary = [-(second + root) / third, -(second - root) / third].filter((x) => least < x && x < most);
  return [most, ...stationary].reduce((best, x) => (at(x) < at(best) ? x : best), least);
}
