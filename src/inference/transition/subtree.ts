import type { PhasePoint, PhaseSpace } from './phase-space.js';

/**
 * A stretch of a trajectory, from the first point integrated to the last one, whichever way in time that is. It holds
 * each of its three points once.
 *
 * Its weight is the sum over its points of exp(initial energy - energy), as `weight * exp(logScale)`. The scale is 0 but
 * for points too far from the initial energy for a double, so that weights add without logarithms.
 */
export interface Subtree {
  begin: PhasePoint;
  end: PhasePoint;
  /** A point drawn from the stretch in proportion to its weight. */
  proposal: PhasePoint;
  /** Address of the sum of the momenta: in the record of `begin` or `end`. */
  momentumSum: number;
  weight: number;
  logScale: number;
}

/** Beyond this distance a weight takes a scale of its own; far from both ends of the range of exp. */
const SCALE_LIMIT = 500;

/** A subtree for `setPoint` to fill. */
export function newSubtree(point: PhasePoint): Subtree {
  return { begin: point, end: point, proposal: point, momentumSum: 0, weight: Number.NaN, logScale: 0 };
}

/** Makes it a subtree of one point, whose weight is given twice: its logarithm and itself. */
export function setPoint(
  subtree: Subtree,
  { vectorSize }: PhaseSpace,
  point: PhasePoint,
  logWeight: number,
  weight: number,
): void {
  subtree.begin = point;
  subtree.end = point;
  subtree.proposal = point;
  subtree.momentumSum = point.address + vectorSize;
  if (Math.abs(logWeight) < SCALE_LIMIT) {
    subtree.weight = weight;
    subtree.logScale = 0;
  } else {
    subtree.weight = 1;
    subtree.logScale = logWeight;
  }
}

/** Brings both weights to the larger of the two scales. */
export function alignScales(first: Subtree, second: Subtree): void {
  if (first.logScale === second.logScale) return;
  if (first.logScale > second.logScale) {
    second.weight *= Math.exp(second.logScale - first.logScale);
    second.logScale = first.logScale;
  } else {
    first.weight *= Math.exp(first.logScale - second.logScale);
    first.logScale = second.logScale;
  }
}

/**
 * Joins `second`, which continues `first`, to it, with the sum of momenta; proposal and weight are the caller's business.
 * Returns whether the joint stretch may go on growing: no U-turn from end to end, nor from either part to the
 * nearest point of the other, as in Stan since 2.21. Of two points, those three checks are one.
 */
export function join(first: Subtree, second: Subtree, space: PhaseSpace): boolean {
  const { loops, vectorSize } = space;
  const begin = first.begin.address;
  const last = first.end.address;
  const next = second.begin.address;
  const end = second.end.address;
  const sum = begin + 4 * vectorSize;
  const goesOn =
    begin === last && next === end
      ? loops.joinPoints(
          begin + vectorSize,
          begin + 2 * vectorSize,
          next + vectorSize,
          next + 2 * vectorSize,
          sum,
          vectorSize,
        )
      : loops.joinStretches(
          first.momentumSum,
          second.momentumSum,
          begin + 2 * vectorSize,
          end + 2 * vectorSize,
          last + vectorSize,
          last + 2 * vectorSize,
          next + vectorSize,
          next + 2 * vectorSize,
          sum,
          vectorSize,
        );
  space.release(first.end);
  space.release(second.begin);
  first.end = second.end;
  first.momentumSum = sum;
  return goesOn === 1;
}
