// Entry of trajectories.wasm: leapfrog steps of Hamiltonian Monte Carlo, and the growth of trajectories of the No-U-Turn sampler with
// multinomial sampling (Hoffman and Gelman, JMLR 15, 2014; Betancourt, arXiv 1701.02434), as in Stan. `nuts.ts` and `static-hmc.ts` in
// `inference/transition` call it; `recursive-nuts.ts` in `inference/testing` is the recursion of the papers.
//
// The host passes a memory, the log density and the addresses of a phase space, so there is one instance for each phase space. Points and
// vectors are passed as addresses. A vector has an even number of elements; a padding element is 0.
import {
  CONTROL_ACCEPT_SUM,
  CONTROL_DEPTH,
  CONTROL_DEPTH_LIMIT,
  CONTROL_FREE,
  CONTROL_GRADIENT,
  CONTROL_HALF,
  CONTROL_HAS_RANDOM,
  CONTROL_INDEX,
  CONTROL_INITIAL_ENERGY,
  CONTROL_IS_FORWARD,
  CONTROL_PATIENCE,
  CONTROL_POINT,
  CONTROL_POINTS,
  CONTROL_POSITION,
  CONTROL_RANDOM,
  CONTROL_RANK,
  CONTROL_SIZE,
  CONTROL_STACK,
  CONTROL_STEP,
  CONTROL_STEPS,
  CONTROL_TOP,
  DIVERGING,
  GROWN,
  METRIC_DENSE,
  METRIC_DIAGONAL,
  PAUSED,
  POINT_ENERGY,
  POINT_HOLDERS,
  POINT_POTENTIAL,
  POINT_VECTORS,
  SUBTREE_BEGIN,
  SUBTREE_BYTES,
  SUBTREE_END,
  SUBTREE_LOG_SCALE,
  SUBTREE_MOMENTUM_SUM,
  SUBTREE_PROPOSAL,
  SUBTREE_WEIGHT,
  TURNING,
} from './phase-memory';
import { laneSum } from './linear-algebra/vectors';

/** Address of the control block. */
@external('host', 'control') declare const control: usize;
/** The inverse metric: its diagonal, all of its rows, or its diagonal followed by the vectors of a low-rank correction. */
@external('host', 'metric') declare const metric: usize;
/** A `METRIC_…`. */
@external('host', 'metricForm') declare const metricForm: i32;
/** The factors of the low-rank vectors. */
@external('host', 'factors') declare const factors: usize;
@external('host', 'dimension') declare const dimension: i32;
/** Bytes of a vector, a multiple of 16. */
@external('host', 'vectorSize') declare const vectorSize: usize;
/** The argument of `density`. */
@external('host', 'flags') declare const flags: i32;
/** Computes the log density at the position at address `CONTROL_POSITION`, and writes its gradient to `CONTROL_GRADIENT`. */
@external('host', 'density') declare function density(flags: i32): f64;
@external('host', 'uniform') declare function hostUniform(): f64;

/** A larger energy error counts as a divergence. */
const MAX_ENERGY_ERROR: f64 = 1000;
/** Above this absolute log weight, a subtree has its own scale; far from both ends of the range of exp. */
const SCALE_LIMIT: f64 = 500;

// Vectors. Each loop fuses all operations on an element at one stage of a step, two elements at a time.

/** velocity = inverse * momentum; returns momentum . velocity. */
export function kinetic(momentum: usize, inverse: usize, velocity: usize): f64 {
  let sum = f64x2.splat(0);
  for (let i: usize = 0; i < vectorSize; i += 16) {
    const p = v128.load(momentum + i);
    const v = f64x2.mul(v128.load(inverse + i), p);
    v128.store(velocity + i, v);
    sum = f64x2.add(sum, f64x2.mul(p, v));
  }
  return laneSum(sum);
}

