import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoriesOf } from '../../test/support/counted-memories.js';
import { compile, isCompiled } from '../compile.js';
import { loadKernels } from '../node/kernels.js';
import { instantiate, type Model } from './model.js';

const { library, linear: linearBytes } = loadKernels();
const linear = new WebAssembly.Module(linearBytes);
const FORM = { propto: true, jacobian: true };

/** A program whose density would change if an earlier model left values in memory. */
const PROGRAM = `data { int N; vector[N] y; }
transformed data { vector[N] shifted = y + 1; }
parameters { real mu; vector<lower=0>[3] s; }
model { shifted ~ normal(mu, sum(s)); s ~ exponential(1); }
generated quantities { real z = normal_rng(mu, 1); }`;

function opener(): (count: number) => Model {
  const result = compile(PROGRAM, library);
  assert.ok(isCompiled(result));
  const module = new WebAssembly.Module(result.wasm);
  return (count) => {
    const data = { N: count, y: Array.from({ length: count }, (_, n) => Math.cos(n)) };
    return instantiate(result.artifact, module, linear, data, { seed: 3, print: () => undefined });
  };
}

function gradientOf(model: Model): readonly number[] {
  const gradient = new Float64Array(model.dimension);
  const value = model.logDensityGradient(Float64Array.of(0.3, -0.2, 0.1, 0.4), gradient, FORM);
  return [value, ...gradient];
}

describe('memories of models', () => {
  it('are those of models that were closed, with the same results', () => {
    const open = opener();
    const sizes = [3, 2000, 0, 40_000, 7];
    const expected = sizes.map((size) => gradientOf(open(size)));
    const made = memoriesOf(() => {
      for (let round = 0; round < 20; round++) {
        for (const [place, size] of sizes.entries()) {
          const model = open(size);
          assert.deepEqual(gradientOf(model), expected[place]);
          model.close();
        }
      }
    });
    assert.ok(made <= 2, `${made} memories`);
  });

  it('are given to one model at a time, even if one is closed twice', () => {
    const open = opener();
    const closed = open(3);
    closed.close();
    closed.close();
    const [first, second] = [open(3), open(4)];
    const before = gradientOf(first);
    gradientOf(second);
    assert.deepEqual(gradientOf(first), before);
    assert.notDeepEqual(gradientOf(second), before);
  });

  it('are not used by models that were closed', () => {
    const open = opener();
    const [evaluated, fresh] = [open(3), open(3)];
    gradientOf(evaluated);
    for (const model of [evaluated, fresh]) {
      model.close();
      assert.throws(() => gradientOf(model), /the model has been closed/);
      assert.throws(() => model.logDensity(Float64Array.of(0, 0, 0, 0), FORM), /the model has been closed/);
      assert.throws(
        () => model.writeArray(Float64Array.of(0, 0, 0, 0), new Float64Array(5)),
        /the model has been closed/,
      );
    }
  });

  it('are not kept if they are large', () => {
    const open = opener();
    const others = [open(1), open(1), open(1)];
    open(1_000_000).close();
    assert.ok(memoriesOf(() => others.push(open(1))) > 0);
  });
});
