import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile, isCompiled } from '../compile.js';
import type { JsonData } from '../formats/stan-json.js';
import { loadKernels } from '../node/kernels.js';
import type { BoundData, InstantiateOptions } from './bind.js';
import { instantiate, instantiateBound, type Model } from './model.js';
import { instantiateInPlace, type ModelInRegion, sharedModule } from './model-in-region.js';

const { library, linear: linearBytes } = loadKernels();
const linear = new WebAssembly.Module(linearBytes);
const sharedLinear = sharedModule(linearBytes);
const FORM = { propto: true, jacobian: true };
const PAGE = 65536;

type Options = Partial<Omit<InstantiateOptions, 'seed'>>;

function compiled(program: string) {
  const result = compile(program, library);
  assert.ok(isCompiled(result));
  const { artifact, wasm } = result;
  const module = new WebAssembly.Module(wasm);
  const inPlace = () => ({ module: sharedModule(wasm), linear: sharedLinear });
  const quiet = { print: () => undefined };
  return {
    bind: (data: JsonData): Model => instantiate(artifact, module, linear, data, { seed: 7, ...quiet }),
    copy: (bound: BoundData): Model => instantiateBound(artifact, module, linear, bound, quiet),
    share: (bound: BoundData, options: Options = {}): ModelInRegion | undefined =>
      instantiateInPlace({ artifact, module, linear }, inPlace, bound, { ...quiet, ...options }),
  };
}

function boundOf(model: Model): BoundData {
  const bound = model.bound();
  assert.ok(bound !== undefined);
  return structuredClone(bound);
}

const ROWS = 150_000;
const y = Array.from({ length: ROWS }, (_, n) => Math.sin(n));
const t = y.map((_, n) => 0.25 * (n % 40_000));
const data = { N: ROWS, t, y };

/** A program that reads every row in each evaluation, and calls functions, kernels with scratch memory, and random number generators. */
const CURVE = `functions {
  real decline(real k, real x) { if (x < 0) reject("x is ", x); return x > 1e9 ? decline(k, x / 2) : exp(-k * x); }
}
data { int N; vector[N] t; vector[N] y; }
transformed data { vector[N] noise; for (n in 1:N) noise[n] = normal_rng(0, 0.01); }
parameters { real<lower=0> v; real<lower=0> k; real<lower=0> s; cholesky_factor_corr[40] L; }
model {
  vector[N] mu;
  for (n in 1:N) mu[n] = v * (1 - decline(k, t[n]));
  y ~ normal(mu + noise, s);
  L ~ lkj_corr_cholesky(2);
  target += -0.001 * sum(square(multiply_lower_tri_self_transpose(L) * rep_vector(v, 40)));
}
generated quantities {
  real replicated = normal_rng(v * (1 - exp(-k * t[N])), s);
  real spread = sum(eigenvalues_sym(tcrossprod(L) * v));
  vector[3] first = t[1:3] + y[1:3];
}`;

/** Values, gradients and draws at three points. */
function resultsOf(model: Model | ModelInRegion): number[] {
  const parts = { transformedParameters: true, generatedQuantities: true };
  const gradient = new Float64Array(model.dimension);
  const draw = new Float64Array(model.constrainedNames(parts).length);
  model.seedRandom(3, 1);
  return [0.1, -0.3, 0.2].flatMap((start) => {
    const position = Float64Array.from({ length: model.dimension }, (_, i) => start + 0.01 * Math.sin(i));
    const value = model.logDensityGradient(position, gradient, FORM);
    model.writeArray(position, draw, parts);
    const inverse = model.unconstrainDraw(draw.subarray(0, model.constrainedNames().length));
    return [
      value,
      model.logDensity(position, FORM),
      model.unoptimizedLogDensity(position, FORM),
      ...gradient,
      ...draw,
      ...inverse,
    ];
  });
}