/** nextMomentum = momentum + half * gradient; nextPosition = position + stepSize * inverse * nextMomentum, which is also written to `stage`. */
export function kickAndDrift(
  position: usize,
  momentum: usize,
  gradient: usize,
  inverse: usize,
  nextPosition: usize,
  nextMomentum: usize,
  stage: usize,
  half: f64,
  stepSize: f64,
): void {
  const halves = f64x2.splat(half);
  const steps = f64x2.splat(stepSize);
  for (let i: usize = 0; i < vectorSize; i += 16) {
    const p = f64x2.add(v128.load(momentum + i), f64x2.mul(halves, v128.load(gradient + i)));
    v128.store(nextMomentum + i, p);
    const q = f64x2.add(v128.load(position + i), f64x2.mul(steps, f64x2.mul(v128.load(inverse + i), p)));
    v128.store(nextPosition + i, q);
    v128.store(stage + i, q);
  }
}

/** momentum += half * gradient, which is also written to `kept`; velocity = inverse * momentum; returns momentum . velocity. */
export function kick(momentum: usize, gradient: usize, inverse: usize, velocity: usize, kept: usize, half: f64): f64 {
  const halves = f64x2.splat(half);
  let sum = f64x2.splat(0);
  for (let i: usize = 0; i < vectorSize; i += 16) {
    const g = v128.load(gradient + i);
    v128.store(kept + i, g);
    const p = f64x2.add(v128.load(momentum + i), f64x2.mul(halves, g));
    const v = f64x2.mul(v128.load(inverse + i), p);
    v128.store(momentum + i, p);
    v128.store(velocity + i, v);
    sum = f64x2.add(sum, f64x2.mul(p, v));
  }
  return laneSum(sum);
}

/** next = vector + factor * direction. */
function step(vector: usize, direction: usize, next: usize, factor: f64): void {
  const factors = f64x2.splat(factor);
  for (let i: usize = 0; i < vectorSize; i += 16) {
    v128.store(next + i, f64x2.add(v128.load(vector + i), f64x2.mul(factors, v128.load(direction + i))));
  }
}

/** to = from. */
function copy(from: usize, to: usize): void {
  for (let i: usize = 0; i < vectorSize; i += 16) v128.store(to + i, v128.load(from + i));
}

/** first . second. */
function dot(first: usize, second: usize): f64 {
  let sum = f64x2.splat(0);
  for (let i: usize = 0; i < vectorSize; i += 16) {
    sum = f64x2.add(sum, f64x2.mul(v128.load(first + i), v128.load(second + i)));
  }
  return laneSum(sum);
}

/** sum = first + second momentum; returns whether sum . first velocity and sum . second velocity are positive. */
export function joinPoints(
  firstMomentum: usize,
  firstVelocity: usize,
  secondMomentum: usize,
  secondVelocity: usize,
  sum: usize,
): bool {
  let atFirst = f64x2.splat(0);
  let atSecond = f64x2.splat(0);
  for (let i: usize = 0; i < vectorSize; i += 16) {
    const rho = f64x2.add(v128.load(firstMomentum + i), v128.load(secondMomentum + i));
    v128.store(sum + i, rho);
    atFirst = f64x2.add(atFirst, f64x2.mul(v128.load(firstVelocity + i), rho));
    atSecond = f64x2.add(atSecond, f64x2.mul(v128.load(secondVelocity + i), rho));
  }
  return isPositive(atFirst) && isPositive(atSecond);
}

/**
 * sum = firstSum + secondSum; returns whether its products with the velocities at both ends are positive, and so are those of firstSum +
 * nextMomentum at begin and next, and of lastMomentum + secondSum at last and end.
 */
