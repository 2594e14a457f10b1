import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseStanData } from '../formats/stan-json.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import { algorithms, findAlgorithm } from '../inference/algorithms/registry.js';
import { RecordingSink } from '../inference/testing/recording-sink.js';
import { compiler, models } from '../node/engine.js';
import { sharing } from '../node/sharing.js';
import type { CompilationOptions } from './compiler.js';
import type { EngineModel, ModelHost, SliceOrder, SliceThreads } from './model-host.js';
import type { RunInputs } from './request.js';
import { runFunction } from './run-function.js';
import { performSlices } from './slice-helper.js';
import { SlicedModel, sliceCount } from './sliced-model.js';

const FORM = { propto: true, jacobian: true };
const LIMITS = { maximumMemory: 2 ** 30 };

const ROWS = 8000;
const DATA = JSON.stringify({
  N: ROWS,
  x: Array.from({ length: ROWS }, (_, n) => Math.sin(3 * n)),
  y: Array.from({ length: ROWS }, (_, n) => Math.cos(n * n)),
  k: Array.from({ length: ROWS }, (_, n) => (n * n) % 7),
  g: Array.from({ length: ROWS }, (_, n) => 1 + (n % 5)),
});
const DECLARED = 'data { int N; vector[N] x; vector[N] y; array[N] int k; array[N] int g; }';

const JOBS = `functions { vector job(vector p, vector t, data array[] real x, data array[] int k) {
    if (p[1] > 3) reject("job ", k[1], " refuses");
    real lp = 0;
    for (i in 1:size(x)) lp += -cosh(p[1] * x[i] - t[1] * k[1]) - log1p_exp(p[2] * x[i]) - cosh(sinh(p[2] * x[i] - t[1])) - tanh(p[1] + x[i]);
    return [lp, p[2] * t[1]]';
  } }
  ${DECLARED} transformed data {
    int J = N %/% 100;
    array[J, 100] real u;
    array[J, 1] int m;
    for (j in 1:J) { m[j, 1] = j; for (i in 1:100) u[j, i] = x[100 * (j - 1) + i]; }
  }
  parameters { vector[2] p; vector[5] t; }
  transformed parameters { array[J] vector[1] shifts; for (j in 1:J) shifts[j, 1] = 0.001 * t[1 + j % 5]; }`;

/** Programs that are costly enough for slices. */
const PROGRAMS: Readonly<Record<string, string>> = {
  regression: `${DECLARED} parameters { real a; real b; real<lower=0> s; real<lower=0> nu; }
    model { nu ~ gamma(2, 0.1); y ~ student_t(nu, a + b * x, s); y ~ student_t(nu, a - b * x, s); x ~ student_t(nu, y * b, s);
      y ~ student_t(nu + 1, a * x, s); x ~ student_t(nu + 1, a * y, s); }`,
  'a mixture': `${DECLARED} parameters { ordered[2] m; vector<lower=0>[2] s; real<lower=0, upper=1> p; }
    model { for (n in 1:N) target += log_mix(p, normal_lpdf(y[n] | m[1], s[1]), normal_lpdf(y[n] | m[2], s[2]));
      for (n in 1:N) target += log_mix(p, normal_lpdf(x[n] | m[1], s[1]), normal_lpdf(x[n] | m[2], s[2])); }`,
  groups: `${DECLARED} parameters { vector[5] z; real m; real<lower=0> t; real<lower=0> phi; }
    model { vector[5] a = m + t * z; z ~ normal(0, 1); t ~ normal(0, 1); phi ~ gamma(2, 1);
      k ~ neg_binomial_2_log(a[g] + 0.3 * x, phi); k ~ neg_binomial_2_log(a[g] + 0.2 * y, phi); k ~ neg_binomial_2_log(a[g] - 0.1 * y, phi); }`,
  'jobs of map_rect': `${JOBS} model { t ~ normal(0, 1); target += 0.5 * sum(map_rect(job, p, shifts, u, m)); }`,
};