describe('models in a memory with shared data', () => {
  it('compute what a model with a copy of the data computes, bit for bit, side by side', () => {
    const { bind, copy, share } = compiled(CURVE);
    const bound = boundOf(bind(data));
    const before = bound.memory.slice();
    const expected = resultsOf(copy(bound));
    const models = Array.from({ length: 5 }, () => share(bound));
    for (let turn = 0; turn < 2; turn++) {
      for (const model of models) {
        assert.ok(model !== undefined);
        assert.deepEqual(resultsOf(model), expected);
      }
    }
    assert.ok(Buffer.compare(before, bound.memory) === 0, 'an evaluation has changed the data');
  });

  it('take only memory for their evaluations', () => {
    const { bind, share } = compiled(
      'data { int N; vector[N] y; } parameters { real m; } model { for (n in 1:N) target += student_t_lpdf(y[n] | 4, m, 1); }',
    );
    const bound = boundOf(bind({ N: ROWS, y }));
    let claimed = 0;
    const claimMemory = (bytes: number): boolean => {
      claimed += bytes;
      return true;
    };
    const model = share(bound, { claimMemory });
    assert.ok(model !== undefined);
    model.logDensityGradient(Float64Array.of(0.1), new Float64Array(1), FORM);
    assert.equal(claimed, model.memoryBytes);
    assert.ok(claimed < bound.memory.length / 2, `${claimed} bytes besides ${bound.memory.length} of data`);
  });

  it('keep to the same limit as with a copy', () => {
    const { bind, share } = compiled(CURVE);
    const bound = boundOf(bind(data));
    const model = share(bound, { maximumMemory: bound.memory.length + 30 * PAGE });
    assert.ok(model !== undefined);
    const { dimension } = model;
    const evaluate = () => model.logDensityGradient(new Float64Array(dimension), new Float64Array(dimension), FORM);
    assert.throws(evaluate, /the model needs more memory than the limit/);
  });

  it('report failures with their own values, locations and open calls', () => {
    const { bind, copy, share } = compiled(CURVE.replace('x < 0', 'k > 2'));
    const bound = boundOf(bind(data));
    const messageOf = (model: Model | ModelInRegion): string => {
      try {
        model.logDensity(new Float64Array(model.dimension).fill(1), FORM);
        return '';
      } catch (error) {
        return String(error);
      }
    };
    const models = [share(bound), share(bound)];
    for (const model of models) {
      assert.ok(model !== undefined);
      assert.match(messageOf(model), /x is 0 .*line 2.*line 9/s);
      assert.equal(messageOf(model), messageOf(copy(bound)));
    }
  });

  it('use regions that others have returned, and none that is in use', () => {
    const { bind, share } = compiled(CURVE);
    const bound = boundOf(bind(data));
    const models: ModelInRegion[] = [];
    for (let model = share(bound); model !== undefined; model = share(bound)) models.push(model);
    assert.equal(models.length, bound.shared?.taken.length);
    const [first, second] = models;
    const expected = resultsOf(first);
    second.close();
    const next = share(bound);
    assert.ok(next !== undefined);
    assert.deepEqual(resultsOf(next), expected);
  });

  it('continue with a copy of the data if the region is full', () => {
    const program = `data { int N; vector[N] y; int M; } parameters { real m; }
      model { vector[M] x = rep_vector(m, M); for (n in 2:M) x[n] = 0.5 * x[n - 1] + m; target += sum(x); y ~ student_t(4, m, 1); }
      generated quantities { real r = normal_rng(m, 1); real last; { vector[6 * M] x = rep_vector(r, 6 * M); last = sum(x); } }`;
    const { bind, copy, share } = compiled(program);
    const unit = 32 * PAGE;
    for (const M of [50_000, 200_000]) {
      const { shared, ...rest } = boundOf(bind({ N: ROWS, y, M }));
      assert.ok(shared !== undefined);
      const bound = { ...rest, shared: { ...shared, unit } };
      const model = share(bound);
      assert.ok(model !== undefined);
      shared.taken.fill(1);
      assert.deepEqual(resultsOf(model), resultsOf(copy(bound)));
      assert.ok(model.memoryBytes > bound.memory.length, 'the model has a copy of the data');
      assert.equal(share(bound), undefined);
    }
  });

  it('do not exist for small data and for programs that print', () => {
    for (const [program, values] of [
      [CURVE, { N: 10, t: t.slice(0, 10), y: y.slice(0, 10) }],
      [CURVE.replace('model {', 'model { print(v);'), data],
    ] as const) {
      const { bind, share } = compiled(program);
      const bound = boundOf(bind(values));
      assert.equal(bound.shared, undefined);
      assert.equal(share(bound), undefined);
    }
  });
});
