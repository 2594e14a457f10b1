import assert from 'node:assert/strict';
import { it } from 'node:test';
import { concludeLeavingOut, type Observation } from './cross-validation.js';

/** Observations with these values of Pareto k. */
function observations(...shapes: readonly number[]): Observation[] {
  return shapes.map((paretoK, k) => ({
    name: `log_lik.${k + 1}`,
    elpd: -1,
    mcse: 0.01,
    effectiveParameters: 0.1,
    paretoK,
  }));
}

it('leave-one-out estimates are reliable if all Pareto k are low', () => {
  const { ok, message } = concludeLeavingOut(observations(0.1, 0.5, -0.2), 4000);
  assert.equal(ok, true);
  assert.match(message, /^All Pareto k are at most 0\.7: the estimates are reliable\.$/);
});

it('observations with high Pareto k are named, the highest first, with a remedy', () => {
  const { ok, message } = concludeLeavingOut(observations(0.8, 0.1, 1.4), 4000);
  assert.equal(ok, false);
  assert.match(message, /above 0\.7 for 2 of 3 observations, log_lik\[3\] \(1\.4\), log_lik\[1\] \(0\.8\):/);
  assert.match(message, /Check these observations/);
});

it('observations whose Pareto k cannot be estimated are listed separately', () => {
  const { ok, message } = concludeLeavingOut(observations(0.1, Number.NaN), 4000);
  assert.equal(ok, false);
  assert.match(message, /cannot be estimated for 1 of 2 observations, log_lik\[2\]: there are too few draws/);
  assert.doesNotMatch(message, /is above/);
});