function compiledOf(program: string, options: CompilationOptions = {}) {
  const compiled = compiler.compile({ program, includes: {} }, { ...options, slices: true });
  assert.ok(compiled.compiled, compiled.compiled ? '' : compiled.text);
  return { id: 'm', artifact: compiled.artifact, module: new WebAssembly.Module(new Uint8Array(compiled.wasm)) };
}

function modelOf(model: ReturnType<typeof compiledOf>, data = DATA): EngineModel {
  return models.instantiate(model, parseStanData(data), { seed: 1, print: () => {}, ...LIMITS });
}

function orderOf(model: ReturnType<typeof compiledOf>, data = DATA): Omit<SliceOrder, 'sizes' | 'buffer' | 'thread'> {
  return { model, data, seed: 1, ...LIMITS };
}

/** Threads of this process, of which there may be more than it has processors. */
const THREADS: SliceThreads = { ...sharing.sliceThreads, cores: 3 };

/** Evaluates until helpers have done some slices: `own` is the number that the model itself has done. */
function evaluateUntilHelped(sliced: SlicedModel, own: () => number, evaluate: () => void): void {
  for (;;) {
    const before = own();
    evaluate();
    if (own() - before < sliced.slices) return;
  }
}

/** The model, with a count of its evaluations of densities and gradients. */
function counted(model: EngineModel): { readonly model: EngineModel; readonly evaluations: () => number } {
  let evaluations = 0;
  const counting = new Proxy(model, {
    get: (of, name) => {
      const member: unknown = Reflect.get(of, name, of);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (name === 'logDensityGradient' || name === 'logDensity') evaluations++;
        return Reflect.apply(member, of, args);
      };
    },
  });
  return { model: counting, evaluations: () => evaluations };
}

