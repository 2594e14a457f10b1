import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../inference/random/random-stream.js';
import { observationColumns, placesAmong, transformsOf } from './predictive-places.js';

const prediction = {
  name: 'y',
  observed: Float64Array.of(5, 6),
  columns: ['y_rep.1', 'y_rep.2'],
};

describe('columns of observations', () => {
  it('are those of log_lik in their order', () => {
    const found = observationColumns(['mu', 'log_lik.1', 'log_lik.2', 'y_rep.1', 'y_rep.2'], prediction);
    assert.deepEqual(
      found.map((each) => [each.observed, each.logLikelihood, each.simulated]),
      [
        [5, 'log_lik.1', 'y_rep.1'],
        [6, 'log_lik.2', 'y_rep.2'],
      ],
    );
  });

  it('are the derived ones, with their marks, by the names of the elements', () => {
    const found = observationColumns(['log_lik__y.2', 'log_lik__y.1', 'terms__y.1'], prediction);
    assert.deepEqual(
      found.map((each) => [each.logLikelihood, each.mark]),
      [
        ['log_lik__y.1', 'terms__y.1'],
        ['log_lik__y.2', undefined],
      ],
    );
  });

  it('do not exist if the number of log likelihoods differs', () => {
    assert.deepEqual(observationColumns(['log_lik.1', 'log_lik.2', 'log_lik.3'], prediction), []);
    assert.deepEqual(observationColumns(['log_lik__y.1'], prediction), []);
  });
});

describe('leave-one-out probability integral transforms', () => {
  // One observation of a normal mean with known variance 1 and the prior normal(0, 1): without the only observation, the
  // predictive distribution is normal(0, sqrt(2)); the posterior is normal(y / 2, sqrt(0.5)).
  const observed = 1.5;
  const draws = 20_000;
  const rng = createRng(1, 1);
  const mu = Float64Array.from({ length: draws }, () => 0.5 * observed + Math.sqrt(0.5) * rng.normal());
  const logLikelihood = [mu.map((value) => -0.5 * (observed - value) ** 2)];
  const simulated = [mu.map((value) => value + rng.normal())];
  const named = (chains: readonly Float64Array[]) => [{ name: 'each', chains }];

  it('are those of the distribution without the observation', () => {
    const [{ equal, smaller }] = placesAmong([{ observed }], named(logLikelihood), named(simulated));
    assert.equal(equal, 0);
    // Phi(1.5 / sqrt(2)); among all simulations it would be Phi(0.75 / sqrt(1.5)) = 0.730.
    assert.ok(Math.abs(smaller - 0.8556) < 0.03, `${smaller}`);
  });

  it('come with quantiles of the same distribution', () => {
    const places = placesAmong([{ observed }], named(logLikelihood), named(simulated));
    const { observed: own, quantiles } = transformsOf(places);
    assert.deepEqual([...own], [1.5]);
    // The normal's quartiles are 0.6745 standard deviations from its mean, its 5 % and 95 % quantiles 1.6449.
    const expected = [-1.6449, -0.6745, 0, 0.6745, 1.6449].map((z) => z * Math.SQRT2);
    for (const [k, value] of quantiles[0].entries()) assert.ok(Math.abs(value - expected[k]) < 0.15, `${quantiles[0]}`);
  });

  it('lie at random between smaller and equal values of counts, reproducibly', () => {
    const rounded = [simulated[0].map(Math.round)];
    const places = placesAmong([{ observed: 1 }], named(logLikelihood), named(rounded));
    const [{ equal, smaller }] = places;
    assert.ok(equal > 0.1);
    const { isRandomized, places: transforms } = transformsOf(places);
    assert.equal(isRandomized, true);
    assert.ok(transforms[0] > smaller && transforms[0] < smaller + equal);
    assert.deepEqual(transformsOf(places).places, transforms);
  });
});
