import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import {
  analyze,
  CompileError,
  close,
  compare,
  compile,
  functions,
  openFit,
  openModel,
  RequestError,
  RunError,
  type RunEvent,
} from 'leapfrog';
import { concludeLeavingOut, leaveOut } from '../../src/fits/cross-validation.js';
import { summarize } from '../../src/inference/diagnostics/summary.js';
import { ROOT } from '../project/tree.js';

const BERNOULLI = `data { int N; array[N] int<lower=0, upper=1> y; }
parameters { real<lower=0, upper=1> theta; }
model { y ~ bernoulli(theta); }
generated quantities { int<lower=0, upper=1> next = bernoulli_rng(theta); }`;
const data = { N: 4, y: Int32Array.of(0, 1, 1, 1) };
/** The posterior is Beta(4, 2). */
const POSTERIOR_MEAN = 4 / 6;

const average = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The lines of a CSV file without times, run and file names. */
const lasting = (text: string) =>
  text.split('\n').filter((line) => !/seconds|start_datetime|run_id|^# *(?:file|diagnostic_file) = /.test(line));

after(close);

describe('compile', () => {
  it('rejects an invalid program with its diagnostics', async () => {
    await assert.rejects(compile('parameters { real x }', { name: 'model.stan' }), (error) => {
      assert.ok(error instanceof CompileError);
      assert.match(error.message, /'model.stan', line 1/);
      assert.equal(error.diagnostics.length, 1);
      return true;
    });
  });

  it('accepts the sources of included files, and returns warnings', async () => {
    const program = '#include parameters.stan\nmodel { x ~ normal(0, 1); }';
    const model = await compile(program, { includes: { 'parameters.stan': 'parameters { real x; }' } });
    assert.equal(model.warnings, '');
    assert.deepEqual((await model.on()).names(), ['x']);
  });
});

describe('a fit', () => {
  it('is thinned to evenly spaced draws of each chain', async () => {
    const model = await compile('parameters { real x; } model { x ~ normal(0, 1); }');
    const fit = await model.sample({ num_chains: 2, num_warmup: 100, num_samples: 100, save_warmup: true }).result();
    const thinned = fit.thin(20);
    assert.deepEqual([thinned.draws, thinned.chains.length], [10, 2]);
    for (const [chain, all] of fit.column('x').entries()) {
      assert.deepEqual(
        [...(thinned.column('x')[chain] ?? [])],
        [...all].filter((_, draw) => draw % 10 === 9),
      );
    }
    assert.equal(fit.thin(200), fit);
    assert.equal(fit.thin(1).draws, 1);
  });

  it('reports the progress of cross-validation, which can be cancelled', async () => {
    const program = `parameters { real x; } model { x ~ normal(0, 1); }
      generated quantities { vector[300] log_lik = rep_vector(normal_lpdf(1 | x, 1), 300); }`;
    const fit = await (await compile(program)).sample({ num_chains: 4, num_warmup: 100, random_seed: 1 }).result();
    const seen: number[] = [];
    await fit.loo({ onProgress: (done, count) => seen.push(done, count) });
    assert.deepEqual(seen.slice(-2), [300, 300]);
    assert.ok(seen.length > 2);
    const stop = new AbortController();
    const cancelled = fit.loo({ onProgress: () => stop.abort(), signal: stop.signal });
    await assert.rejects(cancelled, { name: 'AbortError' });
  });
});

describe('check', () => {
  it('accepts data, and refuses those that do not fit, without the calling thread', async () => {
    const model = await compile(BERNOULLI);
    assert.equal(await model.check(data), true);
    await assert.rejects(model.check({ N: 4, y: [0, 1, 2, 1] }), (error) => {
      assert.ok(error instanceof RunError);
      assert.match(error.message, /y\[3\] is 2/);
      return true;
    });
  });

  it('ends at its limit and with its signal, and later checks work', async () => {
    const model = await compile('data { int k; } transformed data { real x = 0; while (k) { x += 1; } }');
    assert.equal(await model.check({ k: 1 }, { limit: 50 }), false);
    const stop = new AbortController();
    const endless = model.check({ k: 1 }, { signal: stop.signal });
    const reason = new Error('not needed');
    stop.abort(reason);
    await assert.rejects(endless, reason);
    assert.equal(await model.check({ k: 0 }, { limit: 60_000 }), true);
  });
});

describe('functions of a program', () => {
  const PROGRAM = `functions {
    vector scaled(vector x, real a) { return a * x; }
    real mean_of(vector x) { return mean(x); }
    real mean_of(row_vector x) { return -mean(x); }
    tuple(int, complex) pair(int n) { return (n, to_complex(1, n)); }
    real noise_rng() { return normal_rng(0, 1); }
    void refuse(real x) { reject("x is ", x); }
  }`;

  it('are methods that take and return values', async () => {
    const { functions } = await compile(PROGRAM);
    assert.deepEqual(await functions.scaled(Float64Array.of(1, 2.5), 2), [2, 5]);
    assert.deepEqual(await functions.pair(3), { '1': 3, '2': [1, 3] });
    assert.equal(await functions.scaled([], 1).then((result) => JSON.stringify(result)), '[]');
  });

  it('accept a seed and the types of their parameters', async () => {
    const model = await compile(PROGRAM);
    const [first, again] = await Promise.all([1, 1].map((seed) => model.call('noise_rng', [], { seed })));
    assert.deepEqual(first, again);
    assert.equal((await model.call('mean_of', [[1, 2]], { signature: ['row_vector'] })).result, -1.5);
  });

  it('reject with the error and its location', async () => {
    const { functions } = await compile(PROGRAM, { name: 'f.stan' });
    await assert.rejects(functions.refuse(2), (error) => {
      assert.ok(error instanceof RunError);
      assert.match(error.message, /x is 2 \(in 'f\.stan', line 7,/);
      return true;
    });
    await assert.rejects(functions.scaled(1, 1), /x must be a vector, but is 1/);
    await assert.rejects(functions.mean_of([1]), /fit more than one function/);
  });
});

describe('a model', () => {
  it('is opened again from its contents', async () => {
    const model = await compile(BERNOULLI);
    const again = await openModel(structuredClone(model.contents()));
    const [first, second] = await Promise.all(
      [model, again].map((each) => each.sample({ data, num_samples: 10, random_seed: 1 }).result()),
    );
    assert.deepEqual(second.column('theta'), first.column('theta'));
    assert.deepEqual(second.asked.arguments, first.asked.arguments);
  });

  it('starts each chain from its own values in a list, and additional chains from the first values', async () => {
    const model = await compile('parameters { real x; } model { x ~ normal(0, 1); }');
    const init = [{ x: 1 }, { x: 2 }];
    const fit = await model.runMethod('sample', { init, num_chains: 3, num_warmup: 1, num_samples: 1 }).result();
    assert.deepEqual(
      fit.chains.map(({ initial }) => initial?.[0]),
      [1, 2, 1],
    );
  });

  it('passes what a program prints to a function', async () => {
    const program = 'transformed data { print("data"); } parameters { real x; } model { print("x = ", x); }';
    const model = await compile(program);
    const printed: string[] = [];
    const posterior = await model.on({}, { print: (text) => printed.push(text) });
    posterior.logDensity([0.5]);
    posterior.gradient([1.5]);
    assert.deepEqual(printed, ['data\n', 'x = 0.5\n', 'x = 1.5\n']);
  });

  it('finds the point of a draw', async () => {
    const model = await compile('parameters { real<lower=0> s; simplex[3] p; }');
    const posterior = await model.on();
    const point = [0.5, 1, -1];
    const found = posterior.unconstrainDraw(posterior.constrain(point));
    for (const [place, value] of point.entries()) assert.ok(Math.abs(found[place] - value) < 1e-12, `${found}`);
  });

  it('has second derivatives, exact if they are compiled', async () => {
    const model = await compile('parameters { vector[2] x; } model { target += -x[1]^4 - x[1] * x[2]^2; }');
    const exact = await model.on({}, { secondDerivatives: true });
    assert.deepEqual([...exact.hessian([2, 3])], [-48, -6, -6, -4]);
    const differences = (await model.on()).hessian([2, 3]);
    for (const [place, value] of [-48, -6, -6, -4].entries()) {
      assert.ok(Math.abs(differences[place] - value) < 1e-6, `${differences}`);
    }
  });

  it('rejects a Hessian that is larger than its limit, with an error that states the limit', async () => {
    const large = await (await compile('data { int n; } parameters { vector[n] x; }')).on({ n: 100_000 });
    const point = new Float64Array(100_000);
    const refused = (memory: number | undefined) => (error: unknown) => {
      assert.ok(error instanceof RequestError);
      const size = 'a 100000 by 100000 matrix';
      assert.equal(
        error.message,
        `memory must be at least 76294 MiB for the Hessian, ${size}, but is ${memory ?? 1024}`,
      );
      return true;
    };
    assert.throws(() => large.hessian(point), refused(undefined));
    assert.throws(() => large.hessian(point, { memory: 76_293 }), refused(76_293));
    const small = await (await compile('parameters { vector[200] x; } model { x ~ normal(0, 1); }')).on();
    assert.throws(() => small.hessian(new Float64Array(200), { memory: 0.3 }), RequestError);
    assert.equal(small.hessian(new Float64Array(200), { memory: 1 }).length, 40_000);
  });
});

describe('analyze', () => {
  it('describes and formats without compiling', async () => {
    const { errors, formatted, info } = await analyze('parameters{real x;}');
    assert.deepEqual(errors, []);
    assert.deepEqual(Object.keys(info?.parameters ?? {}), ['x']);
    assert.equal(formatted, 'parameters {\n  real x;\n}\n');
  });

  it('explains what statements cost', async () => {
    const program = 'parameters { real x; } model { x ~ std_normal(); }';
    assert.equal((await analyze(program)).costs, undefined);
    const { costs } = await analyze(program, { explain: true });
    assert.deepEqual(
      costs?.map(({ cost, line }) => [cost, line]),
      [['once', 1]],
    );
  });
});

describe('a model on data', () => {
  it('has the same densities after its threads are ended, also if others are opened', async () => {
    const model = await compile(BERNOULLI);
    for (const threads of [undefined, 2]) {
      const posterior = await model.on(data, { threads });
      const before = posterior.gradient([0.3]);
      posterior.close();
      const other = await model.on({ N: 3, y: [0, 0, 0] });
      assert.notDeepEqual(other.gradient([0.3]), before);
      assert.deepEqual(posterior.gradient([0.3]), before);
    }
  });

  it('has names, a log density with its gradient, and transforms in both directions', async () => {
    const posterior = await (await compile(BERNOULLI)).on(data);
    assert.equal(posterior.dimension, 1);
    assert.deepEqual(posterior.names({ generatedQuantities: true }), ['theta', 'next']);
    assert.deepEqual(posterior.unconstrainedNames(), ['theta']);
    const { gradient, logDensity } = posterior.gradient([0]);
    assert.deepEqual([...gradient], [1]);
    const point = Float64Array.of(0);
    assert.deepEqual(posterior.gradient(point), { gradient, logDensity });
    assert.deepEqual([...point], [0]);
    const into = Float64Array.of(Number.NaN);
    assert.equal(posterior.gradient(point, { into }).gradient, into);
    assert.deepEqual([...into], [1]);
    assert.ok(Math.abs(logDensity - 6 * Math.log(0.5)) < 1e-12);
    assert.ok(Math.abs(posterior.logDensity([0], { jacobian: false }) - 4 * Math.log(0.5)) < 1e-12);
    assert.deepEqual([...posterior.unconstrain({ theta: 0.5 })], [0]);
    assert.deepEqual([...posterior.constrain([0])], [0.5]);
  });

  it("rejects data and points with the program's messages", async () => {
    const model = await compile(BERNOULLI);
    await assert.rejects(model.on({ N: 4 }), RunError);
    await assert.rejects(model.on(JSON.parse('[4]')), RequestError);
    const posterior = await model.on(data);
    assert.throws(() => posterior.logDensity([0, 0]), /the position has 2 elements/);
    assert.throws(() => posterior.gradient([0, 0]), /the position has 2 elements/);
    assert.throws(() => posterior.gradient([0], { into: new Float64Array(2) }), RequestError);
    assert.throws(() => posterior.unconstrain({ theta: 2 }), RunError);
  });
});

describe('a run', () => {
  it('returns draws in typed arrays, the same for the same seed', async () => {
    const model = await compile(BERNOULLI);
    const fields = { data, num_chains: 2, random_seed: 1, num_samples: 500, save_warmup: true };
    const [fit, again] = await Promise.all([model.sample(fields).result(), model.sample(fields).result()]);
    assert.deepEqual(fit.columns.slice(-2), ['theta', 'next']);
    assert.deepEqual(
      fit.chains.map(({ draws, id, warmup }) => [id, warmup, draws]),
      [
        [1, 1000, 500],
        [2, 1000, 500],
      ],
    );
    assert.equal(fit.chains[0].values.length, 1500 * fit.columns.length);
    for (const draws of fit.column('theta')) assert.ok(Math.abs(average(draws) - POSTERIOR_MEAN) < 0.06);
    assert.deepEqual(again.column('theta'), fit.column('theta'));
    assert.deepEqual(again.chains[1].diagnostics, fit.chains[1].diagnostics);
    assert.equal(fit.asked.function, 'stan::services::sample::hmc_nuts_diag_e_adapt');
    assert.equal(fit.asked.random_seed, 1);
  });

  it('returns the same draws from large data, which its chains share', async () => {
    const model = await compile(`data { int N; vector[N] y; } parameters { real m; }
      model { m ~ normal(0, 1); for (n in 1:N) target += 1e-4 * student_t_lpdf(y[n] | 4, m, 1); }`);
    const rows = 140_000;
    const large = { N: rows, y: Float64Array.from({ length: rows }, (_, n) => Math.sin(n)) };
    const fields = { data: large, random_seed: 3, num_warmup: 15, num_samples: 5, max_depth: 4 };
    const together = await model.sample({ ...fields, num_chains: 3 }).result();
    for (const chain of [1, 2, 3]) {
      const alone = await model.sample({ ...fields, num_chains: 1, chain }).result();
      assert.deepEqual(alone.column('m')[0], together.column('m')[chain - 1]);
    }
    const divided = await model.sample({ ...fields, num_chains: 1, threads_per_chain: 2 }).result();
    const whole = await model.sample({ ...fields, num_chains: 1, threads_per_chain: 1 }).result();
    assert.deepEqual(divided.column('m'), whole.column('m'));
  });

  it('sends its events to every reader, starting with the first event', async () => {
    const model = await compile(BERNOULLI);
    const run = model.sample({ data, num_chains: 2, random_seed: 1 });
    const read = async () => {
      const events: RunEvent[] = [];
      for await (const event of run) events.push(event);
      return events;
    };
    const [live, fit] = await Promise.all([read(), run.result()]);
    const replayed = await read();
    for (const events of [live, replayed]) {
      for (const chain of fit.chains) {
        const own = events.filter((event) => event.chain === chain.id);
        assert.equal(own[0].kind, 'start');
        assert.equal(own.at(-1)?.kind, 'end');
        const rows = own.flatMap((event) => (event.kind === 'draws' ? [...event.values] : []));
        assert.deepEqual(rows, [...chain.values]);
        const count = own.reduce((sum, event) => sum + (event.kind === 'diagnostics' ? event.count : 0), 0);
        assert.equal(count, 1000);
      }
    }
  });

  it('sends the log density of each iteration of warmup, as the saved draws have it', async () => {
    const model = await compile(BERNOULLI);
    for (const algorithm of ['nuts', 'tempered'] as const) {
      const fields = { algorithm, data, num_chains: 2, random_seed: 1, num_warmup: 60, num_samples: 20 };
      const saved = await model.sample({ ...fields, save_warmup: true }).result();
      const { chains, columns } = saved;
      const sent = new Map<number, number[]>();
      for await (const event of model.sample(fields)) {
        if (event.kind !== 'warmup') continue;
        sent.set(event.chain, [...(sent.get(event.chain) ?? []), ...event.logDensities]);
      }
      for (const { id, values, warmup } of chains) {
        assert.equal(warmup, 60);
        const densities = Array.from({ length: warmup }, (_, draw) => values[draw * columns.length]);
        assert.deepEqual(sent.get(id), densities, `${algorithm}, chain ${id}`);
      }
    }
  });

  it('ends when its signal is aborted, and keeps the draws so far', async () => {
    const model = await compile(BERNOULLI);
    const stop = new AbortController();
    const run = model.sample({ data, num_chains: 2, num_samples: 100_000_000 }, { signal: stop.signal });
    for await (const event of run) if (event.kind === 'draws') break;
    stop.abort();
    await assert.rejects(run.result(), { name: 'AbortError' });
    await assert.rejects(
      async () => {
        for await (const _ of run);
      },
      { name: 'AbortError' },
    );
    assert.ok(run.soFar()?.chains.some(({ draws }) => draws > 0));
    assert.throws(() => stop.signal.throwIfAborted());
    const aborted = model.sample({ data }, { signal: stop.signal });
    await assert.rejects(aborted.result(), { name: 'AbortError' });
  });

  it('logs initial values that the program does not declare, with the closest parameter', async () => {
    const model = await compile(
      'parameters { real mu; real<lower=0> tau; } model { mu ~ normal(0, tau); tau ~ exponential(1); }',
    );
    const logged = async (init: Readonly<Record<string, number>>) => {
      const lines: string[] = [];
      for await (const event of model.sample({ init, num_chains: 1, num_samples: 5, num_warmup: 5 })) {
        if (event.kind === 'log' && event.level === 'warn' && event.text.startsWith('Initial')) lines.push(event.text);
      }
      return lines;
    };
    assert.deepEqual(await logged({ tua: 1, mu: 2 }), [
      'Initial values: the program has no parameter "tua", so its value is ignored. Did you mean "tau"?',
    ]);
    assert.deepEqual(await logged({ tau: 1, lp__: 2 }), []);
    const many = await logged({ a1: 1, a2: 1, a3: 1, a4: 1, a5: 1, a6: 1, a7: 1 });
    assert.equal(many.length, 6);
    assert.equal(many[5], 'Initial values: 2 more names are not parameters of the program.');
  });

  it('takes fits as inputs', async () => {
    const model = await compile(BERNOULLI);
    const optimum = await model.optimize({ data, jacobian: true }).result();
    const laplace = await model.laplace({ data, mode: optimum, draws: 200 }).result();
    assert.equal(laplace.chains[0].draws, 200);
    const sampled = await model.sample({ data, num_chains: 2, init: laplace }).result();
    const request = { function: 'stan::services::standalone_generate', data, fitted_params: sampled } as const;
    const generated = await model.run(request).result();
    assert.deepEqual(generated.columns, ['next']);
    assert.deepEqual(
      generated.chains.map(({ draws }) => draws),
      [1000, 1000],
    );
  });

  it('rejects a request with all its errors', async () => {
    const model = await compile(BERNOULLI);
    const wrong = { data, num_samples: -1, mode: { theta: 0.5 }, foo: 1, save: [] };
    await assert.rejects(model.runFunction('hmc_nuts_diag_e_adapt', wrong).result(), (error) => {
      assert.ok(error instanceof RequestError);
      assert.deepEqual(error.problems.map(({ field }) => field).sort(), ['foo', 'mode', 'num_samples', 'save']);
      return true;
    });
    await assert.rejects(model.runFunction('nothing').result(), RequestError);
    await assert.rejects(model.runFunction('laplace_sample', { data }).result(), /mode is required/);
    await assert.rejects(model.sample({ data, save: ['beta'] }).result(), /names beta/);
  });

  it('of every function of the services namespace ends with a fit', async () => {
    const model = await compile(BERNOULLI);
    const sampled = await model.sample({ data, num_samples: 20 }).result();
    const inputs: Readonly<Record<string, unknown>> = { mode: { theta: 0.5 }, fitted_params: sampled };
    for (const { inputs: taken, name } of functions) {
      const given = taken.filter(({ required }) => required).map((input) => [input.name, inputs[input.name]]);
      const fit = await model.runFunction(name, { data, random_seed: 1, ...Object.fromEntries(given) }).result();
      assert.equal(fit.asked.function, name);
      assert.equal(fit.chains.length, 1, name);
      assert.match(fit.csv(1), /^# stan_version_major = 2\n/);
    }
  });

  it('of a method runs the function that its fields select', async () => {
    const model = await compile(BERNOULLI);
    const fields = {
      data,
      random_seed: 1,
      num_samples: 10,
      num_warmup: 10,
      metric: 'dense_e',
      adapt_engaged: false,
    } as const;
    const { asked } = await model.sample(fields).result();
    assert.equal(asked.function, 'stan::services::sample::hmc_nuts_dense_e');
    const single = await model.pathfinder({ data, random_seed: 1, num_paths: 1, num_draws: 10 }).result();
    assert.equal(single.asked.function, 'stan::services::pathfinder::pathfinder_lbfgs_single');
    const newton = await model.optimize({ data, random_seed: 1, algorithm: 'newton' }).result();
    assert.ok(Math.abs(newton.column('theta')[0][0] - 3 / 4) < 1e-6);
    const meanfield = await model.variational({ data, random_seed: 1, output_samples: 10 }).result();
    assert.equal(meanfield.asked.function, 'stan::services::experimental::advi::meanfield');
    assert.equal(meanfield.draws, 10);
    const gradient = await model.diagnoseGradient({ data, random_seed: 1 }).result();
    assert.equal(gradient.asked.function, 'stan::services::diagnose::diagnose');
  });

  it("fails with the program's message", async () => {
    const model = await compile('parameters { real x; } model { fatal_error("out of order"); }');
    await assert.rejects(model.sample({ num_chains: 2 }).result(), (error) => {
      assert.ok(error instanceof RunError);
      assert.match(error.message, /out of order/);
      return true;
    });
  });
});

describe('a fit', () => {
  it('does not count the mean of an approximation and the iterations of an optimizer as draws', async () => {
    const model = await compile(BERNOULLI);
    const normal = await model.variational({ data, random_seed: 1, output_samples: 10 }).result();
    const [{ draws, values, warmup }] = normal.chains;
    assert.deepEqual([draws, warmup, values.length], [10, 1, 11 * normal.columns.length]);
    const [theta] = normal.column('theta');
    assert.equal(theta[0], values[normal.columns.length + normal.columns.indexOf('theta')]);
    const [{ mean }] = await normal.summary({ variables: ['theta'] });
    const sum = theta.reduce((total, value) => total + value, 0);
    assert.ok(theta.length === 10 && Math.abs(mean - sum / 10) < 1e-12);
    assert.equal((await model.generate({ data, fitted_params: normal, random_seed: 1 }).result()).draws, 10);
    assert.match(normal.csv(1), /\n0,0,0,[^\n]*\n0,-/);

    const climbed = await model.optimize({ data, random_seed: 1, save_iterations: true }).result();
    const [chain] = climbed.chains;
    assert.ok(chain.warmup > 1 && chain.draws === 1 && climbed.draws === 1);
    assert.ok(Math.abs(climbed.column('theta')[0][0] - 3 / 4) < 1e-3);
    const [optimum] = await climbed.summary({ variables: ['theta'] });
    assert.equal(optimum.mean, climbed.column('theta')[0][0]);
  });

  it('is summarized and diagnosed as by leapfrog summary and diagnose', async () => {
    const model = await compile(BERNOULLI);
    const fit = await model.sample({ data, num_chains: 4, random_seed: 1 }).result();
    const all = await fit.summary();
    assert.deepEqual(
      all.map(({ name }) => name),
      ['lp__', 'theta', 'next'],
    );
    const [theta] = await fit.summary({ variables: ['theta'] });
    assert.deepEqual(theta, { name: 'theta', ...summarize(fit.column('theta')) });
    const found = await fit.diagnose();
    assert.deepEqual(
      found.map(({ check, ok }) => [check, ok]),
      [
        ['divergences', true],
        ['treedepth', true],
        ['energy', true],
        ['rhat', true],
        ['ess', true],
      ],
    );
    await assert.rejects(fit.summary({ variables: ['beta'] }), RequestError);
  });

  it('has leave-one-out estimates, and is compared with another fit', async () => {
    const program = (scale: string) => `
      data { int N; vector[N] y; }
      parameters { real mu; }
      model { y ~ normal(mu, ${scale}); }
      generated quantities {
        vector[N] log_lik;
        vector[N] never = rep_vector(negative_infinity(), N);
        for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, ${scale});
      }`;
    const fitOf = async (scale: string) => {
      const model = await compile(program(scale));
      return model.sample({ data: { N: 3, y: [0.1, -0.4, 0.6] }, num_chains: 2, random_seed: 1 }).result();
    };
    const fit = await fitOf('1');
    const loo = await fit.loo();
    const columns = [1, 2, 3].map((n) => ({ name: `log_lik[${n}]`, chains: fit.column(`log_lik[${n}]`) }));
    const left = leaveOut(columns);
    assert.ok('observations' in left);
    assert.deepEqual(loo, concludeLeavingOut(left.observations, 2000));
    const { models } = compare({ wide: await (await fitOf('10')).loo(), right: loo });
    assert.deepEqual(
      models.map(({ name }) => name),
      ['right', 'wide'],
    );
    assert.throws(() => compare({ right: loo, less: { ...loo, observations: [] } }), RequestError);
    await assert.rejects(fit.loo({ variable: 'never' }), /never\[1\] is -Infinity in 2000 of 2000 draws/);
    await assert.rejects(fit.loo({ variable: 'likelihood' }), RequestError);
  });

  it('is stored as its contents, from which it can be opened again', async () => {
    const model = await compile(BERNOULLI);
    const fit = await model.sample({ data, num_chains: 2, num_samples: 50, random_seed: 1 }).result();
    const contents = structuredClone(fit.contents());
    assert.ok(contents.chains.every(({ values }) => values.byteLength === values.buffer.byteLength));
    const again = openFit(contents);
    assert.deepEqual(again.contents(), fit.contents());
    assert.deepEqual(await again.summary(), await fit.summary());
    assert.equal(again.draws, 50);
    assert.equal(again.csv(1), fit.csv(1));
  });

  it('is written as the CSV file of the command line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leapfrog-csv-'));
    try {
      writeFileSync(join(folder, 'coin.stan'), BERNOULLI);
      writeFileSync(join(folder, 'data.json'), '{"N": 4, "y": [0, 1, 1, 1]}');
      const words =
        'sample coin.stan --data data.json --chains 2 --seed 7 --save-warmup --sig-figs 17 --output draws.csv';
      await promisify(execFile)(process.execPath, [join(ROOT, 'dist/src/cli/main.js'), ...words.split(' ')], {
        cwd: folder,
      });
      const model = await compile(BERNOULLI, { name: 'coin.stan' });
      const fit = await model.sample({ data, num_chains: 2, random_seed: 7, save_warmup: true }).result();
      for (const { id } of fit.chains) {
        const written = readFileSync(join(folder, `draws_${id}.csv`), 'utf8');
        assert.deepEqual(lasting(fit.csv(id)), lasting(written));
      }
      assert.throws(() => fit.csv(3), RequestError);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is diagnosed while it grows', async () => {
    const model = await compile(BERNOULLI);
    const stop = new AbortController();
    const run = model.sample({ data, num_chains: 8, num_samples: 10_000_000 }, { signal: stop.signal });
    for await (const event of run) if (event.kind === 'draws') break;
    const [summary] = (await run.soFar()?.summary({ variables: ['theta'] })) ?? [];
    assert.equal(summary.name, 'theta');
    stop.abort();
    await assert.rejects(run.result(), { name: 'AbortError' });
  });
});