describe('a model in slices', () => {
  const cases = Object.values(PROGRAMS).flatMap((program) => [1, 2].map((count) => ({ program, count })));
  it('has the same bits with helpers as without, at every position', () => {
    for (const { count, program } of cases) {
      const compiled = compiledOf(program);
      const alone = new SlicedModel(modelOf(compiled), 8);
      const own = counted(modelOf(compiled));
      const together = new SlicedModel(own.model, 8, { count, threads: THREADS, order: orderOf(compiled) });
      try {
        const { dimension } = alone;
        const [start, found] = [new Float64Array(dimension), new Float64Array(dimension)];
        evaluateUntilHelped(together, own.evaluations, () => together.logDensityGradient(start, found, FORM));
        evaluateUntilHelped(together, own.evaluations, () => together.logDensity(start, FORM));
        for (let k = 0; k < 50; k++) {
          const position = Float64Array.from({ length: dimension }, (_, i) => 0.5 * Math.sin(k + 3 * i));
          const [expected, gradient] = [new Float64Array(dimension), new Float64Array(dimension)];
          const value = alone.logDensityGradient(position, expected, FORM);
          assert.equal(together.logDensityGradient(position, gradient, FORM), value);
          assert.deepEqual(gradient, expected);
          assert.equal(together.logDensity(position, FORM), value);
        }
      } finally {
        together.close();
      }
    }
  });

  it('reports the failure that comes first in the program, whichever slice finds it', () => {
    const program = `${DECLARED} parameters { real a; real b; }
      model {
        for (n in 1:N) { if (a > 1 && n == N) reject("a at row ", n); target += -cosh(a - y[n]); }
        for (n in 1:N) { if (b > 1 && n == 2) reject("b at row ", n); target += -cosh(b - x[n]); }
        if (a + b > 5) reject("both");
      }`;
    const compiled = compiledOf(program);
    const whole = modelOf(compiled);
    const own = counted(modelOf(compiled));
    const sliced = new SlicedModel(own.model, 8, { count: 1, threads: THREADS, order: orderOf(compiled) });
    try {
      const [start, found] = [new Float64Array(2), new Float64Array(2)];
      evaluateUntilHelped(sliced, own.evaluations, () => sliced.logDensityGradient(start, found, FORM));
      for (const position of [
        [2, 0],
        [0, 2],
        [2, 2],
        [4, 4],
        [0.5, 0.5],
      ].map((each) => Float64Array.from(each))) {
        const outcome = (model: EngineModel): unknown => {
          try {
            return model.logDensityGradient(position, new Float64Array(2), FORM);
          } catch (error) {
            return models.blame(error);
          }
        };
        const [expected, divided] = [outcome(whole), outcome(sliced)];
        if (typeof expected !== 'number') assert.deepEqual(divided, expected);
        else assert.ok(typeof divided === 'number' && Math.abs(divided - expected) < 1e-9 * Math.abs(expected));
      }
    } finally {
      sliced.close();
    }
  });

  it('reports the rejection of the first job, whichever slice finds it', () => {
    const program = `${JOBS} model { target += sum(map_rect(job, p, shifts, u, m)); if (p[2] > 1) reject("later"); }`;
    const compiled = compiledOf(program);
    const own = counted(modelOf(compiled));
    const sliced = new SlicedModel(own.model, 8, { count: 2, threads: THREADS, order: orderOf(compiled) });
    try {
      const gradient = new Float64Array(7);
      const position = new Float64Array(7);
      evaluateUntilHelped(sliced, own.evaluations, () => sliced.logDensityGradient(position, gradient, FORM));
      position.set([4, 2]);
      for (let k = 0; k < 20; k++) {
        assert.throws(() => sliced.logDensityGradient(position, gradient, FORM), /job 1 refuses/);
      }
    } finally {
      sliced.close();
    }
  });

  it('computes the slices of a helper that has no memory, and all of them if no helper starts', () => {
    const compiled = compiledOf(PROGRAMS.regression);
    const alone = new SlicedModel(modelOf(compiled), 4);
    const position = new Float64Array(alone.dimension);
    const expected = new Float64Array(alone.dimension);
    const value = alone.logDensityGradient(position, expected, FORM);
    const order = { ...orderOf(compiled), maximumMemory: 2 ** 16 };
    for (const threads of [THREADS, { cores: 2, start: () => undefined }]) {
      const sliced = new SlicedModel(modelOf(compiled), 4, { count: 1, threads, order });
      const gradient = new Float64Array(alone.dimension);
      assert.equal(sliced.logDensityGradient(position, gradient, FORM), value);
      assert.deepEqual(gradient, expected);
      sliced.close();
      assert.equal(sliced.logDensity(position, FORM), value);
    }
  });

  it('passes places of coordinates to helpers', () => {
    const program = `${DECLARED} parameters { real m; real<lower=0> t; cholesky_factor_corr[2] L; vector[5] a; array[2] vector[2] b; }
      model { m ~ normal(0, 1); t ~ normal(0, 1); a ~ normal(m, t); b ~ multi_normal_cholesky([m, 1], t * L);
        y ~ student_t(4, a[g] .* x + b[1, 2], 1); }`;
    const compiled = compiledOf(program, { reparameterizes: true });
    const orders: SliceOrder[] = [];
    const alone = new SlicedModel(modelOf(compiled), 4);
    const sliced = new SlicedModel(modelOf(compiled), 4, {
      count: 1,
      threads: { cores: 2, start: (order) => orders.push(order) },
      order: orderOf(compiled),
    });
    const places = Float64Array.from({ length: 18 }, (_, i) => 0.3 + 0.03 * i);
    for (const { centering } of [alone, sliced]) centering?.setPlaces(places);
    const board = orders[0];
    assert.deepEqual(board.sizes.places, 18);
    const position = Float64Array.from({ length: alone.dimension }, (_, i) => Math.sin(i));
    const gradient = new Float64Array(alone.dimension);
    const value = alone.logDensityGradient(position, gradient, FORM);
    assert.equal(sliced.logDensityGradient(position, new Float64Array(alone.dimension), FORM), value);
    sliced.close();
    performSlices(models, board);
  });
});

describe('the number of slices', () => {
  it('is a power of two, and 1 where slices do not pay', () => {
    assert.equal(sliceCount(undefined, 5), 1);
    assert.equal(sliceCount({ divided: 50_000, shared: 0 }, 5), 1);
    assert.equal(sliceCount({ divided: 1e6, shared: 1e6 }, 5), 1);
    assert.equal(sliceCount({ divided: 1e6, shared: 10 }, 5), 16);
    assert.equal(sliceCount({ divided: 1e6, shared: 10_000 }, 5), 4);
    assert.equal(sliceCount({ divided: Number.NaN, shared: 0 }, 5), 1);
  });
});

