import { describe, it } from 'node:test';
import { PROGRAMS } from '../gradients/programs.js';
import { MODEL_CASES, type ModelCase, readCases } from '../reference/stan.js';
import { verifyStages } from '../support/verify-stages.js';

describe('the IR is well formed after every pass', () => {
  for (const [name, program] of Object.entries(PROGRAMS)) it(name, () => void verifyStages(program));
});

const SOLVED_TWICE = `functions { vector slope(real t, vector y, real a) { return -a * y; } }
  parameters { real<lower=0> a; } model {
    for (y in ode_bdf(slope, [1.0]', 0, {1.0, 2.0}, a)) target += y;
    for (y in ode_rk45(slope, [1.0]', 0, {1.0, 2.0}, a)) target += y;
  }`;

describe('the IR of solvers in functions is well formed after every pass', () => {
  it('with a gradient', () => void verifyStages(SOLVED_TWICE));
  it('with second derivatives', () => void verifyStages(SOLVED_TWICE, { secondDerivatives: true }));
});

describe('the IR of the reference models is well formed after every pass', () => {
  for (const { name, files } of readCases<ModelCase>(MODEL_CASES))
    it(name, () => void verifyStages(files['model.stan']));
});