export function joinStretches(
  firstSum: usize,
  secondSum: usize,
  beginVelocity: usize,
  endVelocity: usize,
  lastMomentum: usize,
  lastVelocity: usize,
  nextMomentum: usize,
  nextVelocity: usize,
  sum: usize,
): bool {
  let wholeAtBegin = f64x2.splat(0);
  let wholeAtEnd = f64x2.splat(0);
  let firstAtBegin = f64x2.splat(0);
  let firstAtNext = f64x2.splat(0);
  let secondAtLast = f64x2.splat(0);
  let secondAtEnd = f64x2.splat(0);
  for (let i: usize = 0; i < vectorSize; i += 16) {
    const first = v128.load(firstSum + i);
    const second = v128.load(secondSum + i);
    const begin = v128.load(beginVelocity + i);
    const end = v128.load(endVelocity + i);
    const whole = f64x2.add(first, second);
    v128.store(sum + i, whole);
    wholeAtBegin = f64x2.add(wholeAtBegin, f64x2.mul(begin, whole));
    wholeAtEnd = f64x2.add(wholeAtEnd, f64x2.mul(end, whole));
    const extendedFirst = f64x2.add(first, v128.load(nextMomentum + i));
    firstAtBegin = f64x2.add(firstAtBegin, f64x2.mul(begin, extendedFirst));
    firstAtNext = f64x2.add(firstAtNext, f64x2.mul(v128.load(nextVelocity + i), extendedFirst));
    const extendedSecond = f64x2.add(second, v128.load(lastMomentum + i));
    secondAtLast = f64x2.add(secondAtLast, f64x2.mul(v128.load(lastVelocity + i), extendedSecond));
    secondAtEnd = f64x2.add(secondAtEnd, f64x2.mul(end, extendedSecond));
  }
  return (
    isPositive(wholeAtBegin) &&
    isPositive(wholeAtEnd) &&
    isPositive(firstAtBegin) &&
    isPositive(firstAtNext) &&
    isPositive(secondAtLast) &&
    isPositive(secondAtEnd)
  );
}

@inline
function isPositive(sum: v128): bool {
  return laneSum(sum) > 0;
}

// Points.

@inline
function positionOf(point: usize): usize {
  return point + POINT_VECTORS;
}

@inline
function momentumOf(point: usize): usize {
  return point + POINT_VECTORS + vectorSize;
}

@inline
function velocityOf(point: usize): usize {
  return point + POINT_VECTORS + 2 * vectorSize;
}

@inline
function gradientOf(point: usize): usize {
  return point + POINT_VECTORS + 3 * vectorSize;
}

/** The address at which a subtree that begins or ends with the point stores its sum of momenta. */
@inline
function momentumSumOf(point: usize): usize {
  return point + POINT_VECTORS + 4 * vectorSize;
}

@inline
function energyOf(point: usize): f64 {
  return load<f64>(point, POINT_ENERGY);
}

/** A free point with `holders` references. One must exist. */
export function acquire(holders: i32): usize {
  const point = load<usize>(control, CONTROL_FREE);
  store<usize>(control, load<usize>(point, POINT_HOLDERS), CONTROL_FREE);
  store<i32>(point, holders, POINT_HOLDERS);
  return point;
}

/** Releases one reference. */
export function release(point: usize): void {
  const holders = load<i32>(point, POINT_HOLDERS) - 1;
  if (holders != 0) {
    store<i32>(point, holders, POINT_HOLDERS);
  } else {
    store<usize>(point, load<usize>(control, CONTROL_FREE), POINT_HOLDERS);
    store<usize>(control, point, CONTROL_FREE);
  }
}

/** velocity = inverse * momentum, for a metric that is not diagonal. */
function turnMomentum(momentum: usize, velocity: usize): void {
  if (metricForm == METRIC_DENSE) turnByRows(momentum, velocity);
  else turnByVectors(momentum, velocity);
}

function turnByRows(momentum: usize, velocity: usize): void {
  let row = metric;
  for (let i = 0; i < dimension; i++) {
    store<f64>(velocity, dot(row, momentum));
    row += vectorSize;
    velocity += 8;
  }
}

