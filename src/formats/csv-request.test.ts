import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { algorithms } from '../inference/algorithms/registry.js';
import { csvConfiguration } from './csv-configuration.js';
import { csvRequest } from './csv-request.js';

describe('the request in a CSV file', () => {
  const headOf = (name: string, settings: Readonly<Record<string, string | number | boolean>> = {}) =>
    csvConfiguration(
      { function: name, arguments: settings, seed: 7, created: '2020-01-02T03:04:05.678Z' },
      'coin',
      [1],
    ).split('\n');

  it('has the function of each algorithm that CmdStan runs', () => {
    for (const { name, functionName } of algorithms.filter(
      ({ name }) => !['diagnose', 'recommended', 'tempered'].includes(name),
    ))
      assert.equal(csvRequest(headOf(name)).function, functionName);
  });

  it('names the sampler with a low-rank metric for the recommended one, which CmdStan has no word for', () => {
    assert.match(csvRequest(headOf('recommended')).function ?? '', /::hmc_nuts_low_rank_adapt$/);
  });

  it('has the arguments under their names in the services', () => {
    const given = { num_warmup: 500, num_thin: 2, save_warmup: true, delta: 0.95, max_depth: 12 };
    const { arguments: found } = csvRequest(headOf('hmc_nuts_dense_e_adapt', given));
    for (const [name, value] of Object.entries({ ...given, random_seed: 7, num_samples: 1000 }))
      assert.equal(found[name], value, name);
  });

  it('has no function for comments of other programs', () => {
    assert.equal(csvRequest(['# made by hand', '# method']).function, undefined);
  });
});
