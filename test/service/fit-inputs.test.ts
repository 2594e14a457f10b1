import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Answer, TestServer } from './harness.js';

const SAMPLER = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const DENSE = 'stan::services::sample::hmc_nuts_dense_e';
const UNIT = 'stan::services::sample::hmc_nuts_unit_e_adapt';
const FIXED = 'stan::services::sample::fixed_param';
const LBFGS = 'stan::services::optimize::lbfgs';
const LAPLACE = 'stan::services::laplace_sample';
const PATHFINDER = 'stan::services::pathfinder::pathfinder_lbfgs_multi';
const GENERATE = 'stan::services::standalone_generate';

const PARAMETERS = `parameters {
  real<lower=0> sigma;
  simplex[3] p;
  cholesky_factor_corr[2] L;
  tuple(real, array[2] vector<upper=1>[2]) t;
  complex z;
  vector[0] nothing;
}
`;
const DENSITY = `model {
  sigma ~ lognormal(0, 1);
  p ~ dirichlet([2, 3, 4]');
  L ~ lkj_corr_cholesky(2);
  t.1 ~ normal(0, 1);
  for (k in 1:2) t.2[k] ~ normal(0, 1);
  get_real(z) ~ normal(0, 1);
  get_imag(z) ~ normal(2, 1);
}
`;
const GENERATED = `generated quantities {
  real square = sigma ^ 2;
  matrix[2, 2] R = multiply_lower_tri_self_transpose(L);
  complex w = 3.0 * z;
  vector[2] sums = t.2[1] + t.2[2];
  real entropy = -dot_product(p, log(p));
}
`;

interface Draw {
  readonly [name: string]: number;
}

interface Message {
  readonly topic: string;
  readonly values: Draw;
  readonly chain?: number;
}

