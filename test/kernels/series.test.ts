import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Arena } from './arena.js';
import { loadKernels } from './load.js';

const loaded = loadKernels();
const kernel = loaded.linear;

function close(actual: number, expected: number, tolerance: number, what: string): void {
  const gap = Math.abs(actual - expected) / Math.max(1e-300, Math.abs(expected));
  assert.ok(gap <= tolerance, `${what}: ${actual}, expected ${expected}`);
}

function near(actual: number, expected: number, tolerance: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual}, expected ${expected}`);
}

function slope(f: (x: number) => number, x: number, h = 1e-4): number {
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

describe('hypergeometric functions', () => {
  const gauss = kernel('hypergeometric_2f1');

  it('2F1(1, 1; 2; z) is -log(1 - z) / z, also beyond the unit circle', () => {
    for (const z of [-30, -1.5, -0.9, -1e-3, 0.3, 0.99])
      close(gauss(0, 1, 1, 2, z), -Math.log1p(-z) / z, 1e-13, `${z}`);
  });

  it('2F1(a, b; b; z) is a power, also where the series diverges', () => {
    for (const z of [-4, 0.5, 3]) close(gauss(0, 2, 0.7, 0.7, z), (1 - z) ** -2, 1e-13, `${z}`);
  });

  it('is a quotient of gamma functions at 1', () => {
    close(gauss(0, 0.5, 0.5, 1.5, 1), Math.PI / 2, 1e-14, 'arcsine at 1');
  });

  it('terminates at negative integers, but its derivative with respect to them does not', () => {
    close(gauss(0, -2, 1.3, 0.7, 0.4), 1 - (2 * 1.3 * 0.4) / 0.7 + (1.3 * 2.3 * 0.16) / (0.7 * 1.7), 1e-14, 'value');
    close(
      gauss(1, -2, 1.3, 0.7, 0.4),
      slope((a) => gauss(0, a, 1.3, 0.7, 0.4), -2),
      1e-9,
      'derivative',
    );
  });

  it('derivatives agree with the values, inside the unit circle and beyond', () => {
    for (const args of [
      [0.5, 1.5, 2.5, 0.7],
      [1.2, 0.4, 3.1, -0.8],
      [0.5, 0.7, 1.2, -2.5],
    ]) {
      for (let k = 0; k < 4; k++) {
        const expected = slope((x) => gauss(0, ...args.map((value, i) => (i === k ? x : value))), args[k]);
        close(gauss(k + 1, ...args), expected, 1e-9, `by argument ${k + 1} at ${args}`);
      }
    }
  });

  it('pFq keeps its digits if terms alternate and cancel', () => {
    // 50 digits (mpmath), rounded
    for (const [upper, lower, z, expected] of [
      [[1.3], [2.7], -9.1, 0.09243624631077701],
      [[0.5], [1.5], -300, 0.051166335397324424],
      [[1.2, 0.7], [2.1, 3.3], -30, 0.29148281415803495],
    ] as const) {
      const arena = new Arena(loaded);
      const value = arena.write([0]);
      const parameters = arena.write([...upper, ...lower]);
      kernel('hypergeometric_pfq')(value, parameters, arena.write([z]), upper.length, lower.length);
      close(arena.read(value, 1, 1).values[0], expected, 1e-13, `at ${z}`);
    }
  });

  it('pFq without parameters is exp, and its adjoint adds the derivatives', () => {
    const arena = new Arena(loaded);
    const numbers = (...values: number[]): number => arena.write(values);
    const value = numbers(0);
    kernel('hypergeometric_pfq')(value, numbers(), numbers(-1.5), 0, 0);
    close(arena.read(value, 1, 1).values[0], Math.exp(-1.5), 1e-14, 'exp');
    const [parameters, argument] = [numbers(0.5, 1.2, 2.5), numbers(0.3)];
    const adjoint = numbers(0, 0, 0);
    kernel('hypergeometric_pfq_adjoint')(adjoint, 0, numbers(1), parameters, argument, numbers(0, 0, 0, 0), 2, 1);
    const found = arena.read(adjoint, 3, 1).values;
    for (let k = 0; k < 3; k++) close(found[k], gauss(k + 1, 0.5, 1.2, 2.5, 0.3), 1e-13, `parameter ${k + 1}`);
  });
});

describe('the logarithm of the von Mises distribution function', () => {
  const below = kernel('von_mises_below');
  const places = [-3, -0.5, 0.2, 2.5];

  it('has the density as its derivative with respect to the angle', () => {
    for (const k of [0.01, 0.7, 5, 48, 300]) {
      const log0 = kernel('log_modified_bessel_first_kind')(0, k);
      for (const y of places) {
        const density = Math.exp(k * Math.cos(y - 0.4) - log0) / (2 * Math.PI);
        near(below(1, y, 0.4, k) * Math.exp(below(0, y, 0.4, k)), density, 1e-12 * density, `density at ${y}, ${k}`);
      }
    }
  });

  it('returns probabilities on both sides that sum to 1', () => {
    for (const k of [0.01, 5, 300]) {
      for (const y of places) {
        near(Math.exp(below(0, y, 0.4, k)) + Math.exp(below(0, -y, -0.4, k)), 1, 1e-14, `at ${y}, ${k}`);
      }
    }
  });

  it('decreases like a normal tail at concentrations that doubles cannot resolve', () => {
    for (const k of [1e17, 1e300]) {
      close(below(0, 0.5, 1, k), -2 * k * Math.sin(0.25) ** 2, 1e-12, `below the mean at ${k}`);
      near(below(0, 1.5, 1, k), 0, 1e-300, `above the mean at ${k}`);
    }
  });

  it('has derivatives with respect to mean and concentration', () => {
    for (const k of [0.5, 10, 80]) {
      for (const y of [-1.2, 0.3]) {
        near(
          below(2, y, 0.1, k),
          slope((z) => below(0, y, z, k), 0.1),
          1e-6,
          `by mu at ${y}, ${k}`,
        );
        near(
          below(3, y, 0.1, k),
          slope((z) => below(0, y, 0.1, z), k),
          1e-6,
          `by k at ${y}, ${k}`,
        );
      }
    }
  });
});

describe('the logarithm of modified Bessel functions', () => {
  it('has the derivative with respect to the order in all regions', () => {
    const value = kernel('log_modified_bessel_first_kind');
    for (const [v, x] of [
      [0.3, 2],
      [5, 3],
      [2, 150],
      [40, 120],
      [0.3, 800],
      [100, 900],
      [-0.5, 2],
    ]) {
      const expected = slope((order) => value(order, x), v, 1e-3 * Math.max(1, v));
      close(kernel('log_modified_bessel_first_kind_dv')(v, x), expected, 1e-6, `at ${v}, ${x}`);
    }
  });
});

describe('Bessel functions of orders at the limits of int', () => {
  const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];

  it('equal those of the order with the opposite sign', () => {
    assert.equal(kernel('bessel_first_kind')(LEAST, 1.5), 0);
    assert.equal(kernel('bessel_second_kind')(LEAST, 1.5), Number.NEGATIVE_INFINITY);
    assert.equal(kernel('modified_bessel_first_kind')(LEAST, 1.5), 0);
    assert.equal(kernel('modified_bessel_second_kind')(LEAST, 1.5), Number.POSITIVE_INFINITY);
  });

  it('of the second kind, modified, do not iterate over orders', () => {
    const second = kernel('modified_bessel_second_kind');
    // log K by quadrature of its integral with 30 digits
    close(Math.log(second(100001, 66270)), 3.43786761650166, 1e-10, 'a large order');
    assert.equal(second(MOST, 1e9), Number.POSITIVE_INFINITY);
    assert.equal(second(MOST, 1e12), 0);
  });
});

describe('mixed second differences of log Γ', () => {
  it('are NaN outside their domain, and terminate', () => {
    for (const name of ['lgamma_cross', 'digamma_cross']) {
      for (const x of [Number.NEGATIVE_INFINITY, -1e18, Number.NaN]) {
        assert.ok(Number.isNaN(kernel(name)(x, Number.NaN, 1)), `${name} at ${x}`);
        assert.ok(Number.isNaN(kernel(name)(x, 1, 2)), `${name} at ${x}`);
      }
    }
  });
});

describe('the incomplete beta function of a very large shape', () => {
  it('is a number unless both shapes are very large', () => {
    const below = kernel('inc_beta');
    assert.equal(below(1e300, 3, 0.25), 0);
    assert.equal(below(3, 1e300, 0.25), 1);
    assert.ok(Number.isNaN(below(1e300, 1e300, 0.5)));
  });
});
