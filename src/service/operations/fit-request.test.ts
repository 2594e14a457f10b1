import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonText } from '../../formats/stan-json.js';
import { algorithms } from '../../inference/algorithms/registry.js';
import { describeFunction } from '../../requests/functions.js';
import { fitNameOf } from '../store/operation-resource.js';
import { type FitRequest, readFitRequest } from './fit-request.js';

const SAMPLER = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const GENERATE = 'stan::services::standalone_generate';
const FIT = '"models/a/fits/b"';

function requestOf(body: object): FitRequest {
  const read = readFitRequest(body);
  if ('details' in read) throw new Error(JSON.stringify(read.details));
  return read.request;
}

function fieldsRefused(body: unknown): string[] {
  const read = readFitRequest(body);
  return 'details' in read ? read.details.map(({ field }) => field) : [];
}

describe('a request for a fit', () => {
  it('has every argument with its default, and one entry per chain', () => {
    const request = requestOf({ function: SAMPLER, num_chains: 3, chain: 2, delta: 0.9 });
    assert.deepEqual(request.chains, [2, 3, 4]);
    assert.equal(request.seed, undefined);
    assert.equal(request.data, '{}');
    assert.deepEqual(request.inputs, {});
    assert.equal(request.arguments.delta, 0.9);
    assert.equal(request.arguments.num_samples, 1000);
    assert.ok(!('num_chains' in request.arguments) && !('random_seed' in request.arguments));
  });

  it('keeps draws until a cancellation if its chains can be continued', () => {
    assert.equal(requestOf({ function: SAMPLER, on_cancel: 'keep' }).keeps, true);
    assert.equal(requestOf({ function: SAMPLER, on_cancel: 'delete' }).keeps, undefined);
    assert.deepEqual(fieldsRefused({ function: SAMPLER, on_cancel: true }), ['/on_cancel']);
    assert.deepEqual(fieldsRefused({ function: GENERATE, fitted_params: new JsonText(FIT), on_cancel: 'keep' }), [
      '/on_cancel',
    ]);
    assert.equal(requestOf({ function: SAMPLER, continue: new JsonText(FIT), on_cancel: 'keep' }).keeps, true);
  });

  it('names functions with either prefix, or in full', () => {
    assert.equal(requestOf({ function: SAMPLER.replace('stan', 'engine') }).function, SAMPLER);
    for (const name of ['hmc_nuts_diag_e_adapt', 7, undefined]) {
      assert.deepEqual(fieldsRefused({ function: name }), ['/function']);
    }
    for (const body of [undefined, null, [], 'x']) assert.deepEqual(fieldsRefused(body), ['']);
  });

  it('keeps inputs as text, both values and names', () => {
    const values = requestOf({ function: SAMPLER, init: new JsonText('{"theta":1.0}') });
    assert.deepEqual(values.inputs, { init: '{"theta":1.0}' });
    assert.equal(fitNameOf(values.inputs.init ?? ''), undefined);
    const named = requestOf({ function: GENERATE, fitted_params: new JsonText(FIT) });
    assert.equal(fitNameOf(named.inputs.fitted_params ?? ''), 'models/a/fits/b');
  });

  it('accepts the inputs of its function, and requires the mandatory ones', () => {
    assert.deepEqual(fieldsRefused({ function: GENERATE }), ['/fitted_params']);
    assert.deepEqual(fieldsRefused({ function: SAMPLER, mode: new JsonText('{}') }), ['/mode']);
    for (const text of ['[]', '3', '"theta"', 'null']) {
      assert.deepEqual(fieldsRefused({ function: SAMPLER, init: new JsonText(text) }), ['/init'], text);
    }
    for (const text of ['{}', '[]', '"theta"']) {
      assert.deepEqual(fieldsRefused({ function: SAMPLER, warm_start: new JsonText(text) }), ['/warm_start']);
    }
    for (const text of ['{}', '3', '"theta"']) {
      assert.deepEqual(fieldsRefused({ function: GENERATE, fitted_params: new JsonText(text) }), ['/fitted_params']);
    }
  });

  it('has several chains if its function is a sampler', () => {
    for (const algorithm of algorithms) {
      const fit = new JsonText(FIT);
      const inputs = {
        init: new JsonText('{}'),
        warm_start: fit,
        continue: fit,
        mode: new JsonText('{}'),
        fitted_params: fit,
      };
      const needed = algorithm.inputs.map((name) => [name, inputs[name]]);
      const body = { function: algorithm.functionName, num_chains: 2, ...Object.fromEntries(needed) };
      const expected = algorithm.functionName.includes('::sample::') ? [] : ['/num_chains'];
      assert.deepEqual(fieldsRefused(body), expected, algorithm.name);
    }
    assert.deepEqual(fieldsRefused({ function: SAMPLER, chain: 2 ** 31 - 1, num_chains: 2 }), ['/chain']);
  });

  it('names one or more variables to save', () => {
    assert.deepEqual(requestOf({ function: SAMPLER, save: ['theta'] }).save, ['theta']);
    for (const save of [[], 'theta', [1], {}]) assert.deepEqual(fieldsRefused({ function: SAMPLER, save }), ['/save']);
  });
});

describe('the description of a function', () => {
  it('contains what requests are checked against', () => {
    for (const algorithm of algorithms) {
      const described = describeFunction(algorithm);
      assert.deepEqual(
        described.inputs.map(({ name }) => name),
        algorithm.inputs,
      );
      const names = described.arguments.map(({ name }) => name);
      for (const { name } of algorithm.arguments) assert.ok(names.includes(name), `${algorithm.name} ${name}`);
      assert.equal(new Set(names).size, names.length);
    }
  });
});
