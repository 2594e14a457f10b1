import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { loadKernels } from './load.js';

const { math, linear } = loadKernels();

/** Numbers spread evenly on a logarithmic scale. */
const positive = (low: number, high: number): fc.Arbitrary<number> =>
  fc.double({ min: Math.log(low), max: Math.log(high), noNaN: true }).map(Math.exp);

const unit = fc.double({ min: 0, max: 1, noNaN: true, minExcluded: true, maxExcluded: true });

function near(found: number, expected: number, tolerance: number): void {
  const scale = Math.max(Math.abs(expected), Number.MIN_VALUE);
  assert.ok(Math.abs(found - expected) <= tolerance * scale, `found ${found}, expected ${expected}`);
}

/** Asserts a property for a number of points that takes about a second. The points are the same in every run. */
function always<T extends unknown[]>(arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> }, holds: (...x: T) => void) {
  fc.assert(
    fc.property(fc.tuple(...arbitraries), (x) => holds(...(x as T))),
    { numRuns: 2000, seed: 20_261_121 },
  );
}

describe('special functions over their whole domains', () => {
  it('P(a, x) + Q(a, x) = 1, 1e-14', () => {
    const [p, q] = [linear('gamma_p'), linear('gamma_q')];
    always([positive(1e-8, 1e6), positive(1e-10, 1e6)], (a, x) => near(p(a, x) + q(a, x), 1, 1e-14));
  });

  it('P and Q lie in [0, 1] and are monotone in x', () => {
    const [p, q] = [linear('gamma_p'), linear('gamma_q')];
    always([positive(1e-8, 1e6), positive(1e-10, 1e6), positive(1.001, 10)], (a, x, factor) => {
      assert.ok(p(a, x) >= 0 && p(a, x) <= p(a, factor * x) && p(a, factor * x) <= 1 + 1e-14);
      assert.ok(q(a, factor * x) >= 0 && q(a, factor * x) <= q(a, x) && q(a, x) <= 1 + 1e-14);
    });
  });

  it('I_x(a, b) + I_1-x(b, a) = 1, 1e-13', () => {
    const f = linear('inc_beta');
    always([positive(1e-6, 1e5), positive(1e-6, 1e5), unit], (a, b, x) => {
      // 1 - x is exact where it loses no digits of x
      const u = Math.round(x * 2 ** 20) / 2 ** 20;
      near(f(a, b, u) + f(b, a, 1 - u), 1, 1e-13);
    });
  });

  it('∂I_x(a, b)/∂a = -∂I_1-x(b, a)/∂b, 1e-13 of the larger', () => {
    const [da, db] = [linear('inc_beta_da'), linear('inc_beta_db')];
    always([positive(1e-4, 1e4), positive(1e-4, 1e4), unit], (a, b, x) => {
      const u = Math.round(x * 2 ** 20) / 2 ** 20;
      if (u === 0 || u === 1) return;
      near(da(a, b, u), -db(b, a, 1 - u), 1e-13);
    });
  });

  it('w eʷ = x on both branches of W, to the accuracy of eʷ', () => {
    const [upper, lower] = [linear('lambert_w0'), linear('lambert_wm1')];
    always([positive(1e-300, 1e300)], (x) => {
      const w = upper(x);
      near(w + Math.log(w), Math.log(x), 1e-14 * Math.max(1, 1 / Math.abs(Math.log(x))));
    });
    always([positive(1e-300, 0.36)], (x) => {
      const w = lower(-x);
      near(w + Math.log(-w), Math.log(x), 1e-14);
    });
  });

  it('J and Y, I and K: the Wronskians, 1e-11', () => {
    const [j, y] = [linear('bessel_first_kind'), linear('bessel_second_kind')];
    const [i, k] = [linear('modified_bessel_first_kind'), linear('modified_bessel_second_kind')];
    always([fc.integer({ min: 0, max: 25 }), positive(0.05, 500)], (n, x) => {
      near(j(n + 1, x) * y(n, x) - j(n, x) * y(n + 1, x), 2 / (Math.PI * x), 1e-11);
      near(i(n, x) * k(n + 1, x) + i(n + 1, x) * k(n, x), 1 / x, 1e-11);
    });
  });

  it("Owen's T(h, 1) = Φ(h) Φ(-h) / 2, and T(0, a) = atan a / 2π", () => {
    const [t, phi] = [linear('owens_t'), math('Phi')];
    always([fc.double({ min: -30, max: 30, noNaN: true }), positive(1e-10, 1e10)], (h, a) => {
      near(t(h, 1), (phi(h) * phi(-h)) / 2, 1e-13);
      near(t(0, a), Math.atan(a) / (2 * Math.PI), 1e-14);
    });
  });

  it('the quantile of the distribution function, and of its logarithm', () => {
    const [inverse, log, phi, logPhi] = [math('inv_Phi'), linear('inv_log_Phi'), math('Phi'), math('log_Phi')];
    always([fc.double({ min: -37, max: 5, noNaN: true })], (x) => {
      // a rounding error of Φ(x) changes x by Φ(x)/φ(x) times that error
      const slack = 1e-15 * (1 + phi(x) / Math.exp(-0.5 * x * x));
      assert.ok(Math.abs(inverse(phi(x)) - x) <= 10 * slack + 1e-14 * Math.abs(x), `${x}`);
      assert.ok(Math.abs(log(logPhi(x)) - x) <= 10 * slack + 1e-14 * Math.abs(x), `${x}`);
    });
  });

  it('log Γ(x + d) - log Γ(x): steps of one are logarithms', () => {
    const rise = math('lgamma_rise');
    always([positive(1e-5, 1e12)], (x) =>
      near(rise(x, 1), Math.log(x), 1e-13 * Math.max(1, 1 / Math.abs(Math.log(x)))),
    );
    always([positive(1, 1e12)], (x) => near(rise(x, 2.5), rise(x, 1) + rise(x + 1, 1.5), 1e-13));
  });
});
