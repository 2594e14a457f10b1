import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../project/tree.js';
import { loadKernels } from './load.js';

const kernel = loadKernels().linear;
const TOLERANCE = 1e-11;

/** Shape, argument, and of log P and log Q the value and the derivatives by the shape and by the argument's logarithm. */
const rows: number[][] = read('test/kernels/incomplete.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const WHAT = ['value', 'derivative by the shape', 'derivative by the logarithm of the argument'];

function close(actual: number, expected: number, what: string): void {
  assert.ok(
    Math.abs(actual - expected) <= TOLERANCE * Math.abs(expected) + 1e-300,
    `${what}: ${actual}, expected ${expected}`,
  );
}

describe('incomplete gamma functions of large shapes, by quadrature of the density with 50 digits', () => {
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

  it('gamma_p, gamma_q and their derivative by the shape', () => {
    const p = kernel('gamma_p');
    const q = kernel('gamma_q');
    const slope = kernel('gamma_p_da');
    for (const [a, x, logP, byShape, , logQ] of rows) {
      // a logarithm of size s has s roundings
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
