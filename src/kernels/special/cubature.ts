// Adaptive cubature over a box of one to three dimensions: the 15-point Gauss-Kronrod rule in one dimension (QUADPACK, 1983), the rule
// of Genz and Malik (J. Comput. Appl. Math. 6, 1980) in more. The box with the largest error is halved repeatedly.
import { DIFFERENCES, PANEL, POINT, scratch } from '../linear-algebra/scratch';

export type Integrand = (x: usize) => f64;

const MAX_BOXES: i32 = 202;
/** Fields of a box: the lower corner, the upper corner, the integral, the error and the dimension to halve. */
const LOWER: usize = 0;
const UPPER: usize = 24;
const INTEGRAL: usize = 48;
const ERROR: usize = 56;
const DIVIDE: usize = 64;
const BOX: usize = 72;
const KRONROD: usize = memory.data<f64>([
  0.99145537112081263920685, 0.94910791234275852452618, 0.86486442335976907278971, 0.74153118559939443986386,
  0.58608723546769113029414, 0.40584515137739716690660, 0.20778495500789846760068, 0.022935322010529224963732,
  0.063092092629978553290700, 0.10479001032225018383987, 0.14065325971552591874518, 0.16900472663926790282658,
  0.19035057806478540991325, 0.20443294007529889241416, 0.20948214108472782801299,
]);
const GAUSS: usize = memory.data<f64>([
  0.12948496616886969327061, 0.27970539148927666790146, 0.38183005050511894495036, 0.41795918367346938775510,
]);
/** Below this relative error, a sum of doubles does not become more accurate. */
const ENOUGH: f64 = 1e-13;

@inline
function at(base: usize, k: i32): usize {
  return base + (<usize>k << 3);
}

function line(f: Integrand, box: usize): void {
  const center = 0.5 * (load<f64>(box, LOWER) + load<f64>(box, UPPER));
  const half = 0.5 * (load<f64>(box, UPPER) - load<f64>(box, LOWER));
  store<f64>(scratch + POINT, center);
  const middle = f(scratch + POINT);
  let fine = middle * load<f64>(at(KRONROD, 14));
  let coarse = middle * load<f64>(at(GAUSS, 3));
  for (let i = 0; i < 7; i++) {
    const step = half * load<f64>(at(KRONROD, i));
    store<f64>(scratch + POINT, center - step);
    let both = f(scratch + POINT);
    store<f64>(scratch + POINT, center + step);
    both += f(scratch + POINT);
    fine += both * load<f64>(at(KRONROD, 7 + i));
    if ((i & 1) == 1) coarse += both * load<f64>(at(GAUSS, i >> 1));
  }
  store<f64>(box, fine * half, INTEGRAL);
  store<f64>(box, abs<f64>(fine - coarse) * half, ERROR);
  store<f64>(box, 0.0, DIVIDE);
}

@inline
function centerOf(box: usize, k: i32): f64 {
  return 0.5 * (load<f64>(at(box, k), LOWER) + load<f64>(at(box, k), UPPER));
}

@inline
function halfOf(box: usize, k: i32): f64 {
  return 0.5 * (load<f64>(at(box, k), UPPER) - load<f64>(at(box, k), LOWER));
}

/** The sum of f at the two points that are ± share of the half width from the center in one dimension. */
function pair(f: Integrand, box: usize, k: i32, share: f64): f64 {
  const step = share * halfOf(box, k);
  store<f64>(at(scratch + POINT, k), centerOf(box, k) + step);
  const sum = f(scratch + POINT);
  store<f64>(at(scratch + POINT, k), centerOf(box, k) - step);
  const both = sum + f(scratch + POINT);
  store<f64>(at(scratch + POINT, k), centerOf(box, k));
  return both;
}

/** The sum of f at the points that are ± share of the half width from the center in each dimension whose bit is set. */
function corners(f: Integrand, box: usize, dimensions: i32, set: i32, share: f64): f64 {
  let total: f64 = 0.0;
  for (let signs = 0; signs < 1 << dimensions; signs++) {
    if ((signs & set) != signs) continue;
    for (let k = 0; k < dimensions; k++) {
      const step = ((set >> k) & 1) == 0 ? 0.0 : share * halfOf(box, k);
      store<f64>(at(scratch + POINT, k), centerOf(box, k) + (((signs >> k) & 1) == 0 ? step : -step));
    }
    total += f(scratch + POINT);
  }
  return total;
}

