import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MODEL_CASES, type ModelCase, readCases } from '../reference/stan.js';
import { TestServer } from './harness.js';

const NAMES: ReadonlySet<string> = new Set([
  'eight_schools_noncentered',
  'empty_containers',
  'garch_1_1',
  'linear_regression_predictive',
  'missing_data_bivariate',
  'row_stochastic_hmm',
  'sum_to_zero_multilevel_logit',
]);

interface Expected {
  readonly constrained_names: readonly string[];
  /** Random values are null. */
  readonly points: readonly { readonly write_array?: readonly (number | string | null)[] }[];
}

describe('generated quantities on their own', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 60_000, workerMemory: 1024 });
  });
  after(() => server.remove());

  async function drawsOf(model: string, request: object): Promise<{ name: string; draws: Record<string, unknown>[] }> {
    const started = await server.post(`${model}/fits`, request);
    assert.equal(started.status, 201, started.text);
    const { name } = (await server.finished(started.json.name)).json.result;
    const lines = (await server.get(`/v1/${name}`)).text.trim().split('\n');
    const messages = lines.map((line) => JSON.parse(line));
    const draws = messages.filter(({ topic, values }) => topic === 'sample' && !Array.isArray(values));
    return { name, draws: draws.map(({ values }) => values) };
  }

  for (const { name, files } of readCases<ModelCase>(MODEL_CASES).filter((each) => NAMES.has(each.name))) {
    test(`of ${name} equal those of the fit itself, every draw to the last bit, except random quantities`, async () => {
      const expected: Expected = JSON.parse(files['expected.json']);
      const model = await server.model(files['model.stan']);
      const data = JSON.parse(files['data.json']);
      const sampler = 'stan::services::sample::hmc_nuts_diag_e_adapt';
      const fit = await drawsOf(model, { function: sampler, data, random_seed: 1, num_warmup: 100, num_samples: 50 });
      const generate = {
        function: 'stan::services::standalone_generate',
        data,
        random_seed: 1,
        fitted_params: fit.name,
      };
      const { draws } = await drawsOf(model, generate);
      assert.equal(draws.length, 50);
      const values = expected.points.map((point) => point.write_array).find((array) => array !== undefined) ?? [];
      const certain = Object.keys(draws[0]).filter((column) => {
        return values[expected.constrained_names.indexOf(column)] !== null;
      });
      assert.ok(certain.length > 0, 'nothing is certain');
      for (const [index, draw] of draws.entries()) {
        for (const column of certain)
          assert.equal(draw[column], fit.draws[index][column], `${column} of draw ${index}`);
      }
    });
  }
});