describe('inputs of a fit', () => {
  let server: TestServer;
  let model: string;
  let sampled: string;
  let optimum: string;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 30_000, workerMemory: 1024 });
    model = await server.model(PARAMETERS + DENSITY + GENERATED);
    sampled = await fit(model, {
      function: SAMPLER,
      num_chains: 2,
      num_samples: 50,
      save_warmup: true,
      num_warmup: 300,
    });
    optimum = await fit(model, { function: LBFGS, jacobian: true });
  });
  after(() => server.remove());

  async function start(path: string, request: object): Promise<Answer> {
    return server.post(`${path}/fits`, { random_seed: 3, ...request });
  }

  async function run(path: string, request: object): Promise<Answer> {
    const started = await start(path, request);
    assert.equal(started.status, 201, started.text);
    return server.finished(started.json.name);
  }

  /** Runs a function to completion and returns the fit's name. */
  async function fit(path: string, request: object): Promise<string> {
    const { result } = (await run(path, request)).json;
    assert.equal(result.code, undefined, result.message);
    return result.name;
  }

  async function messages(name: string): Promise<Message[]> {
    const { text } = await server.get(`/v1/${name}`);
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  async function drawsOf(name: string, chain?: number): Promise<Draw[]> {
    const draws = (await messages(name)).filter(({ topic, values }) => topic === 'sample' && !Array.isArray(values));
    return draws.filter((message) => chain === undefined || message.chain === chain).map(({ values }) => values);
  }

  async function startOf(name: string, chain?: number): Promise<unknown> {
    const found = (await messages(name)).filter(({ topic }) => topic === 'initialization');
    return found.find((message) => message.chain === chain)?.values;
  }

  async function assertRefused(path: string, request: object, field: string, message: RegExp): Promise<void> {
    const answer = await start(path, request);
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.json.details.length, 1, answer.text);
    assert.equal(answer.json.details[0].field, field);
    assert.match(answer.json.details[0].message, message);
  }

  test('generated quantities of a sampled fit are bit-identical to those of the fit, chain by chain, without warmup', async () => {
    const generated = await fit(model, { function: GENERATE, fitted_params: sampled });
    for (const chain of [1, 2]) {
      const found = await drawsOf(generated, chain);
      const expected = (await drawsOf(sampled, chain)).slice(-50);
      assert.equal(found.length, 50);
      for (const [index, draw] of found.entries()) {
        const names = Object.keys(draw);
        assert.deepEqual(names.slice(0, 2), ['square', 'R.1.1']);
        assert.deepEqual(names, Object.keys(expected[0] ?? {}).slice(-names.length));
        for (const name of names) assert.equal(draw[name], expected[index]?.[name], name);
      }
    }
  });

  test('another program with the same parameters accepts the draws, whatever its constraints', async () => {
    const bounded = PARAMETERS.replace('real<lower=0> sigma', 'real<lower=-1> sigma');
    const other = await server.model(`${bounded}generated quantities { real half = sigma / 2; }`);
    const generated = await fit(other, { function: GENERATE, fitted_params: sampled });
    const expected = (await drawsOf(sampled, 2)).slice(-50);
    for (const [index, { half }] of (await drawsOf(generated, 2)).entries()) {
      assert.ok(Math.abs(2 * (half ?? Number.NaN) - (expected[index]?.sigma ?? 0)) < 1e-12);
    }
  });

  test('generated quantities accept draws in the request', async () => {
    const simple = await server.model(
      'parameters { real<lower=0> s; vector[2] v; } generated quantities { real g = s + v[2]; }',
    );
    const fitted_params = [
      { s: 1, v: [0, 2] },
      { s: 4, v: [0, -1] },
    ];
    const generated = await fit(simple, { function: GENERATE, fitted_params });
    assert.deepEqual(await drawsOf(generated), [{ g: 3 }, { g: 3 }]);
    const lacking = { function: GENERATE, fitted_params: [...fitted_params, { v: [0, 1] }] };
    await assertRefused(simple, lacking, '/fitted_params', /lacks the parameter s in draw 2/);
    await assertRefused(simple, { function: GENERATE, fitted_params: [] }, '/fitted_params', /at least one draw/);
    await assertRefused(simple, { function: GENERATE, fitted_params: [1] }, '/fitted_params', /an array of objects/);
    await assertRefused(simple, { function: GENERATE, fitted_params: {} }, '/fitted_params', /an array of objects/);
    const outside = await run(simple, { function: GENERATE, fitted_params: [{ s: -1, v: [0, 0] }] });
    assert.match(outside.json.result.message, /-1, but must be greater than or equal to 0/);
  });

  test('chains start where the same chain of a sampled fit ended', async () => {
    const started = await fit(model, {
      function: SAMPLER,
      num_chains: 2,
      num_samples: 1,
      num_warmup: 0,
      init: sampled,
    });
    for (const chain of [1, 2]) {
      const diagnostics = (await messages(sampled)).filter(
        ({ chain: own, topic, values }) => topic === 'diagnostic' && own === chain && !Array.isArray(values),
      );
      const last = Object.entries(diagnostics.at(-1)?.values ?? {});
      const first = last.findIndex(([name]) => name === 'sigma');
      const position = last.slice(first, first + 11).map(([, value]) => value);
      assert.deepEqual(await startOf(started, chain), position);
    }
  });

  test('chains start at different draws of an approximation, each chain at the same one wherever it runs', async () => {
    const approximation = await fit(model, { function: PATHFINDER });
    const request = { function: FIXED, num_samples: 1, init: approximation };
    const together = await fit(model, { ...request, num_chains: 4 });
    const alone = await fit(model, { ...request, chain: 3 });
    const saved = (await drawsOf(approximation)).map(({ sigma }) => sigma ?? Number.NaN);
    const starts = [];
    for (const chain of [1, 2, 3, 4]) {
      const [draw] = await drawsOf(together, chain);
      const sigma = draw?.sigma ?? Number.NaN;
      starts.push(sigma);
      assert.ok(saved.some((value) => Math.abs(value / sigma - 1) < 1e-12));
    }
    assert.equal(new Set(starts).size, 4);
    assert.equal((await drawsOf(alone))[0]?.sigma, starts[2]);
  });

  test('each path of an approximation starts at its own draw, where the chain with the same id would', async () => {
    for (const init of [sampled, await fit(model, { function: PATHFINDER })]) {
      const chains = await fit(model, { function: SAMPLER, num_chains: 4, num_samples: 1, num_warmup: 0, init });
      const paths = await fit(model, { function: PATHFINDER, num_paths: 4, init });
      const starts = (await messages(paths)).filter(({ topic }) => topic === 'initialization');
      const expected = await Promise.all([1, 2, 3, 4].map((chain) => startOf(chains, chain)));
      assert.deepEqual(
        starts.map(({ values }) => values),
        expected,
      );
      assert.equal(new Set(expected.map((position) => JSON.stringify(position))).size, 4);
    }
  });

  test('a mode is the last draw of an optimizer, or given values', async () => {
    const [mode] = await drawsOf(optimum);
    const draws = await drawsOf(await fit(model, { function: LAPLACE, mode: optimum, draws: 400 }));
    const mean = (name: string) => draws.reduce((sum, draw) => sum + (draw[name] ?? Number.NaN), 0) / draws.length;
    assert.ok(Math.abs(mean('z.imag') - (mode?.['z.imag'] ?? 0)) < 0.2);
    const simple = await server.model('parameters { real a; real b; } model { a ~ normal(1, 1); b ~ normal(2, 1); }');
    await fit(simple, { function: LAPLACE, mode: { a: 1, b: 2 } });
    await assertRefused(simple, { function: LAPLACE, mode: { a: 1 } }, '/mode', /lacks the parameter b/);
    await assertRefused(model, { function: LAPLACE, mode: sampled }, '/mode', /must name a fit of an optimizer/);
  });

  test('a sampler starts at an optimum', async () => {
    const [mode] = await drawsOf(optimum);
    const started = await fit(model, { function: FIXED, num_samples: 1, init: optimum });
    const [draw] = await drawsOf(started);
    for (const name of ['sigma', 'p.1', 'L.2.1', 't:1', 't:2.2.1', 'z.imag']) {
      const [found, expected] = [draw?.[name] ?? Number.NaN, mode?.[name] ?? 0];
      assert.ok(Math.abs(found - expected) <= 1e-9 * Math.abs(expected), name);
    }
  });

  test('some initial values may be missing, also in tuples, containers and complex numbers', async () => {
    const init = {
      z: [7, 8],
      t: {
        1: 0.25,
        2: [
          [0, 0],
          [-1, -2],
        ],
      },
    };
    const [first, second] = await Promise.all(
      [3, 4].map(
        async (random_seed) =>
          (await drawsOf(await fit(model, { function: FIXED, num_samples: 1, init, random_seed })))[0],
      ),
    );
    for (const draw of [first, second]) {
      assert.equal(draw?.['z.imag'], 8);
      assert.equal(draw?.['t:1'], 0.25);
      assert.ok(Math.abs((draw?.['t:2.2.2'] ?? 0) + 2) < 1e-12);
    }
    assert.notEqual(first?.sigma, second?.sigma);
  });

  test('names of unsuitable fits are rejected with the field and the reason', async () => {
    const nowhere = `${model.slice(4)}/fits/${'a'.repeat(24)}`;
    await assertRefused(model, { function: SAMPLER, init: nowhere }, '/init', /does not exist/);
    await assertRefused(model, { function: SAMPLER, init: 'models/../fits/x' }, '/init', /does not exist/);
    await assertRefused(model, { function: SAMPLER, init: 'nonsense' }, '/init', /name of a fit/);
    const slow = await start(model, { function: SAMPLER, num_samples: 2_000_000_000, refresh: 0 });
    const unfinished = slow.json.metadata.fit.name;
    await assertRefused(model, { function: SAMPLER, init: unfinished }, '/init', /is not finished/);
    await server.delete(`/v1/${slow.json.name}`);
    const wider = await server.model(`${PARAMETERS.replace('}\n', '  real more;\n}\n')}${DENSITY}`);
    await assertRefused(wider, { function: SAMPLER, init: sampled }, '/init', /lacks the parameter more/);
    const larger = await server.model(PARAMETERS.replace('simplex[3]', 'simplex[2]'));
    await assertRefused(larger, { function: SAMPLER, init: sampled }, '/init', /parameter p in another size/);
    await assertRefused(model, { function: GENERATE, fitted_params: nowhere }, '/fitted_params', /does not exist/);
    const empty = await fit(model, { function: FIXED, num_samples: 0 });
    await assertRefused(model, { function: SAMPLER, init: empty }, '/init', /has no draws/);
  });

  test('draws keep the requested variables, and unknown names are rejected', async () => {
    const save = ['t', 'square', 'sigma'];
    const all = await fit(model, { function: SAMPLER, num_samples: 5, num_warmup: 20 });
    const some = await fit(model, { function: SAMPLER, num_samples: 5, num_warmup: 20, save });
    const [draw] = await drawsOf(some);
    assert.deepEqual(
      Object.keys(draw ?? {}).filter((name) => !name.endsWith('__')),
      ['sigma', 't:1', 't:2.1.1', 't:2.2.1', 't:2.1.2', 't:2.2.2', 'square'],
    );
    const [whole] = await drawsOf(all);
    for (const [name, value] of Object.entries(draw ?? {})) assert.equal(value, whole?.[name], name);
    const diagnostic = (await messages(some)).find(({ topic }) => topic === 'diagnostic')?.values ?? {};
    const kept = Object.keys(diagnostic).filter((name) => !name.endsWith('__'));
    assert.equal(kept.length, 3 * 6);
    assert.ok(kept.includes('p_sigma') && kept.includes('g_t:1') && !kept.includes('p.1'));
    await assertRefused(model, { function: SAMPLER, save: ['sigma', 'eta'] }, '/save', /names eta/);
    await assertRefused(model, { function: SAMPLER, save: [] }, '/save', /one or more names/);
    const parameter = { function: GENERATE, fitted_params: sampled, save: ['sigma'] };
    await assertRefused(model, parameter, '/save', /names sigma/);
    const generated = await fit(model, { function: GENERATE, fitted_params: sampled, save: ['w'] });
    assert.deepEqual(Object.keys((await drawsOf(generated))[0] ?? {}), ['w.real', 'w.imag']);
    await assertRefused(
      model,
      { function: GENERATE, fitted_params: some },
      '/fitted_params',
      /lacks the parameters p, L, z/,
    );
  });

  test('step size and metric are returned in the form in which they are accepted', async () => {
    const ended = (await run(model, { function: SAMPLER, num_chains: 2, num_samples: 10, num_warmup: 200 })).json;
    const { adaptation } = ended.metadata;
    assert.deepEqual(
      adaptation.map(({ chain }: { chain: number }) => chain),
      [1, 2],
    );
    const { stepsize, inv_metric } = adaptation[1];
    assert.equal(inv_metric.length, 11);
    const [draw] = await drawsOf(ended.result.name, 2);
    assert.equal(draw?.stepsize__, stepsize);
    const resumed = { function: 'stan::services::sample::hmc_nuts_diag_e', num_samples: 10, num_warmup: 0 };
    const again = (await run(model, { ...resumed, stepsize, inv_metric, init: ended.result.name })).json;
    assert.deepEqual(again.metadata.adaptation, [{ chain: 1, stepsize, inv_metric }]);
    await server.delete(`/v1/${ended.name}`);
    const known = { function: SAMPLER, num_chains: 2, num_samples: 10, num_warmup: 200 };
    assert.deepEqual((await start(model, known)).json.metadata.adaptation, adaptation);
    const listed = (await server.get('/v1/operations')).json.operations;
    assert.ok(listed.every(({ metadata }: { metadata: object }) => !('adaptation' in metadata)));

    const rows = inv_metric.map((value: number, i: number) =>
      inv_metric.map((_: number, j: number) => (i === j ? value : 0)),
    );
    const dense = (await run(model, { function: DENSE, num_samples: 5, num_warmup: 0, stepsize, inv_metric: rows }))
      .json;
    assert.deepEqual(dense.metadata.adaptation, [{ chain: 1, stepsize, inv_metric: rows }]);
    const unit = (await run(model, { function: UNIT, num_samples: 5, num_warmup: 20 })).json;
    assert.deepEqual(Object.keys(unit.metadata.adaptation[0]), ['chain', 'stepsize']);
    const wrong = (await run(model, { function: SAMPLER, inv_metric: [1, 2] })).json;
    assert.match(wrong.result.message, /mismatch in dimension declared and found[\s\S]*Initialization failure/);
  });
});
