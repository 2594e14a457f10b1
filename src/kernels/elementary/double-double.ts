// Arithmetic on unevaluated sums of two doubles, about 31 digits (Dekker, Numer. Math. 18, 1971). Each function returns the
// high part of its result and leaves the low part in `low`.

export let low: f64 = 0.0;

/** 2^27 + 1: multiplying by it splits a number into two halves of its digits. */
export const SPLITTER: f64 = 134217729.0;
/** Above this, splitting overflows. */
const LARGE: f64 = 1e290;

@inline
function normalized(high: f64, rest: f64): f64 {
  const sum = high + rest;
  low = rest - (sum - high);
  return sum;
}

/** a·b - product. */
@inline
function productError(a: f64, b: f64, product: f64): f64 {
  if (!(abs<f64>(a) < LARGE && abs<f64>(b) < LARGE && abs<f64>(product) < LARGE)) return 0.0;
  return exactError(a, b, product);
}

/** a·b - product for numbers below 2^996. */
@inline
export function exactError(a: f64, b: f64, product: f64): f64 {
  const s = SPLITTER * a;
  const t = SPLITTER * b;
  const aHigh = s - (s - a);
  const bHigh = t - (t - b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

export function sum(aHigh: f64, aLow: f64, bHigh: f64, bLow: f64): f64 {
  const s = aHigh + bHigh;
  const t = s - aHigh;
  const rest = aHigh - (s - t) + (bHigh - t);
  return normalized(s, rest + aLow + bLow);
}

export function product(aHigh: f64, aLow: f64, bHigh: f64, bLow: f64): f64 {
  const p = aHigh * bHigh;
  return normalized(p, productError(aHigh, bHigh, p) + (aHigh * bLow + aLow * bHigh));
}

export function quotient(aHigh: f64, aLow: f64, bHigh: f64, bLow: f64): f64 {
  const q = aHigh / bHigh;
  const p = q * bHigh;
  const rest = aHigh - p - productError(q, bHigh, p) + aLow - q * bLow;
  return normalized(q, rest / bHigh);
}
