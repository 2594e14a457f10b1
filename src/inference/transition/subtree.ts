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
  /** Where in memory the sum of the momenta is: in the record of `begin` or `end`. */
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
  { dimension }: PhaseSpace,
  point: PhasePoint,
  logWeight: number,
  weight: number,
): void {
  subtree.begin = point;
  subtree.end = point;
  subtree.proposal = point;
  subtree.momentumSum = point.offset + dimension;
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
 * nearest point of the other, as in Stan since 2.21.
 */
export function join(first: Subtree, second: Subtree, space: PhaseSpace): boolean {
  const sum = first.begin.offset + 4 * space.dimension;
  const lonePoints = first.begin === first.end && second.begin === second.end;
  const goesOn = lonePoints ? sumPoints(space, first, second, sum) : sumStretches(space, first, second, sum);
  space.release(first.end);
  space.release(second.begin);
  first.end = second.end;
  first.momentumSum = sum;
  return goesOn;
}

/** Of two points, the three checks are one. */
function sumPoints({ memory, dimension }: PhaseSpace, first: Subtree, second: Subtree, sum: number): boolean {
  const firstMomentum = first.begin.offset + dimension;
  const firstVelocity = firstMomentum + dimension;
  const secondMomentum = second.begin.offset + dimension;
  const secondVelocity = secondMomentum + dimension;
  let atBegin = 0;
  let atEnd = 0;
  for (let i = 0; i < dimension; i++) {
    const rho = memory[firstMomentum + i] + memory[secondMomentum + i];
    memory[sum + i] = rho;
    atBegin += memory[firstVelocity + i] * rho;
    atEnd += memory[secondVelocity + i] * rho;
  }
  return atBegin > 0 && atEnd > 0;
}

function sumStretches({ memory, dimension }: PhaseSpace, first: Subtree, second: Subtree, sum: number): boolean {
  const firstSum = first.momentumSum;
  const secondSum = second.momentumSum;
  const beginVelocity = first.begin.offset + 2 * dimension;
  const endVelocity = second.end.offset + 2 * dimension;
  const lastMomentum = first.end.offset + dimension;
  const lastVelocity = lastMomentum + dimension;
  const nextMomentum = second.begin.offset + dimension;
  const nextVelocity = nextMomentum + dimension;
  let atBegin = 0;
  let atEnd = 0;
  let firstAtBegin = 0;
  let firstAtNext = 0;
  let secondAtLast = 0;
  let secondAtEnd = 0;
  for (let i = 0; i < dimension; i++) {
    const one = memory[firstSum + i];
    const two = memory[secondSum + i];
    const rho = one + two;
    const rhoToNext = one + memory[nextMomentum + i];
    const rhoFromLast = two + memory[lastMomentum + i];
    const begin = memory[beginVelocity + i];
    const end = memory[endVelocity + i];
    memory[sum + i] = rho;
    atBegin += begin * rho;
    atEnd += end * rho;
    firstAtBegin += begin * rhoToNext;
    firstAtNext += memory[nextVelocity + i] * rhoToNext;
    secondAtLast += memory[lastVelocity + i] * rhoFromLast;
    secondAtEnd += end * rhoFromLast;
  }
  return atBegin > 0 && atEnd > 0 && firstAtBegin > 0 && firstAtNext > 0 && secondAtLast > 0 && secondAtEnd > 0;
}
