import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadKernels } from './load.js';

const { linear: kernel } = loadKernels();
const ERROR = 1e-10;

/** y, a, t0, w, v, sv, sw, st0: short and long times, drifts in both directions, with and without variability between trials. */
const SIMPLE = [
  [1.3, 0.8, 0.2, 0.3, 0.5],
  [3.5, 1.0, 0.2, 0.5, -1.0],
  [0.25, 1.5, 0.2, 0.6, 1.0],
  [6.0, 2.0, 0.3, 0.2, 0.1],
  [1.2, 2.5, 0.3, 0.3, -2.5],
  [0.9, 1.2, 0.1, 0.4, 0.0],
];
const VARIED = [
  [1.3, 0.8, 0.2, 0.3, 0.5, 0.4, 0.1, 0.2],
  [3.5, 1.0, 0.2, 0.5, -1.0, 0.0, 0.2, 0.0],
  [0.45, 1.5, 0.2, 0.6, 1.0, 1.5, 0.0, 0.1],
  [2.0, 2.0, 0.3, 0.2, 0.1, 0.7, 0.3, 0.3],
];

function close(actual: number, expected: number, tolerance: number, what: string): void {
  const gap = Math.abs(actual - expected) / Math.max(1, Math.abs(expected));
  assert.ok(gap <= tolerance, `${what}: ${actual}, expected ${expected}`);
}

/** The derivative with respect to argument k, from central differences. */
function difference(f: (...args: number[]) => number, args: readonly number[], k: number, h = 1e-5): number {
  const shifted = (step: number): number => f(...args.map((value, i) => (i === k ? value + step : value)));
  return (8 * (shifted(h) - shifted(-h)) - (shifted(2 * h) - shifted(-2 * h))) / (12 * h);
}

/** ∫ f over (from, to) by Simpson's rule. */
function integral(f: (x: number) => number, from: number, to: number, panels = 2000): number {
  const h = (to - from) / panels;
  let total = f(from) + f(to);
  for (let i = 1; i < panels; i++) total += (i % 2 === 1 ? 4 : 2) * f(from + i * h);
  return (total * h) / 3;
}

const below = (upper: 0 | 1, [y, a, t0, w, v, sv = 0, sw = 0, st0 = 0]: readonly number[], part = 0): number =>
  kernel('wiener_full_distribution')(part, y, a, t0, w, v, sv, sw, st0, upper, ERROR);
const density = ([y, a, t0, w, v, sv = 0, sw = 0, st0 = 0]: readonly number[], part = 0): number =>
  kernel('wiener_full')(part, y, a, t0, w, v, sv, sw, st0, ERROR);

describe('first passage times of a diffusion', () => {
  it('both implementations of the density agree within their tolerances', () => {
    for (const [y, a, t0, w, v] of SIMPLE) {
      const elapsed = y - t0;
      const passage = kernel('first_passage')(0, elapsed / (a * a), 1 - w);
      const simple = v * a * (1 - w) - 0.5 * v * v * elapsed - 2 * Math.log(a) + passage;
      close(density([y, a, t0, w, v]), simple, 1e-5, `at ${y}, ${a}, ${t0}, ${w}, ${v}`);
    }
  });

  it('the series end when no term changes the sum', () => {
    const [logDensity, x] = [kernel('first_passage'), 1e9];
    close(logDensity(0, x, 0.5), Math.log(Math.PI) - 0.5 * Math.PI ** 2 * x, 1e-14, 'after a long time');
    assert.ok(Number.isNaN(logDensity(0, 0, 0.5)), 'a distance that cannot be reached');
  });

  it('the distribution is the integral of the density', () => {
    for (const args of SIMPLE) {
      const [y, a, t0, w, v] = args;
      const mass = integral((t) => (t === t0 ? 0 : Math.exp(density([t, a, t0, w, v]))), t0, y);
      close(Math.exp(below(0, args)), mass, 1e-6, `at ${args}`);
    }
  });

  it('the probabilities of earlier and later passages sum to that of ever reaching the barrier', () => {
    for (const args of SIMPLE) {
      const [, a, , w, v] = args;
      const reached = v === 0 ? w : -Math.expm1(-2 * v * a * w) / -Math.expm1(-2 * v * a);
      close(Math.exp(below(0, args)) + Math.exp(below(1, args)), reached, 1e-12, `at ${args}`);
    }
  });

  it('variation of the drift equals the average over normal drifts', () => {
    for (const [y, a, t0, w, v, sv] of VARIED.filter(([, , , , , spread]) => spread > 0)) {
      const average = integral(
        (z) => Math.exp(-0.5 * z * z + density([y, a, t0, w, v + sv * z])) / Math.sqrt(2 * Math.PI),
        -9,
        9,
      );
      close(Math.exp(density([y, a, t0, w, v, sv])), average, 1e-9, `at ${y}`);
    }
  });

  it('variation of the start equals the average over its range', () => {
    const [y, a, t0, w, v, , sw] = VARIED[1];
    const average = integral((z) => Math.exp(density([y, a, t0, w + sw * z, v])), -0.5, 0.5, 200);
    close(Math.exp(density([y, a, t0, w, v, 0, sw])), average, 1e-9, 'density');
  });

  it('derivatives agree with the values to the error of the cubature', () => {
    for (const args of VARIED) {
      for (let k = 0; k < args.length; k++) {
        if (args[k] === 0) continue;
        const byDensity = difference((...all) => density(all), args, k);
        close(density(args, k + 1), byDensity, 2e-6, `density by argument ${k + 1} at ${args}`);
        for (const upper of [0, 1] as const) {
          const expected = difference((...all) => below(upper, all), args, k);
          close(below(upper, args, k + 1), expected, 5e-5, `distribution by argument ${k + 1} at ${args}`);
        }
      }
    }
  });
});

describe('first passage after very long times', () => {
  // For x > 10 the second sine is below exp(-148) of the first.
  it('is the first sine alone', () => {
    for (const x of [10, 1e4, 1e5, 3.9e10, 4.1e10, 1e12, 1e17, 1e100, 1e300]) {
      for (const q of [0.2, 0.5, 0.9]) {
        const expected = Math.log(Math.PI * Math.sin(Math.PI * q)) - 0.5 * Math.PI ** 2 * x;
        close(kernel('first_passage')(0, x, q), expected, 1e-14, `x = ${x}, q = ${q}`);
        close(kernel('first_passage')(1, x, q), -0.5 * Math.PI ** 2, 1e-14, `x = ${x}, q = ${q}, derivative`);
      }
    }
  });
});
