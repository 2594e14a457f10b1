import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile, isCompiled } from '../compile.js';
import type { JsonData } from '../formats/stan-json.js';
import { loadKernels } from '../node/kernels.js';
import type { BoundData } from './bind.js';
import { instantiate, instantiateBound, type Model } from './model.js';

const { library, linear: linearBytes } = loadKernels();
const linear = new WebAssembly.Module(linearBytes);
const FORM = { propto: true, jacobian: true };

const PROGRAM = `data { int N; vector[N] y; array[N] int<lower=1, upper=3> g; real scale; }
transformed data {
  vector[N] noise;
  for (n in 1:N) noise[n] = normal_rng(0, scale);
  print("bound ", N);
}
parameters { vector[3] a; real<lower=0> s; }
model { y ~ normal(a[g] + noise, s); for (n in 1:N) target += student_t_lpdf(y[n] | 4, a[g[n]], s); }
generated quantities { real replicated = normal_rng(a[1] + noise[N], s); }`;

function compiled(program: string) {
  const result = compile(program, library);
  assert.ok(isCompiled(result));
  const module = new WebAssembly.Module(result.wasm);
  const options = (printed: string[]) => ({ print: (text: string) => printed.push(text) });
  return {
    bind: (data: JsonData, printed: string[] = []) =>
      instantiate(result.artifact, module, linear, data, { seed: 7, ...options(printed) }),
    copy: (bound: BoundData, printed: string[] = []) =>
      instantiateBound(result.artifact, module, linear, bound, options(printed)),
  };
}

function boundOf(model: Model): BoundData {
  const bound = model.bound();
  assert.ok(bound !== undefined);
  return structuredClone(bound);
}

describe('bound data', () => {
  const rows = 200;
  const data = {
    N: rows,
    y: Array.from({ length: rows }, (_, n) => Math.sin(n)),
    g: Array.from({ length: rows }, (_, n) => 1 + (n % 3)),
    scale: 0.3,
  };

  it('make models with the same densities, gradients and draws, bit for bit', () => {
    const { bind, copy } = compiled(PROGRAM);
    const original = bind(data);
    const other = copy(boundOf(original));
    const position = Float64Array.of(0.3, -0.2, 0.5, 0.1);
    const resultsOf = (model: Model) => {
      const gradient = new Float64Array(model.dimension);
      const value = model.logDensityGradient(position, gradient, FORM);
      const draw = new Float64Array(model.constrainedNames({ generatedQuantities: true }).length);
      model.seedRandom(3, 1);
      model.writeArray(position, draw, { generatedQuantities: true });
      return [value, model.unoptimizedLogDensity(position, FORM), ...gradient, ...draw];
    };
    assert.deepEqual(resultsOf(other), resultsOf(original));
  });

  it('can be taken after evaluations', () => {
    const { bind, copy } = compiled(PROGRAM);
    const original = bind(data);
    const position = Float64Array.of(0.3, -0.2, 0.5, 0.1);
    const value = original.logDensity(position, FORM);
    assert.equal(copy(boundOf(original)).logDensity(position, FORM), value);
  });

  it('print again what transformed data have printed', () => {
    const { bind, copy } = compiled(PROGRAM);
    const [first, second]: string[][] = [[], []];
    copy(boundOf(bind(data, first)), second);
    assert.deepEqual(first, [`bound ${rows}\n`]);
    assert.deepEqual(second, first);
  });

  it('keep the failure of a check of data', () => {
    const program =
      'data { real y; real s; } parameters { real m; } model { m ~ normal(0, 1); y ~ normal(1, s); target += m; }';
    const { bind, copy } = compiled(program);
    const original = bind({ y: 1, s: -1 });
    const messageOf = (model: Model): string => {
      try {
        model.logDensity(Float64Array.of(0), FORM);
        return '';
      } catch (error) {
        return String(error);
      }
    };
    assert.match(messageOf(original), /Scale parameter is -1, but must be positive/);
    assert.equal(messageOf(copy(boundOf(original))), messageOf(original));
  });

  it('are not copied without leave', () => {
    const original = compiled(PROGRAM).bind(data);
    const asked: number[] = [];
    const answer = original.bound((bytes) => asked.push(bytes) < 1);
    assert.equal(answer, undefined);
    assert.deepEqual(asked, [original.bound()?.memory.length]);
  });

  it('include only globals that evaluations read', () => {
    const statements = Array.from({ length: 20 }, (_, k) => `real x${k} = y + ${k};`).join(' ');
    const sum = Array.from({ length: 20 }, (_, k) => `x${k}`).join(' + ');
    const globalsOf = (more: string) => {
      const { bind } = compiled(
        `data { real y; } transformed data { ${statements} real s = ${sum}; } parameters { real m; } model { m ~ normal(s, 1); } ${more}`,
      );
      return boundOf(bind({ y: 1 })).globals.length;
    };
    const few = globalsOf('');
    const many = globalsOf(`generated quantities { real t = ${sum}; }`);
    assert.equal(many - few, 20);
  });

  it('keep the times of profile blocks', () => {
    const program =
      'transformed data { real x; profile("sum") { x = 1; } } parameters { real m; } model { m ~ normal(x, 1); }';
    const { bind, copy } = compiled(program);
    const original = bind({});
    assert.deepEqual(copy(boundOf(original)).profiles(), original.profiles());
    assert.equal(original.profiles()[0]?.runs, 1);
  });
});

describe('the memory of a model', () => {
  const rows = 400_000;
  const mixture = `data { int N; vector[N] y; } parameters { real<lower=0, upper=1> p; ordered[2] m; real<lower=0> s; }
    model { for (n in 1:N) target += log_mix(p, normal_lpdf(y[n] | m[1], s), normal_lpdf(y[n] | m[2], s)); }`;
  const curve = `data { int N; vector[N] t; vector[N] y; } parameters { real<lower=0> v; real<lower=0> k; real<lower=0> s; }
    model { y ~ normal(v * (1 - exp(-k * t)), s); }`;
  const y = Array.from({ length: rows }, (_, n) => Math.sin(n));
  const t = y.map((_, n) => 0.25 * (n % 40));

  it('does not include the lists with which rows are compared', () => {
    for (const [program, data, doubles] of [
      [mixture, { N: rows, y }, rows],
      [curve, { N: rows, t, y }, 2 * rows],
    ] as const) {
      const model = compiled(program).bind(data);
      model.logDensityGradient(new Float64Array(model.dimension).fill(0.1), new Float64Array(model.dimension), FORM);
      assert.ok(model.memoryBytes < 3 * 8 * doubles, `${model.memoryBytes} bytes for ${doubles} numbers`);
    }
  });

  it('is claimed once, and what only binding needs is returned', () => {
    const result = compile(mixture, library);
    assert.ok(isCompiled(result));
    let claimed = 0;
    let most = 0;
    const model = instantiate(
      result.artifact,
      new WebAssembly.Module(result.wasm),
      linear,
      { N: rows, y },
      {
        seed: 1,
        print: () => undefined,
        claimMemory: (bytes) => {
          claimed += bytes;
          most = Math.max(most, claimed);
          return true;
        },
        returnMemory: (bytes) => {
          claimed -= bytes;
        },
      },
    );
    assert.equal(claimed, model.memoryBytes);
    assert.ok(most > model.memoryBytes && most < 8 * 5 * rows, `${most} bytes`);
  });
});
