import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Arena } from './arena.js';
import { loadKernels } from './load.js';

const loaded = loadKernels();
const kernel = loaded.linear;
const arena = new Arena(loaded);

const DRAWS = 100_000;

function seeded(seed: number, chain: number): number {
  const state = arena.bytes(32);
  kernel('rng_seed')(state, seed, chain);
  return state;
}

function draws(name: string, parameters: number[], count = DRAWS): number[] {
  const state = seeded(20240229, 1);
  const f = kernel(name);
  return Array.from({ length: count }, () => f(state, ...parameters));
}

/** Mean and variance must lie within 5 standard errors; the fourth central moment gives the variance's. */
function checkMoments(values: number[], mean: number, variance: number, text: string): void {
  const n = values.length;
  const sampleMean = values.reduce((sum, x) => sum + x, 0) / n;
  const second = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / n;
  const fourth = values.reduce((sum, x) => sum + (x - mean) ** 4, 0) / n;
  const meanError = Math.abs(sampleMean - mean) / Math.sqrt(variance / n);
  const varianceError = Math.abs(second - variance) / Math.sqrt((fourth - second ** 2) / n);
  assert.ok(meanError < 5, `${text}: mean ${sampleMean}, expected ${mean}`);
  assert.ok(varianceError < 5, `${text}: variance ${second}, expected ${variance}`);
}

describe('moments of variates', () => {
  const cases: [string, number[], number, number][] = [
    ['rng_uniform', [], 0.5, 1 / 12],
    ['rng_normal', [], 0, 1],
    ['rng_exponential', [], 1, 1],
    ...[0.3, 5, 9.99, 10, 37.2, 1e6].map((m): [string, number[], number, number] => ['rng_poisson', [m], m, m]),
    ...(
      [
        [1, 0.3],
        [12, 0.5],
        [40, 0.97],
        [100, 0.4],
        [5000, 0.9],
        [1_000_000, 0.001],
      ] as const
    ).map(([n, p]): [string, number[], number, number] => ['rng_binomial', [n, p], n * p, n * p * (1 - p)]),
    ['rng_hypergeometric', [10, 20, 30], 4, (10 * 0.4 * 0.6 * 40) / 49],
  ];
  for (const [name, parameters, mean, variance] of cases) {
    it(`${name}(${parameters.join(', ')})`, () => {
      checkMoments(draws(name, parameters), mean, variance, name);
    });
  }

  for (const a of [0.1, 0.9, 1, 3.5, 200]) {
    it(`rng_log_gamma(${a}), exponentiated`, () => {
      checkMoments(draws('rng_log_gamma', [a]).map(Math.exp), a, a, 'rng_log_gamma');
    });
  }

  it('rng_log_gamma is finite for the smallest shape', () => {
    assert.ok(draws('rng_log_gamma', [Number.MIN_VALUE]).every(Number.isFinite));
  });

  it('rng_von_mises: the resultant is I₁(κ)/I₀(κ)', () => {
    for (const [kappa, resultant] of [
      [0.5, 0.24249961258080194],
      [4, 0.8635226514760093],
    ] as const) {
      const cosines = draws('rng_von_mises', [1, kappa]).map((x) => Math.cos(x - 1));
      const mean = cosines.reduce((sum, x) => sum + x, 0) / DRAWS;
      assert.ok(Math.abs(mean - resultant) < 5 / Math.sqrt(DRAWS), `${mean}`);
    }
  });

  it('rng_von_mises: uniform in the limit of small κ, normal with variance 1/κ in the limit of large κ', () => {
    for (const kappa of [0, 5e-324, 1e-300, 1e-16, 1e-8, 1.2e-8, 1.4e-8, 1e-5])
      checkMoments(draws('rng_von_mises', [0, kappa]), 0, Math.PI ** 2 / 3, `kappa = ${kappa}`);
    for (const kappa of [1e6, 1e10, 1e15, 1e16, 1e20, 1e100, 1e155, 1e300, Number.MAX_VALUE]) {
      const scaled = draws('rng_von_mises', [0, kappa]).map((x) => x * Math.sqrt(kappa));
      checkMoments(scaled, 0, 1, `kappa = ${kappa}`);
    }
  });

  it('rng_categorical: frequencies', () => {
    const theta = [0.1, 0.6, 0, 0.3];
    const counts = [0, 0, 0, 0];
    for (const k of draws('rng_categorical', [arena.write(theta), 4])) counts[k - 1] = (counts[k - 1] ?? 0) + 1;
    theta.forEach((p, i) => {
      assert.ok(Math.abs((counts[i] ?? 0) - p * DRAWS) <= 5 * Math.sqrt(DRAWS * p * (1 - p)), `${counts}`);
    });
  });
});

describe('shape of the normal variate', () => {
  it('has the correct mass in every interval, including the tails', () => {
    const values = draws('rng_normal', [], 400_000);
    const phi = loaded.math('Phi');
    const edges = [-Infinity, -4, -3.6, -3, -2, -1, -0.5, -0.1, 0, 0.1, 0.5, 1, 2, 3, 3.6, 4, Infinity];
    for (let i = 1; i < edges.length; i++) {
      const [from, to] = [edges[i - 1] ?? 0, edges[i] ?? 0];
      const p = phi(to) - phi(from);
      const count = values.filter((x) => x > from && x <= to).length;
      const expected = p * values.length;
      assert.ok(Math.abs(count - expected) < 5 * Math.sqrt(expected), `(${from}, ${to}]: ${count} of ${expected}`);
    }
  });
});

describe('streams', () => {
  it('the same seed and chain give the same draws', () => {
    const [a, b] = [seeded(7, 3), seeded(7, 3)];
    for (let i = 0; i < 100; i++) assert.equal(kernel('rng_normal')(a), kernel('rng_normal')(b));
  });
  it('another seed or chain gives different, uncorrelated draws', () => {
    const uniform = kernel('rng_uniform');
    for (const [seed, chain] of [
      [7, 4],
      [8, 3],
      [3, 7],
    ] as const) {
      const [a, b] = [seeded(7, 3), seeded(seed, chain)];
      let product = 0;
      for (let i = 0; i < DRAWS; i++) product += (uniform(a) - 0.5) * (uniform(b) - 0.5);
      assert.ok(Math.abs(product / DRAWS) < 5 / 12 / Math.sqrt(DRAWS));
    }
  });
  it('the generator is xoshiro256++: first outputs from the state 1, 2, 3, 4', () => {
    // published reference outputs 41943041, 58720359, 3588806011781223, …: the top 52 bits, centered
    const state = arena.bytes(32);
    new BigUint64Array(loaded.memory.buffer, state, 4).set([1n, 2n, 3n, 4n]);
    for (const output of [41943041n, 58720359n, 3588806011781223n]) {
      assert.equal(kernel('rng_uniform')(state), (Number(output >> 12n) + 0.5) * 2 ** -52);
    }
  });
});
