/** Whether parameters are integrated out depends on the work of a gradient with the data. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseStanData } from '../../src/formats/stan-json.js';
import { compiler, models } from '../../src/node/engine.js';
import { runChain } from '../support/chain.js';

const REGRESSION = `data { int N; int K; matrix[N, K] X; vector[N] y; }
  transformed data { print("N is ", N); }
  parameters { vector[K] b; real<lower=0> sigma; }
  model { b ~ normal(0, 1); sigma ~ normal(0, 1); y ~ normal(X * b, sigma); }`;

function regressionData(rows: number, columns: number): string {
  const value = (row: number, column: number): number => Math.sin(row * columns + column);
  const X = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => value(row, column)),
  );
  return JSON.stringify({ N: rows, K: columns, X, y: X.map(([first]) => first) });
}

function opened(data: string, printed: string[] = []) {
  const compiled = compiler.compile({ program: REGRESSION, includes: {} }, { integrates: true });
  assert.ok(compiled.compiled);
  const { artifact, wasm } = compiled;
  const program = { artifact, module: new WebAssembly.Module(new Uint8Array(wasm)), wasm: new Uint8Array(wasm) };
  const options = { seed: 1, print: (text: string) => printed.push(text), maximumMemory: 2 ** 30 };
  return { program, options, model: models.instantiate(program, parseStanData(data), options) };
}

describe('parameters are integrated out', () => {
  it('if gradients take little more work', () => {
    const printed: string[] = [];
    const { model } = opened(regressionData(10, 2), printed);
    assert.deepEqual(model.integration?.integrated, ['b']);
    assert.equal(model.dimension, 1);
    assert.deepEqual(printed, ['N is 10\n']);
  });

  it('unless gradients take much more work', () => {
    const printed: string[] = [];
    const { model } = opened(regressionData(10, 40), printed);
    assert.deepEqual(model.integration?.integrated, []);
    assert.equal(model.dimension, 41);
    assert.deepEqual(printed, ['N is 10\n']);
    const [reason] = model.integration?.sampled.filter(({ name }) => name === 'b') ?? [];
    assert.match(reason.reason, /^integrating it out would take \S+ times the work of a gradient$/);
  });

  it('unless more elements depend on one another than the factorization supports', () => {
    const { model } = opened(regressionData(1, 501));
    assert.equal(model.dimension, 502);
    const { draws } = runChain(
      'hmc_nuts_diag_e_adapt',
      { integrate: 'auto', num_warmup: 5, num_samples: 5, refresh: 0 },
      model,
      1,
    );
    assert.equal(draws.length, 5);
  });

  it('or not, equally in models with bound data', () => {
    for (const columns of [2, 40]) {
      const { model, options, program } = opened(regressionData(10, columns));
      const bound = model.bound?.();
      assert.ok(bound !== undefined);
      const again = models.instantiateBound?.(program, bound, options);
      assert.equal(again?.dimension, model.dimension);
      assert.deepEqual(again?.integration?.sampled, model.integration?.sampled);
      const position = new Float64Array(model.dimension).fill(0.1);
      const form = { propto: true, jacobian: true };
      assert.equal(again?.logDensity(position, form), model.logDensity(position, form));
    }
  });
});
