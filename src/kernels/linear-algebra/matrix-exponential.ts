// Matrix exponential by scaling, the diagonal Padé approximant of degree 13 and squaring (Higham 2005, "The scaling and squaring
// method for the matrix exponential revisited"), and its derivative in a direction, obtained by differentiating these steps
// (Al-Mohy and Higham 2009, "Computing the Fréchet derivative of the matrix exponential").
import { exp } from '../elementary/exponential';
import { lu, lu_solve } from './lu';
import { gemm, gemm_add, transpose } from './products';
import { add_to, axpy, clearVector, copyVector, scale } from './vectors';

/** Largest 1-norm at which the approximant and its derivative are exact to double precision. */
const THETA: f64 = 4.74;

/** Coefficients of the numerator of the Padé approximant, divided by the last one: b_0 … b_13. */
const COEFFICIENTS = memory.data<f64>([
  64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0, 10559470521600.0,
  670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
]);

@inline
function b(k: i32): f64 {
  return load<f64>(COEFFICIENTS + (k << 3));
}

function largestColumn(a: usize, n: i32): f64 {
  let largest: f64 = 0.0;
  for (let j = 0; j < n; j++) {
    let sum: f64 = 0.0;
    for (let i = 0; i < n; i++, a += 8) sum += abs<f64>(load<f64>(a));
    largest = max<f64>(largest, sum);
  }
  return largest;
}

/** out = b_i M6 + b_(i-2) M4 + b_(i-4) M2 */
function combine(out: usize, m6: usize, m4: usize, m2: usize, i: i32, total: i32): void {
  clearVector(out, total);
  axpy(out, b(i), m6, total);
  axpy(out, b(i - 2), m4, total);
  axpy(out, b(i - 4), m2, total);
}

function addToDiagonal(a: usize, value: f64, n: i32): void {
  for (let j = 0; j < n; j++) {
    const at = a + ((j * (n + 1)) << 3);
    store<f64>(at, load<f64>(at) + value);
  }
}

/** out = X Y' + X' Y: the derivative of the product X Y in the direction of the primed factors. */
function productRule(out: usize, x: usize, xDot: usize, y: usize, yDot: usize, n: i32): void {
  gemm(out, x, yDot, n, n, n);
  gemm_add(out, xDot, y, n, n, n);
}

/**
 * out = e^A and, unless direction is 0, derivative = its derivative in that direction. work: 19 n² + n numbers. The
 * matrices in work: A and its powers, the odd and even part of the approximant, then the same for the derivative.
 */
function exponential(out: usize, derivative: usize, a: usize, direction: usize, work: usize, n: i32): void {
  const total = n * n;
  const size: usize = total << 3;
  const a1 = work;
  const a2 = a1 + size;
  const a4 = a2 + size;
  const a6 = a4 + size;
  const outer = a6 + size;
  const inner = outer + size;
  const odd = inner + size;
  const even = odd + size;
  const factors = even + size;
  const d1 = factors + size;
  const d2 = d1 + size;
  const d4 = d2 + size;
  const d6 = d4 + size;
  const outerDot = d6 + size;
  const innerDot = outerDot + size;
  const oddDot = innerDot + size;
  const evenDot = oddDot + size;
  const spare = evenDot + size;
  const pivots = spare + size;

  const norm = largestColumn(a, n);
  let squarings = 0;
  let factor: f64 = 1.0;
  while (norm * factor > THETA && squarings < 1100) {
    factor *= 0.5;
    squarings++;
  }
  copyVector(a1, a, total);
  scale(a1, factor, total);
  gemm(a2, a1, a1, n, n, n);
  gemm(a4, a2, a2, n, n, n);
  gemm(a6, a4, a2, n, n, n);
  // odd part A (A6 (b13 A6 + b11 A4 + b9 A2) + b7 A6 + b5 A4 + b3 A2 + b1 I), even part likewise
  combine(outer, a6, a4, a2, 13, total);
  combine(inner, a6, a4, a2, 7, total);
  addToDiagonal(inner, b(1), n);
  gemm_add(inner, a6, outer, n, n, n);
  gemm(odd, a1, inner, n, n, n);
  if (direction) {
    copyVector(d1, direction, total);
    scale(d1, factor, total);
    productRule(d2, a1, d1, a1, d1, n);
    productRule(d4, a2, d2, a2, d2, n);
    productRule(d6, a4, d4, a2, d2, n);
    combine(outerDot, d6, d4, d2, 13, total);
    combine(innerDot, d6, d4, d2, 7, total);
    gemm_add(innerDot, a6, outerDot, n, n, n);
    gemm_add(innerDot, d6, outer, n, n, n);
    productRule(oddDot, a1, d1, inner, innerDot, n);
  }
  combine(outer, a6, a4, a2, 12, total);
  combine(even, a6, a4, a2, 6, total);
  addToDiagonal(even, b(0), n);
  gemm_add(even, a6, outer, n, n, n);
  if (direction) {
    combine(outerDot, d6, d4, d2, 12, total);
    combine(evenDot, d6, d4, d2, 6, total);
    gemm_add(evenDot, a6, outerDot, n, n, n);
    gemm_add(evenDot, d6, outer, n, n, n);
  }
  // (even - odd) R = even + odd, and (even - odd) R' = even' + odd' - (even' - odd') R
  copyVector(spare, even, total);
  axpy(spare, -1.0, odd, total);
  lu(factors, pivots, spare, n);
  add_to(odd, even, total);
  lu_solve(out, factors, pivots, odd, n, n);
  if (direction) {
    copyVector(spare, oddDot, total);
    axpy(spare, -1.0, evenDot, total);
    add_to(oddDot, evenDot, total);
    gemm_add(oddDot, spare, out, n, n, n);
    lu_solve(derivative, factors, pivots, oddDot, n, n);
  }
  for (let i = 0; i < squarings; i++) {
    if (direction) {
      productRule(spare, out, derivative, out, derivative, n);
      copyVector(derivative, spare, total);
    }
    gemm(spare, out, out, n, n, n);
    copyVector(out, spare, total);
  }
}

/** out = e^A, n × n. work: 19 n² + n numbers. */
export function matrix_exp(out: usize, a: usize, work: usize, n: i32): void {
  if (n == 1) store<f64>(out, exp(load<f64>(a)));
  else exponential(out, 0, a, 0, work, n);
}

/** Aadj += the derivative of the exponential at A' in the direction of the adjoint. work: 22 n² + n numbers. */
export function matrix_exp_adjoint(aAdj: usize, a: usize, outAdj: usize, work: usize, n: i32): void {
  const size: usize = (n * n) << 3;
  const turned = work;
  const value = turned + size;
  const derivative = value + size;
  transpose(turned, a, n, n);
  exponential(value, derivative, turned, outAdj, derivative + size, n);
  add_to(aAdj, derivative, n * n);
}