/** velocity = diagonal * momentum, plus each low-rank vector times its factor and its product with the momentum. */
function turnByVectors(momentum: usize, velocity: usize): void {
  kinetic(momentum, metric, velocity);
  let vector = metric + vectorSize;
  let factor = factors;
  for (let j = 0, rank = load<i32>(control, CONTROL_RANK); j < rank; j++) {
    step(velocity, vector, velocity, load<f64>(factor) * dot(vector, momentum));
    vector += vectorSize;
    factor += 8;
  }
}

/** Sets a point's velocity and energy from its momentum. */
export function setEnergy(point: usize): void {
  const momentum = momentumOf(point);
  const velocity = velocityOf(point);
  let sum: f64;
  if (metricForm == METRIC_DIAGONAL) {
    sum = kinetic(momentum, metric, velocity);
  } else {
    turnMomentum(momentum, velocity);
    sum = dot(momentum, velocity);
  }
  store<f64>(point, 0.5 * sum + load<f64>(point, POINT_POTENTIAL), POINT_ENERGY);
}

/** One leapfrog step with the step size in the control block. If the density throws, the host must call `settle`. */
export function leapfrog(from: usize, to: usize): void {
  drift(from, to);
  settle(to, density(flags));
}

/** The first part of a step: half a kick by the gradient at `from`, then the full drift. */
function drift(from: usize, to: usize): void {
  const stage = load<usize>(control, CONTROL_POSITION);
  const stepSize = load<f64>(control, CONTROL_STEP);
  const half = load<f64>(control, CONTROL_HALF);
  const position = positionOf(from);
  const momentum = momentumOf(from);
  const gradient = gradientOf(from);
  const nextPosition = positionOf(to);
  const nextMomentum = momentumOf(to);
  if (metricForm == METRIC_DIAGONAL) {
    kickAndDrift(position, momentum, gradient, metric, nextPosition, nextMomentum, stage, half, stepSize);
  } else {
    const nextVelocity = velocityOf(to);
    step(momentum, gradient, nextMomentum, half);
    turnMomentum(nextMomentum, nextVelocity);
    step(position, nextVelocity, nextPosition, stepSize);
    copy(nextPosition, stage);
  }
}

/**
 * The last part of a step, after the density has written the gradient to its usual address: half a kick. The energy is infinite instead
 * of NaN.
 */
export function settle(point: usize, logDensity: f64): void {
  const gradient = load<usize>(control, CONTROL_GRADIENT);
  const half = load<f64>(control, CONTROL_HALF);
  const momentum = momentumOf(point);
  const velocity = velocityOf(point);
  const kept = gradientOf(point);
  let sum: f64;
  if (metricForm == METRIC_DIAGONAL) {
    sum = kick(momentum, gradient, metric, velocity, kept, half);
  } else {
    copy(gradient, kept);
    step(momentum, kept, momentum, half);
    turnMomentum(momentum, velocity);
    sum = dot(momentum, velocity);
  }
  const energy = 0.5 * sum - logDensity;
  store<f64>(point, -logDensity, POINT_POTENTIAL);
  store<f64>(point, energy == energy ? energy : Infinity, POINT_ENERGY);
}

// Random numbers.

/** Uniform on [0, 1), from 53 random bits. */
function uniform(): f64 {
  if (load<i32>(control, CONTROL_HAS_RANDOM) == 0) return hostUniform();
  const high = <f64>(bits() >>> 5);
  const low = <f64>(bits() >>> 6);
  return (high * 67108864.0 + low) * 1.1102230246251565e-16;
}

