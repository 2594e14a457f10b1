import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../project/tree.js';
import { loadKernels } from './load.js';

const kernel = loadKernels().linear;
const TOLERANCE = 1e-11;

/** Shape, argument, and for log P and log Q the value and the derivatives with respect to the shape and the argument's logarithm. */
const rows: number[][] = read('test/kernels/incomplete.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const WHAT = [
  'value',
  'derivative with respect to the shape',
  'derivative with respect to the logarithm of the argument',
];

function close(actual: number, expected: number, what: string): void {
  assert.ok(
    Math.abs(actual - expected) <= TOLERANCE * Math.abs(expected) + 1e-300,
    `${what}: ${actual}, expected ${expected}`,
  );
}

describe('incomplete gamma functions of large shapes agree with quadrature of the density with 50 digits', () => {
  for (const [name, first] of [
    ['log_gamma_p', 2],
    ['log_gamma_q', 5],
  ] as const) {
    const f = kernel(name);
    for (const [part, what] of WHAT.entries()) {
      it(`${name}: ${what}, at the mean, in both tails and where the formula changes`, () => {
        for (const row of rows) {
          const [a, x] = row;
          close(f(part, a, Math.log(x), x), row[first + part], `${name} at ${a}, ${x}`);
        }
      });
    }
  }

  it('gamma_p, gamma_q and their derivative with respect to the shape', () => {
    const p = kernel('gamma_p');
    const q = kernel('gamma_q');
    const slope = kernel('gamma_p_da');
    for (const [a, x, logP, byShape, , logQ] of rows) {
      // a logarithm of size s has the error of s roundings
      if (Math.min(logP, logQ) < -700) continue;
      close(p(a, x), Math.exp(logP), `P at ${a}, ${x}`);
      close(q(a, x), Math.exp(logQ), `Q at ${a}, ${x}`);
      close(slope(a, x), Math.exp(logP) * byShape, `dP/da at ${a}, ${x}`);
    }
  });

  it('P of the largest shapes at their mean is one half and 1/(3 √(2πa))', () => {
    for (const a of [1e17, 1e100, 1e300]) {
      close(kernel('gamma_p')(a, a), 0.5 + 1 / (3 * Math.sqrt(2 * Math.PI) * Math.sqrt(a)), `P(${a}, ${a})`);
    }
  });
});

describe('the incomplete beta function of large equal shapes at one half', () => {
  const f = kernel('log_inc_beta');

  // the derivative of log I with respect to the first shape, by quadrature with 40 digits, and the bounds of both
  for (const [a, slope, value, derivative] of [
    [1e8, -5.641895847231513e-5, 3e-11, 3e-10],
    [1e12, -5.641895835478739e-7, 4e-10, 2e-8],
    [1e14, -5.6418958354775743e-8, 6e-9, 4e-6],
  ]) {
    it(`is one half to ${value} at shapes of ${a}, with its derivative with respect to the shape accurate to ${derivative}`, () => {
      const half = Math.log(0.5);
      assert.ok(Math.abs(f(0, a, a, 0.5, 0.5) - half) <= value * -half, 'value');
      assert.ok(Math.abs(f(1, a, a, 0.5, 0.5) / slope - 1) <= derivative, 'derivative');
    });
  }
});