function space(f: Integrand, box: usize, dimensions: i32): void {
  const d = <f64>dimensions;
  let volume: f64 = 1.0;
  for (let k = 0; k < dimensions; k++) {
    volume *= halfOf(box, k);
    store<f64>(at(scratch + POINT, k), centerOf(box, k));
  }
  store<f64>(box, 0.0, DIVIDE);
  if (volume == 0.0) {
    store<f64>(box, 0.0, INTEGRAL);
    store<f64>(box, 0.0, ERROR);
    return;
  }
  const middle = f(scratch + POINT);
  let inner: f64 = 0.0;
  let outer: f64 = 0.0;
  for (let k = 0; k < dimensions; k++) {
    const near = pair(f, box, k, sqrt<f64>(9.0 / 70.0));
    const far = pair(f, box, k, sqrt<f64>(0.9));
    inner += near;
    outer += far;
    store<f64>(at(scratch + DIFFERENCES, k), abs<f64>(far + 12.0 * middle - 7.0 * near));
  }
  let faces: f64 = 0.0;
  for (let i = 0; i < dimensions; i++) {
    for (let k = i + 1; k < dimensions; k++) faces += corners(f, box, dimensions, (1 << i) | (1 << k), sqrt<f64>(0.9));
  }
  const all = corners(f, box, dimensions, (1 << dimensions) - 1, sqrt<f64>(9.0 / 19.0));
  const scale = volume * <f64>(1 << dimensions);
  const fine =
    (scale *
      ((12824.0 - 9120.0 * d + 400.0 * d * d) * middle +
        2940.0 * inner +
        (1820.0 - 400.0 * d) * outer +
        200.0 * faces)) /
      19683.0 +
    (volume * 6859.0 * all) / 19683.0;
  const coarse =
    scale *
    (((729.0 - 950.0 * d + 50.0 * d * d) / 729.0) * middle +
      (245.0 / 486.0) * inner +
      ((265.0 - 100.0 * d) / 1458.0) * outer +
      (25.0 / 729.0) * faces);
  const error = abs<f64>(fine - coarse);
  store<f64>(box, fine, INTEGRAL);
  store<f64>(box, error, ERROR);
  // the dimension with the largest fourth difference; among similar ones, the widest
  let tolerance = error / volume;
  for (let k = 0; k < dimensions; k++) tolerance *= 0.1;
  let divide = 0;
  let largest: f64 = 0.0;
  for (let k = 0; k < dimensions; k++) {
    const excess = load<f64>(at(scratch + DIFFERENCES, k)) - largest;
    if (excess > tolerance) {
      divide = k;
      largest = load<f64>(at(scratch + DIFFERENCES, k));
    } else if (abs<f64>(excess) <= tolerance && halfOf(box, k) > halfOf(box, divide)) divide = k;
  }
  store<f64>(box, <f64>divide, DIVIDE);
}

function measure(f: Integrand, box: usize, dimensions: i32): void {
  if (dimensions == 1) line(f, box);
  else space(f, box, dimensions);
}

/**
 * The integral of f over the box from lower to upper (dimensions numbers each). Returns the first estimate
 * if it is within the relative tolerance. Otherwise halves boxes up to the maximum number of evaluations, as in Stan, or until doubles permit
 * no improvement.
 */
export function cubature(
  f: Integrand,
  dimensions: i32,
  lower: usize,
  upper: usize,
  evaluations: i32,
  tolerance: f64,
): f64 {
  const boxes = scratch + PANEL;
  memory.copy(boxes + LOWER, lower, 24);
  memory.copy(boxes + UPPER, upper, 24);
  measure(f, boxes, dimensions);
  let total = load<f64>(boxes, INTEGRAL);
  let error = load<f64>(boxes, ERROR);
  if (error <= tolerance * abs<f64>(total)) return total;
  const each =
    dimensions == 1 ? 15 : 1 + 4 * dimensions + 2 * dimensions * (dimensions - 1) + (1 << dimensions);
  let used = 3 * each;
  let count = 1;
  while (used < evaluations && count < MAX_BOXES && error > ENOUGH * abs<f64>(total) && abs<f64>(total) < Infinity) {
    let worst = boxes;
    for (let k = 1; k < count; k++) {
      const box = boxes + <usize>k * BOX;
      if (load<f64>(box, ERROR) > load<f64>(worst, ERROR)) worst = box;
    }
    const axis = <i32>load<f64>(worst, DIVIDE);
    const middle = centerOf(worst, axis);
    const other = boxes + <usize>count * BOX;
    memory.copy(other, worst, BOX);
    store<f64>(at(worst, axis), middle, LOWER);
    store<f64>(at(other, axis), middle, UPPER);
    measure(f, worst, dimensions);
    measure(f, other, dimensions);
    count++;
    used += 2 * each;
    total = 0.0;
    error = 0.0;
    for (let k = 0; k < count; k++) {
      const box = boxes + <usize>k * BOX;
      total += load<f64>(box, INTEGRAL);
      error += load<f64>(box, ERROR);
    }
  }
  return total;
}
