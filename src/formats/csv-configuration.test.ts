import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { algorithms } from '../inference/algorithms/registry.js';
import { csvConfiguration } from './csv-configuration.js';

const record = (name: string, settings: Readonly<Record<string, number | boolean | string>> = {}) => ({
  function: name,
  arguments: settings,
  seed: 4294967295,
  created: '2020-01-02T03:04:05.678Z',
});
const lines = (...given: Parameters<typeof csvConfiguration>) =>
  csvConfiguration(...given)
    .trimEnd()
    .split('\n');

// Expected lines: the trees of CmdStan's own argument classes.
describe('the configuration at the head of a CSV file', () => {
  it('is the argument tree of the method, with defaults marked', () => {
    const [first, ...found] = lines(record('lbfgs', { iter: 50, tol_rel_grad: 1e7, tol_obj: 1e-12 }), 'm', [1]);
    assert.equal(first, '# stan_version_major = 2');
    assert.deepEqual(found.slice(2, 30), [
      '# model = m_model',
      '# start_datetime = 2020-01-02 03:04:05 UTC',
      '# method = optimize',
      '#   optimize',
      '#     algorithm = lbfgs (Default)',
      '#       lbfgs',
      '#         init_alpha = 0.001 (Default)',
      '#         tol_obj = 1e-12 (Default)',
      '#         tol_rel_obj = 10000 (Default)',
      '#         tol_grad = 1e-08 (Default)',
      '#         tol_rel_grad = 1e+07 (Default)',
      '#         tol_param = 1e-08 (Default)',
      '#         history_size = 5 (Default)',
      '#     jacobian = false (Default)',
      '#     iter = 50',
      '#     save_iterations = false (Default)',
      '# id = 1 (Default)',
      '# data',
      '#   file =  (Default)',
      '# init = 2 (Default)',
      '# random',
      '#   seed = 4294967295',
      '# output',
      '#   file = output.csv (Default)',
      '#   diagnostic_file =  (Default)',
      '#   refresh = 100 (Default)',
      '#   sig_figs = 17',
      '#   profile_file = profile.csv (Default)',
    ]);
  });

  it('has the arguments of samplers without adaptation, and of those without arguments', () => {
    const unadapted = lines(record('hmc_static_unit_e', { int_time: 2 }), 'm', [2, 3]);
    for (const line of [
      '#       engaged = false',
      '#         engine = static',
      '#             int_time = 2',
      '#         metric = unit_e',
      '#         metric_file =  (Default)',
      '#     num_chains = 2',
      '# id = 2',
    ]) {
      assert.ok(unadapted.includes(line), line);
    }
    // CmdStan's arguments without values, such as unit_e, have no line.
    assert.ok(!unadapted.includes('#           unit_e'));
  });

  it('also names a metric for fixed_param, which CmdStanPy requires', () => {
    const fixed = lines(record('fixed_param'), 'm', [1]);
    const place = fixed.indexOf('#     algorithm = fixed_param');
    assert.deepEqual(fixed.slice(place + 1, place + 3), ['#       metric = unit_e', '#     num_chains = 1 (Default)']);
  });

  it('writes booleans as words', () => {
    const settings = { save_warmup: true };
    assert.ok(lines(record('hmc_nuts_diag_e_adapt', settings), 'm', [1]).includes('#     save_warmup = true'));
    assert.ok(lines(record('lbfgs', { jacobian: true }), 'm', [1]).includes('#     jacobian = true'));
  });

  it('names the files of a run', () => {
    const files = { data: 'd.json', init: 'i.json', mode: 'mode.csv', significantDigits: 8, chains: 4 };
    const found = lines(record('laplace_sample'), 'm', [1], files);
    for (const line of ['#   file = d.json', '# init = i.json', '#     mode = mode.csv', '#   sig_figs = 8 (Default)'])
      assert.ok(found.includes(line), line);
  });

  it('exists for every algorithm', () => {
    for (const { functionName } of algorithms)
      assert.ok(lines(record(functionName), 'm', [1]).length > 20, functionName);
  });
});