/** 32 bits of xoshiro128++ (Blackman and Vigna, ACM Trans. Math. Softw. 47, 2021). */
function bits(): u32 {
  const s0 = load<u32>(control, CONTROL_RANDOM);
  const s1 = load<u32>(control, CONTROL_RANDOM + 4);
  const s3 = load<u32>(control, CONTROL_RANDOM + 12);
  const t2 = load<u32>(control, CONTROL_RANDOM + 8) ^ s0;
  const t3 = s3 ^ s1;
  store<u32>(control, s0 ^ t3, CONTROL_RANDOM);
  store<u32>(control, s1 ^ t2, CONTROL_RANDOM + 4);
  store<u32>(control, t2 ^ (s1 << 9), CONTROL_RANDOM + 8);
  store<u32>(control, rotl<u32>(t3, 11), CONTROL_RANDOM + 12);
  return rotl<u32>(s0 + s3, 7) + s0;
}

// Subtrees.

@inline
function beginOf(subtree: usize): usize {
  return load<usize>(subtree, SUBTREE_BEGIN);
}

@inline
function endOf(subtree: usize): usize {
  return load<usize>(subtree, SUBTREE_END);
}

@inline
function weightOf(subtree: usize): f64 {
  return load<f64>(subtree, SUBTREE_WEIGHT);
}

/** Initializes a subtree of one point. */
function setPoint(subtree: usize, point: usize, logWeight: f64, weight: f64): void {
  store<usize>(subtree, point, SUBTREE_BEGIN);
  store<usize>(subtree, point, SUBTREE_END);
  store<usize>(subtree, point, SUBTREE_PROPOSAL);
  store<usize>(subtree, momentumOf(point), SUBTREE_MOMENTUM_SUM);
  const isScaled = !(abs(logWeight) < SCALE_LIMIT);
  store<f64>(subtree, isScaled ? 1.0 : weight, SUBTREE_WEIGHT);
  store<f64>(subtree, isScaled ? logWeight : 0.0, SUBTREE_LOG_SCALE);
}

/** Converts both weights to the larger of the two scales. */
function alignScales(first: usize, second: usize): void {
  const one = load<f64>(first, SUBTREE_LOG_SCALE);
  const two = load<f64>(second, SUBTREE_LOG_SCALE);
  if (one == two) return;
  if (one > two) rescale(second, two, one);
  else rescale(first, one, two);
}

function rescale(subtree: usize, from: f64, to: f64): void {
  store<f64>(subtree, weightOf(subtree) * exponential(from - to), SUBTREE_WEIGHT);
  store<f64>(subtree, to, SUBTREE_LOG_SCALE);
}

/**
 * Appends `second`, which continues `first`, and updates the sum of momenta; the caller updates proposal and weight. Returns whether the
 * joined subtree may grow. The U-turn criterion is checked across the whole, and from either part to the nearest point of the other, as in
 * Stan since 2.21. For two points, these three checks are the same.
 */
function join(first: usize, second: usize): bool {
  const begin = beginOf(first);
  const last = endOf(first);
  const next = beginOf(second);
  const end = endOf(second);
  const sum = momentumSumOf(begin);
  let mayGrow: bool;
  if (begin == last && next == end) {
    mayGrow = joinPoints(momentumOf(begin), velocityOf(begin), momentumOf(next), velocityOf(next), sum);
  } else {
    mayGrow = joinStretches(
      load<usize>(first, SUBTREE_MOMENTUM_SUM),
      load<usize>(second, SUBTREE_MOMENTUM_SUM),
      velocityOf(begin),
      velocityOf(end),
      momentumOf(last),
      velocityOf(last),
      momentumOf(next),
      velocityOf(next),
      sum,
    );
  }
  release(last);
  release(next);
  store<usize>(first, end, SUBTREE_END);
  store<usize>(first, sum, SUBTREE_MOMENTUM_SUM);
  return mayGrow;
}

/** Selects one of the two proposals for `first`, and releases the other. */
function settleProposal(keepsSecond: bool, first: usize, second: usize): void {
  const proposal = load<usize>(second, SUBTREE_PROPOSAL);
  if (keepsSecond) {
    release(load<usize>(first, SUBTREE_PROPOSAL));
    store<usize>(first, proposal, SUBTREE_PROPOSAL);
  } else {
    release(proposal);
  }
}