describe('a function in slices', () => {
  const MCMC = 'stan::services::sample::hmc_nuts_diag_e_adapt';
  const SHORT = { num_warmup: 20, num_samples: 10, max_depth: 4 };
  const FEW = { iter: 10, output_samples: 10, grad_samples: 1, elbo_samples: 10 };
  /** Functions of each type, with arguments that make them fast. */
  const FUNCTIONS: readonly (readonly [name: string, given: Readonly<Record<string, ArgumentValue>>])[] = [
    ['leapfrog::services::sample::recommended', SHORT],
    ['stan::services::optimize::lbfgs', { iter: 10 }],
    ['stan::services::optimize::newton', { iter: 3 }],
    ['stan::services::laplace_sample', { draws: 20 }],
    ['stan::services::experimental::advi::meanfield', FEW],
    ['stan::services::pathfinder::pathfinder_lbfgs_single', { max_lbfgs_iters: 5, num_draws: 10 }],
    ['stan::services::diagnose::diagnose', {}],
  ];

  /** The complete output of a run of a function, and the boards of its helpers. */
  function outputOf(
    functionName: string,
    program: string,
    given: Readonly<Record<string, ArgumentValue>>,
    inputs: RunInputs,
  ) {
    const started: SliceOrder[] = [];
    const start = (order: SliceOrder): void => {
      started.push(order);
      THREADS.start(order);
    };
    const host: ModelHost = { ...models, sliceThreads: { ...THREADS, start } };
    const secondDerivatives = findAlgorithm(functionName)?.takesHessian === true;
    const model = compiledOf(program, { secondDerivatives });
    const run = { model, data: DATA, inputs, limits: LIMITS, seed: 3, chain: 1, index: 0, cores: 3 };
    const sink = new RecordingSink();
    const outcome = runFunction(host, functionName, { ...run, arguments: given }, { open: () => sink });
    assert.equal(outcome.kind, 'finished', JSON.stringify(outcome));
    const remarks = sink.remarks.filter((text) => !text.startsWith('Elapsed Time'));
    return { started, draws: sink.draws, diagnostics: sink.diagnostics, remarks };
  }

  /** Runs a function with one, two and three threads, and compares the outputs. */
  function compare(name: string, program: string, given: Readonly<Record<string, ArgumentValue>>, inputs: RunInputs) {
    const [one, two, three] = [1, 2, 3].map((threads) =>
      outputOf(name, program, { ...given, threads_per_chain: threads }, inputs),
    );
    assert.deepEqual(
      [one, two, three].map(({ started }) => started.length),
      [0, 1, 2],
    );
    assert.ok(two.started[0].sizes.slices > 1);
    for (const { diagnostics, draws, remarks } of [two, three]) {
      assert.deepEqual(draws, one.draws);
      assert.deepEqual(diagnostics, one.diagnostics);
      assert.deepEqual(remarks, one.remarks);
    }
    return one;
  }

  for (const [name, program] of Object.entries(PROGRAMS)) {
    it(`has the same draws with one, two and three threads: ${name}`, () => {
      assert.equal(compare(MCMC, program, SHORT, {}).draws.length, 10);
    });
  }

  it('writes the same with one, two and three threads, whichever kind of function it is', () => {
    const mode = { kind: 'values', text: JSON.stringify({ a: 0, b: 0, s: 0.6, nu: 20 }) } as const;
    for (const [name, given] of FUNCTIONS) {
      const inputs: RunInputs = name === 'stan::services::laplace_sample' ? { mode } : { init: mode };
      compare(name, PROGRAMS.regression, given, inputs);
    }
  });

  it('takes threads in every function that evaluates the log density', () => {
    const others = algorithms.filter((each) => !each.arguments.some(({ name }) => name === 'threads_per_chain'));
    assert.deepEqual(
      others.map(({ functionName }) => functionName),
      ['stan::services::sample::fixed_param', 'stan::services::standalone_generate'],
    );
  });
});
