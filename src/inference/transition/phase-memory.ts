/** The layout of phase space in memory: offsets in bytes. */

/** The control block, of which there is one for each phase space. */
export const CONTROL = {
  /** Doubles: the step size of the transition; that of the direction taken, and its half. */
  size: 0,
  step: 8,
  half: 16,
  /** Energy at the start of the transition. */
  initialEnergy: 24,
  /** Sum of the acceptance probabilities of the trajectory's points. */
  acceptSum: 32,
  /** Integers: where the density reads the position, and where it leaves the gradient. */
  position: 40,
  gradient: 44,
  /** The first free point; 0 for none. */
  free: 48,
  /** Whether random numbers come from `random`, the state of a stream; otherwise from the host. */
  hasRandom: 52,
  random: 64,
  /** Leapfrog steps of the trajectory; those until the host is asked whether to go on. */
  steps: 80,
  patience: 84,
  /** The trajectory's depth, and the one at which to return to the host. */
  depth: 88,
  depthLimit: 92,
  isForward: 96,
  /** The extension that is being grown: how many points it is to have and has, and the topmost subtree on the stack. */
  points: 100,
  index: 104,
  top: 108,
  /** The point that is being evaluated. */
  point: 112,
  /** Vectors of a low-rank metric that are in use. */
  rank: 116,
  /** The stack of subtrees: the trajectory so far, and on top of it the subtrees of its extension. */
  stack: 128,
} as const;

/**
 * A stretch of a trajectory, from the first point integrated to the last one, whichever way in time that is. It holds
 * each of its three points once.
 *
 * Its weight is the sum over its points of exp(initial energy - energy), as `weight * exp(logScale)`. The scale is 0 but
 * for points too far from the initial energy for a double, so that weights add without logarithms.
 */
export const SUBTREE = {
  /** Addresses of points; the proposal is drawn from the stretch in proportion to their weights. */
  begin: 0,
  end: 4,
  proposal: 8,
  /** Address of the sum of the momenta: in the record of `begin` or `end`. */
  momentumSum: 12,
  weight: 16,
  logScale: 24,
  bytes: 32,
} as const;

/** Trajectories are no deeper: 2^30 steps take minutes at least. */
export const DEEPEST = 30;

export const CONTROL_BYTES = CONTROL.stack + (DEEPEST + 2) * SUBTREE.bytes;

/** The forms of an inverse metric, as the kernel numbers them. */
export const METRIC_FORMS = { diagonal: 0, dense: 1, lowRank: 2 } as const;

export type MetricForm = keyof typeof METRIC_FORMS;

/** A point: these, and then its vectors. */
export const POINT = {
  /** Minus the log density. */
  potential: 0,
  /** Potential plus kinetic energy. */
  energy: 8,
  /** How many places hold the point; of a free one the address of the next. */
  holders: 16,
  position: 32,
} as const;

/** Vectors of a point, in this order: position, momentum, velocity, gradient, a sum of momenta. */
export const VECTORS = 5;

/** How growing a trajectory went: on, or to an end, or as far as the host allowed. */
export const GROWTH = { grown: 0, turning: 1, diverging: 2, paused: 3 } as const;
