import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { close, compile, openFit } from 'leapfrog';
import { MODELS, readDerivedLoo } from './derived-loo.js';

/** Absolute up to 1, relative above. */
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
      const outputs = columns.map((column) => ({ name: column, block: 'parameters' as const }));
      const fit = openFit({
        program: 'recorded',
        outputs,
        asked: {
          function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
          arguments: {},
          random_seed: 1,
          created: '',
        },
        columns,
        diagnosticColumns: [],
        chains: chains.map((values, index) => ({
          id: index + 1,
          warmup: 0,
          draws: values.length / columns.length,
          values: Float64Array.from(values),
          diagnostics: new Float64Array(),
          initial: undefined,
          adapted: undefined,
          comments: [],
        })),
      });
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
