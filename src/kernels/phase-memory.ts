// Memory layout of phase space, which the host shares with the kernel `trajectories`. Numbers without a comment are offsets in bytes.

// The control block. Each phase space has one.
/** Doubles: the step size of the transition; the signed step size in the current direction, and half of it. */
export const CONTROL_SIZE = 0;
export const CONTROL_STEP = 8;
export const CONTROL_HALF = 16;
/** Energy at the start of the transition. */
export const CONTROL_INITIAL_ENERGY = 24;
/** Sum of the acceptance probabilities of the trajectory's points. */
export const CONTROL_ACCEPT_SUM = 32;
/** Integers: the addresses from which the density reads the position and to which it writes the gradient. */
export const CONTROL_POSITION = 40;
export const CONTROL_GRADIENT = 44;
/** Address of the first free point; 0 for none. */
export const CONTROL_FREE = 48;
/** Whether random numbers come from the stream whose state is in `CONTROL_RANDOM`; otherwise the host generates them. */
export const CONTROL_HAS_RANDOM = 52;
export const CONTROL_RANDOM = 64;
/** Number of leapfrog steps of the trajectory; number of steps until the kernel returns to the host. */
export const CONTROL_STEPS = 80;
export const CONTROL_PATIENCE = 84;
/** The trajectory's depth, and the depth at which the kernel returns to the host. */
export const CONTROL_DEPTH = 88;
export const CONTROL_DEPTH_LIMIT = 92;
export const CONTROL_IS_FORWARD = 96;
/** The current extension: its final and current number of points, and the address of the topmost subtree on the stack. */
export const CONTROL_POINTS = 100;
export const CONTROL_INDEX = 104;
export const CONTROL_TOP = 108;
/** The point that is being evaluated. */
export const CONTROL_POINT = 112;
/** Number of vectors of a low-rank metric in use. */
export const CONTROL_RANK = 116;
/** The stack of subtrees: the trajectory, and above it the subtrees of its extension. */
export const CONTROL_STACK = 128;

// A subtree: consecutive points of a trajectory in order of integration, forwards or backwards in time. It has one reference to each of
// its three points.
//
// Its weight is the sum of exp(initial energy - energy) over its points, represented as weight * exp(log scale). The scale is 0 unless the
// energy differs so much from the initial energy that the weight would overflow or underflow; so weights are usually added without
// logarithms.
/** Addresses of points; the proposal is sampled from the subtree in proportion to the weights. */
export const SUBTREE_BEGIN = 0;
export const SUBTREE_END = 4;
export const SUBTREE_PROPOSAL = 8;
/** Address of the sum of the momenta, which is stored in the record of the first or the last point. */
export const SUBTREE_MOMENTUM_SUM = 12;
export const SUBTREE_WEIGHT = 16;
export const SUBTREE_LOG_SCALE = 24;
export const SUBTREE_BYTES = 32;

/** Maximum depth of a trajectory: 2^30 steps take at least minutes. */
export const DEEPEST = 30;

export const CONTROL_BYTES = CONTROL_STACK + (DEEPEST + 2) * SUBTREE_BYTES;

// A point: these fields, followed by its vectors.
/** Minus the log density. */
export const POINT_POTENTIAL = 0;
/** Potential plus kinetic energy. */
export const POINT_ENERGY = 8;
/** Reference count; for a free point, the address of the next free one. */
export const POINT_HOLDERS = 16;
export const POINT_VECTORS = 32;

/** Number of vectors of a point, in this order: position, momentum, velocity, gradient, a sum of momenta. */
export const VECTORS = 5;

// Forms of an inverse metric.
export const METRIC_DIAGONAL = 0;
export const METRIC_DENSE = 1;
export const METRIC_LOW_RANK = 2;

// Results of growing a trajectory: grown to the depth limit, ended by a U-turn or a divergence, or paused at the host's limit of steps.
export const GROWN = 0;
export const TURNING = 1;
export const DIVERGING = 2;
export const PAUSED = 3;
