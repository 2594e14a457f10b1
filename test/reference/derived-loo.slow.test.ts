import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { close, compile } from 'leapfrog';
import { MODELS, readDerivedLoo } from './derived-loo.js';
import { recordedFit } from './derived-loo-fit.js';

/** Tolerance: absolute up to 1, relative above. */
const TOLERANCE = 1e-8;

function same(actual: number, expected: number, what: string): void {
  const difference = Math.abs(actual - expected);
  assert.ok(difference <= TOLERANCE * Math.max(1, Math.abs(expected)), `${what}: ${actual} is not ${expected}`);
}

const recorded = readDerivedLoo();

describe('cross-validation by derived log likelihoods equals that of the R package loo by those of the program', () => {
  after(() => close());

  it('for at least 15 models', () => assert.ok(recorded.length >= 15 && recorded.length === MODELS.length));

  for (const { chains, columns, expected, name } of recorded) {
    it(name, async () => {
      const found = MODELS.find((each) => each.name === name);
      assert.ok(found !== undefined);
      const model = await compile(found.program);
      const fit = recordedFit({ chains, columns });
      const loo = await model.loo(fit, found.data);
      assert.equal(loo.observations.length, expected.elpd.length);
      loo.observations.forEach((observation, place) => {
        assert.equal(observation.name, `y[${place + 1}]`);
        same(observation.elpd, expected.elpd[place] ?? Number.NaN, `elpd of ${observation.name}`);
        const parameters = expected.effectiveParameters[place] ?? Number.NaN;
        same(observation.effectiveParameters, parameters, `p_loo of ${observation.name}`);
        same(observation.paretoK, expected.paretoK[place] ?? Number.NaN, `Pareto k of ${observation.name}`);
      });
      const rows = { elpd_loo: loo.elpd, p_loo: loo.effectiveParameters, looic: loo.looic } as const;
      for (const name of ['elpd_loo', 'p_loo', 'looic'] as const) {
        const [estimate, error] = expected.estimates[name];
        same(rows[name].estimate, estimate, name);
        same(rows[name].standardError, error, `standard error of ${name}`);
      }
    });
  }
});
