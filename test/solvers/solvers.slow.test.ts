import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSolvers } from '../conformance/solvers.js';
import { type Family, recordsOf } from './judge.js';

/**
 * A subset of the recorded cases that takes seconds; `npm run conformance -- solvers` compares all of them. Tolerances are written as
 * JavaScript prints them.
 */
const PARTS: readonly (readonly [family: Family, only: RegExp])[] = [
  [
    'ode',
    /^(fitzhugh_nagumo|robertson|detest_b1|switched|lorenz|hodgkin_huxley)\/ode_(adams|bdf|ckrk|rk45)_tol\/(0\.00001|0\.000001|1e-8)$/,
  ],
  ['ode', /^(van_der_pol_5|van_der_pol_100|oregonator)\/ode_adams_tol\/(0\.00001|0\.000001)$/],
  ['ode', /^(detest_c[45]|e5)\/ode_bdf_tol\/(0\.0001|1e-10)$/],
  ['ode', /^detest_(a1|b1)\/ode_(adjoint_tol_ctl|adams|bdf|rk45|ckrk)/],
  ['dae', /./],
  ['algebraic', /./],
  ['quadrature', /./],
];

describe('solvers agree with exact solutions as closely as real Stan, within its evaluations', () => {
  for (const [family, only] of PARTS) {
    it(`on the cases of ${family} that match ${only.source}`, () => {
      const outcomes = [...runSolvers(recordsOf(family), only)];
      assert.ok(outcomes.length > 5);
      assert.deepEqual(
        outcomes.filter(({ verdict }) => verdict !== 'passed'),
        [],
      );
    });
  }
});