/** Releases the points of a subtree. */
function abandon(subtree: usize): void {
  release(beginOf(subtree));
  release(endOf(subtree));
  release(load<usize>(subtree, SUBTREE_PROPOSAL));
}

// Trajectories. Their entire state is in the control block, so that the host can take over when the density throws, and then continue.

@inline
function trajectory(): usize {
  return control + CONTROL_STACK;
}

/** Starts a trajectory with one point, whose energy is known and to which it has three references. */
export function begin(point: usize): void {
  store<i32>(point, load<i32>(point, POINT_HOLDERS) + 3, POINT_HOLDERS);
  store<f64>(control, energyOf(point), CONTROL_INITIAL_ENERGY);
  store<f64>(control, 0, CONTROL_ACCEPT_SUM);
  store<i32>(control, 0, CONTROL_STEPS);
  store<i32>(control, 0, CONTROL_DEPTH);
  store<i32>(control, 1, CONTROL_IS_FORWARD);
  setPoint(trajectory(), point, 0, 1);
}

/** Doubles the trajectory until it ends, pauses or reaches the depth limit. If the density throws, the host must call `settle` and `proceed`. */
export function extend(): i32 {
  turn();
  return proceed(false);
}

/** Continues after a pause or, if `isEvaluated`, after `settle`. */
export function proceed(isEvaluated: bool): i32 {
  let growth = complete(isEvaluated);
  while (growth == GROWN && load<i32>(control, CONTROL_DEPTH) < load<i32>(control, CONTROL_DEPTH_LIMIT)) {
    turn();
    growth = complete(false);
  }
  return growth;
}

/** Completes the extension, and joins it to the trajectory. */
function complete(isEvaluated: bool): i32 {
  const growth = grow(isEvaluated);
  return growth == GROWN ? attach() : growth;
}

/** Samples a direction, and starts the extension at that end of the trajectory, with as many points as the trajectory has. */
function turn(): void {
  const isForward = uniform() > 0.5;
  if (<i32>isForward != load<i32>(control, CONTROL_IS_FORWARD)) {
    const begin = beginOf(trajectory());
    store<usize>(trajectory(), endOf(trajectory()), SUBTREE_BEGIN);
    store<usize>(trajectory(), begin, SUBTREE_END);
    store<i32>(control, isForward, CONTROL_IS_FORWARD);
  }
  const size = load<f64>(control, CONTROL_SIZE);
  const step = isForward ? size : -size;
  store<f64>(control, step, CONTROL_STEP);
  store<f64>(control, 0.5 * step, CONTROL_HALF);
  store<i32>(control, 1 << load<i32>(control, CONTROL_DEPTH), CONTROL_POINTS);
  store<i32>(control, 0, CONTROL_INDEX);
  store<usize>(control, trajectory(), CONTROL_TOP);
}

/**
 * Grows the extension point by point: after point n, counted from 0, joins as many of the topmost subtrees as n has trailing ones in binary.
 * This is the recursion of the papers in post-order, and uses random numbers in the same order. Within a subtree the proposal is sampled by
 * weight. If `isEvaluated`, the point in `CONTROL_POINT` has been evaluated and is only added.
 */
