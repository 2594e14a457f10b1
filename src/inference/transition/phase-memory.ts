/** Memory layout of phase space: offsets in bytes. */

/** The control block. Each phase space has one. */
export const CONTROL = {
  /** Doubles: the step size of the transition; the signed step size in the current direction, and half of it. */
  size: 0,
  step: 8,
  half: 16,
  /** Energy at the start of the transition. */
  initialEnergy: 24,
  /** Sum of the acceptance probabilities of the trajectory's points. */
  acceptSum: 32,
  /** Integers: the addresses from which the density reads the position and to which it writes the gradient. */
  position: 40,
  gradient: 44,
  /** Address of the first free point; 0 for none. */
  free: 48,
  /** Whether random numbers come from the stream whose state is in `random`; otherwise the host generates them. */
  hasRandom: 52,
  random: 64,
  /** Number of leapfrog steps of the trajectory; number of steps until the kernel returns to the host. */
  steps: 80,
  patience: 84,
  /** The trajectory's depth, and the depth at which the kernel returns to the host. */
  depth: 88,
  depthLimit: 92,
  isForward: 96,
  /** The current extension: its final and current number of points, and the address of the topmost subtree on the stack. */
  points: 100,
  index: 104,
  top: 108,
  /** The point that is being evaluated. */
  point: 112,
  /** Number of vectors of a low-rank metric in use. */
  rank: 116,
  /** The stack of subtrees: the trajectory, and above it the subtrees of its extension. */
  stack: 128,
} as const;

/**
 * A subtree: consecutive points of a trajectory in order of integration, forwards or backwards in time. It has one reference to each of its three
 * points.
 *
 * Its weight is the sum of exp(initial energy - energy) over its points, represented as `weight * exp(logScale)`. The scale is 0 unless the energy
 * differs so much from the initial energy that the weight would overflow or underflow; so weights are usually added without logarithms.
 */
export const SUBTREE = {
  /** Addresses of points; the proposal is sampled from the subtree in proportion to the weights. */
  begin: 0,
  end: 4,
  proposal: 8,
  /** Address of the sum of the momenta, which is stored in the record of `begin` or `end`. */
  momentumSum: 12,
  weight: 16,
  logScale: 24,
  bytes: 32,
} as const;

/** Maximum depth of a trajectory: 2^30 steps take minutes at least. */
export const DEEPEST = 30;

export const CONTROL_BYTES = CONTROL.stack + (DEEPEST + 2) * SUBTREE.bytes;

/** Codes of the forms of an inverse metric in the kernel. */
export const METRIC_FORMS = { diagonal: 0, dense: 1, lowRank: 2 } as const;

export type MetricForm = keyof typeof METRIC_FORMS;

/** A point: these fields, followed by its vectors. */
export const POINT = {
  /** Minus the log density. */
  potential: 0,
  /** Potential plus kinetic energy. */
  energy: 8,
  /** Reference count; for a free point, the address of the next free one. */
  holders: 16,
  position: 32,
} as const;

/** Number of vectors of a point, in this order: position, momentum, velocity, gradient, a sum of momenta. */
export const VECTORS = 5;

/** Results of growing a trajectory: grown to the depth limit, ended by a U-turn or a divergence, or paused at the host's limit of steps. */
export const GROWTH = { grown: 0, turning: 1, diverging: 2, paused: 3 } as const;