function grow(isEvaluated: bool): i32 {
  let top = load<usize>(control, CONTROL_TOP);
  for (let index = load<i32>(control, CONTROL_INDEX); index != load<i32>(control, CONTROL_POINTS); ) {
    if (!isEvaluated) {
      if (load<i32>(control, CONTROL_PATIENCE) == 0) return PAUSED;
      increase(CONTROL_PATIENCE, -1);
      const next = acquire(3);
      store<usize>(control, next, CONTROL_POINT);
      leapfrog(endOf(top), next);
    }
    isEvaluated = false;
    const point = load<usize>(control, CONTROL_POINT);
    increase(CONTROL_STEPS, 1);
    const logWeight = load<f64>(control, CONTROL_INITIAL_ENERGY) - energyOf(point);
    const weight = exponential(logWeight);
    const accepted: f64 = logWeight > 0 ? 1 : weight;
    store<f64>(control, load<f64>(control, CONTROL_ACCEPT_SUM) + accepted, CONTROL_ACCEPT_SUM);
    top += SUBTREE_BYTES;
    setPoint(top, point, logWeight, weight);
    if (-logWeight > MAX_ENERGY_ERROR) {
      abandonExtension(top);
      return DIVERGING;
    }
    for (let rest = index; rest & 1; rest >>= 1) {
      const second = top;
      top -= SUBTREE_BYTES;
      alignScales(top, second);
      const weight = weightOf(second);
      store<f64>(top, weightOf(top) + weight, SUBTREE_WEIGHT);
      settleProposal(uniform() < weight / weightOf(top), top, second);
      if (!join(top, second)) {
        abandonExtension(top);
        return TURNING;
      }
    }
    index++;
    store<i32>(control, index, CONTROL_INDEX);
    store<usize>(control, top, CONTROL_TOP);
  }
  return GROWN;
}

@inline
function increase(field: i32, by: i32): void {
  store<i32>(control + field, load<i32>(control + field) + by);
}

/** Joins the extension to the trajectory, and samples the proposal with a bias towards the extension. */
function attach(): i32 {
  increase(CONTROL_DEPTH, 1);
  const extension = trajectory() + SUBTREE_BYTES;
  alignScales(trajectory(), extension);
  const weight = weightOf(extension);
  const keepsExtension = weight > weightOf(trajectory()) || uniform() < weight / weightOf(trajectory());
  settleProposal(keepsExtension, trajectory(), extension);
  store<f64>(trajectory(), weightOf(trajectory()) + weight, SUBTREE_WEIGHT);
  return join(trajectory(), extension) ? GROWN : TURNING;
}

/** Releases the subtrees of the extension, from the top of the stack, given by its address. */
export function abandonExtension(subtree: usize): void {
  for (; subtree != trajectory(); subtree -= SUBTREE_BYTES) abandon(subtree);
}

/** Releases the trajectory. */
export function abandonTrajectory(): void {
  abandon(trajectory());
}

/** Releases the trajectory's ends and starting point. Returns the proposal, with one reference. */
export function finish(start: usize): usize {
  release(beginOf(trajectory()));
  release(endOf(trajectory()));
  release(start);
  return load<usize>(trajectory(), SUBTREE_PROPOSAL);
}

// The same bits as `exponential` of `base/elementary.ts`, so that draws do not depend on which one runs.

const LN2_HIGH: f64 = 0.6931471803691238;
const LN2_LOW: f64 = 1.9082149292705877e-10;
const LOG2_E: f64 = 1.4426950408889634;
const OVERFLOW: f64 = 709.782712893384;
const UNDERFLOW: f64 = -745.1332191019411;

/** e to the power of x. */
export function exponential(x: f64): f64 {
  if (x > OVERFLOW) return Infinity;
  if (x < UNDERFLOW) return 0;
  const halves = floor(LOG2_E * x + 0.5);
  const high = x - halves * LN2_HIGH;
  const low = halves * LN2_LOW;
  const r = high - low;
  const t = r * r;
  const c =
    r -
    t *
      (0.16666666666666602 +
        t *
          (-0.0027777777777015593 +
            t * (6.613756321437934e-5 + t * (-1.6533902205465252e-6 + t * 4.1381367970572385e-8))));
  const exponent = <i32>halves;
  const first = min(max(exponent, -1022), 1023);
  return (1 - (low - (r * c) / (2 - c) - high)) * powerOfTwo(first) * powerOfTwo(exponent - first);
}

/** 2 to the power of an integer from -1022 to 1023. */
@inline
function powerOfTwo(exponent: i32): f64 {
  return reinterpret<f64>(<i64>(exponent + 1023) << 52);
}
