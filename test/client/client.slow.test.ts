import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client, type Draw, type FitRequest, type Model, ServerError } from '../../src/client/index.js';
import { type Serving, serve } from '../support/serving.js';

const NORMAL = `data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  y ~ normal(mu, sigma);
}
generated quantities {
  real twice = 2 * mu;
}
`;
const data = { N: 4, y: Float64Array.of(1, 2, 3, 4) };
const NUTS = 'stan::services::sample::hmc_nuts_diag_e_adapt';

describe('the client', () => {
  let serving: Serving;
  let client: Client;
  let model: Model;
  before(async () => {
    serving = await serve();
    client = new Client(serving.address);
    model = await client.compile(NORMAL);
  });
  after(() => serving.stop());

  it("throws the server's response to an invalid program", async () => {
    await assert.rejects(client.compile('model { x ~ normal(0, 1); }'), (error) => {
      assert.ok(error instanceof ServerError);
      assert.deepEqual([error.code, error.reason], [400, 'not_compiled']);
      assert.match(error.message, /Identifier "x" not in scope/);
      assert.equal(error.details.length, 1);
      return true;
    });
  });

  it('checks and formats programs', async () => {
    const { errors, formatted } = await client.stanc('parameters{real x;}');
    assert.deepEqual(errors, []);
    assert.equal(formatted, 'parameters {\n  real x;\n}\n');
    const { info } = await client.stanc('functions {\n#include f.stan\n}', {
      includes: { 'f.stan': 'real f() { return 1; }' },
    });
    assert.deepEqual(info?.included_files, ['./f.stan']);
  });

  it('finds existing models', async () => {
    assert.ok((await client.models()).some(({ name }) => name === model.name));
    assert.equal((await client.model(model.name).describe()).program_code, NORMAL);
  });

  it('evaluates densities and gradients', async () => {
    const names = (await model.params({ data })).map(({ name }) => name);
    assert.deepEqual(names, ['mu', 'sigma', 'twice']);
    const point = await model.transformInits({ mu: 2.5, sigma: 2 }, { data });
    assert.deepEqual([...point], [2.5, Math.log(2)]);
    const { gradient, logProb } = await model.logProbGrad(point, { data });
    assert.equal(await model.logProb(point, { data }), logProb);
    assert.ok(Math.abs(gradient[0]) < 1e-12);
    const without = await model.logProb(point, { data, adjust_transform: false });
    assert.ok(Math.abs(logProb - without - Math.log(2)) < 1e-12);
    assert.deepEqual([...(await model.writeArray(point, { data, include_gqs: false }))].length, 2);
    assert.equal((await model.writeArray(point, { data }))[2], 5);
  });

  it('calls functions', async () => {
    const program = await client.compile(
      'functions { real f(real x) { return 1 / x; } real f(row_vector x) { return sum(x); } }',
    );
    assert.equal((await program.call('f', [4])).result, 0.25);
    assert.equal((await program.call('f', [Number.NaN])).result, 'NaN');
    const { result, type } = await program.call('f', [[1, 2]], { signature: ['row_vector'] });
    assert.deepEqual([result, type], [3, 'real']);
    await assert.rejects(program.call('f', ['x']), /no function f takes these arguments/);
  });

  it('sends and receives non-finite numbers', async () => {
    const program = await client.compile('data { real x; } generated quantities { real y = x; real z = -1 / 0.0; }');
    const values = await program.writeArray([], { data: { x: Number.NaN } });
    assert.deepEqual([...values], [Number.NaN, Number.NEGATIVE_INFINITY]);
  });

  it('sends data that are JSON text unchanged', async () => {
    const missing = await client.compile(
      'data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(is_nan(y[2]), 1); }',
    );
    assert.equal(await missing.logProb([1], { data: '{"N": 2, "y": [1, NaN]}' }), 0);
    await assert.rejects(missing.logProb([1], { data: '{"N": 2, "y": [1, ' }), { name: 'ServerError', code: 400 });
  });

  it('lists the functions and their arguments', async () => {
    const nuts = (await client.functions()).find(({ name }) => name === NUTS);
    assert.ok(nuts?.arguments.some(({ name }) => name === 'max_depth'));
  });

  it('runs a fit, reports its progress and iterates over its draws', async () => {
    const started = await model.fit({ function: NUTS, data, num_chains: 2, num_samples: 200, random_seed: 1 });
    const states: boolean[] = [];
    const fit = await started.wait({ interval: 10, onProgress: ({ done }) => states.push(done) });
    assert.equal(states.at(-1), true);
    const draws: Draw[] = [];
    for await (const draw of fit.draws()) draws.push(draw);
    assert.equal(draws.length, 400);
    assert.deepEqual(new Set(draws.map(({ chain }) => chain)), new Set([1, 2]));
    assert.ok(draws.every(({ values, warmup }) => values.twice === 2 * values.mu && !warmup));
    const [, modelId, , fitId] = fit.name.split('/');
    assert.equal(model.findFit(fitId).name, fit.name);
    assert.equal(`models/${modelId}`, model.name);
    assert.ok((await client.operations()).some(({ name }) => name === started.operation.name));
    await fit.delete();
    await assert.rejects(client.fit(fit.name).messages().next(), { name: 'ServerError', code: 404 });
  });

  it('reads summaries of the draws, and the draws in other formats', async () => {
    const fit = await (await model.fit({ function: NUTS, data, num_samples: 100, random_seed: 2 })).wait();
    assert.ok((await model.fits()).some(({ name, random_seed }) => name === fit.name && random_seed === 2));
    const { draws, variables } = await fit.summary({ variables: ['mu'] });
    assert.equal(draws, 100);
    assert.deepEqual(
      variables.map(({ name }) => name),
      ['mu'],
    );
    assert.ok((await fit.diagnose()).findings.length > 0);
    const loo = await fit.loo({ variables: ['mu'] });
    assert.deepEqual(
      loo.observations.map(({ name }) => name),
      ['mu'],
    );
    assert.ok(Number.isNaN(loo.se_elpd_loo));
    const [described] = (await fit.predictive({ variables: ['mu'] })).variables;
    assert.equal(described.observations[0].q50, described.statistics[0].q50);
    assert.ok(Number.isNaN(described.statistics[1].q50));
    // The program simulates no data: the server derives simulations.
    assert.deepEqual(
      (await fit.predictive({ data })).variables.map(({ simulated }) => simulated),
      ['y_rep'],
    );
    const csv = new TextDecoder().decode(await fit.download('csv', { variables: ['mu', 'sigma'] }));
    assert.match(csv, /^mu,sigma$/m);
    assert.equal(await (await fit.file('csv', { variables: ['mu', 'sigma'] })).text(), csv);
    const some: Draw[] = [];
    for await (const draw of fit.draws({ first: 11, last: 20, variables: ['mu'] })) some.push(draw);
    assert.equal(some.length, 10);
    assert.deepEqual(Object.keys(some[0].values), ['mu']);
  });

  async function warmupsOf(draws: AsyncIterable<Draw>): Promise<string> {
    const counts = new Map<string, number>();
    for await (const { chain, warmup } of draws) {
      const kind = `${chain}${warmup ? ' warmup' : ''}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    const texts = [...counts].map(([kind, count]) => `${kind}: ${count}`);
    return texts.sort().join(', ');
  }

  it('distinguishes draws of warmup from the others, in any request', async () => {
    const request: FitRequest = {
      function: NUTS,
      data,
      num_chains: 2,
      num_warmup: 20,
      num_samples: 30,
      save_warmup: true,
    };
    const { name } = await (await model.fit(request)).wait();
    const fit = client.fit(name);
    const all = '1 warmup: 20, 1: 30, 2 warmup: 20, 2: 30';
    for (const [options, expected] of [
      [{}, all],
      [{ variables: ['mu'] }, all],
      [{ variables: ['mu'], chain: 2 }, '2 warmup: 20, 2: 30'],
      [{ variables: ['mu'], first: 15, last: 24 }, '1 warmup: 6, 1: 4, 2 warmup: 6, 2: 4'],
      [{ variables: ['mu'], last: 5 }, '1 warmup: 5, 2 warmup: 5'],
      [{ variables: ['mu'], warmup: false }, '1: 30, 2: 30'],
    ] as const) {
      assert.equal(await warmupsOf(fit.draws(options)), expected, JSON.stringify(options));
    }
    const fixed: FitRequest = { function: 'stan::services::sample::fixed_param', data, num_chains: 2, num_samples: 30 };
    assert.equal(await warmupsOf((await model.fit(fixed)).draws({ follow: true })), '1: 30, 2: 30');
  });

  it('distinguishes the mean of an approximation from its draws', async () => {
    const request: FitRequest = {
      function: 'stan::services::experimental::advi::meanfield',
      data,
      output_samples: 30,
      random_seed: 1,
    };
    const started = await model.fit(request);
    assert.equal(await warmupsOf(started.draws({ follow: true, variables: ['mu'] })), '1 warmup: 1, 1: 30');
    for (const [options, expected] of [
      [{}, '1 warmup: 1, 1: 30'],
      [{ warmup: false }, '1: 30'],
      [{ first: 2 }, '1: 30'],
    ] as const) {
      assert.equal(await warmupsOf(client.fit(started.name).draws(options)), expected, JSON.stringify(options));
    }
  });

  it('distinguishes the optimum from the iterations before it', async () => {
    const request: FitRequest = {
      function: 'stan::services::optimize::lbfgs',
      data,
      save_iterations: true,
      random_seed: 1,
    };
    const started = await model.fit(request);
    const followed = await warmupsOf(started.draws({ follow: true, variables: ['mu'] }));
    assert.match(followed, /^1 warmup: [1-9]\d*, 1: 1$/);
    const fit = client.fit(started.name);
    const iterations = Number(/\d+(?=,)/.exec(followed)?.[0]);
    assert.ok(iterations > 3);
    for (const [options, expected] of [
      [{}, followed],
      [{ warmup: false }, '1: 1'],
      [{ last: 3 }, '1 warmup: 3'],
      [{ first: 2, last: 3, variables: ['mu'] }, '1 warmup: 2'],
      [{ last: iterations }, `1 warmup: ${iterations}`],
      [{ last: iterations + 1 }, followed],
      [{ first: 3, last: iterations + 5 }, `1 warmup: ${iterations - 2}, 1: 1`],
      [{ first: iterations + 1, last: iterations + 1 }, '1: 1'],
      [{ last: 3, warmup: false }, '1: 1'],
    ] as const) {
      assert.equal(await warmupsOf(fit.draws(options)), expected, JSON.stringify(options));
    }
  });

  it('distinguishes draws of warmup from the others while they are computed', async () => {
    const request: FitRequest = { function: NUTS, data, num_warmup: 50_000, num_samples: 1, save_warmup: true };
    const started = await model.fit(request);
    assert.equal(
      await warmupsOf(client.fit(started.name).draws({ follow: true, variables: ['mu'] })),
      '1 warmup: 50000, 1: 1',
    );
  });

  it('follows the draws of a fit in progress, and cancels it', async () => {
    const fit = await model.fit({ function: NUTS, data, num_samples: 2_000_000 });
    let count = 0;
    for await (const _ of fit.draws({ follow: true })) if (++count === 100) break;
    assert.equal(count, 100);
    await fit.cancel();
    await assert.rejects(fit.wait(), { name: 'ServerError', reason: 'cancelled', message: /cancel/i });
  });

  it('throws the reason why a fit that it follows has ended', async () => {
    const fit = await model.fit({ function: NUTS, data, num_samples: 2_000_000 });
    const follow = async () => {
      let count = 0;
      for await (const _ of fit.draws({ follow: true, variables: ['mu'] })) if (++count === 100) await fit.cancel();
    };
    await assert.rejects(follow, { name: 'ServerError', reason: 'cancelled', message: /cancel/i });
  });

  it("reports that a response was cut off if no other reason is known, and the caller's reason after an abort", async () => {
    const controller = new AbortController();
    const answer = (body: ReadableStream<Uint8Array>) =>
      new Client('http://localhost', {
        fetch: async () => new Response(body),
      }).fit('models/m/fits/f');
    const failing = (reason: unknown) => new ReadableStream<Uint8Array>({ start: (each) => each.error(reason) });
    await assert.rejects(
      answer(failing(new TypeError('terminated')))
        .messages()
        .next(),
      {
        message: 'the server closed the connection before the last message of models/m/fits/f',
      },
    );
    controller.abort();
    await assert.rejects(answer(failing(controller.signal.reason)).messages().next(), { name: 'AbortError' });
  });

  it('throws the errors of a request, field by field', async () => {
    await assert.rejects(model.fit({ function: NUTS, data, num_samples: -1, delta: 2 }), (error) => {
      assert.ok(error instanceof ServerError);
      assert.deepEqual(
        error.details.map((detail) => ('field' in detail ? detail.field : '')),
        ['/num_samples', '/delta'],
      );
      return true;
    });
  });

  it('sends a token, and uses the given fetch', async () => {
    const sent: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      sent.push(new Headers(init?.headers).get('authorization'));
      return globalThis.fetch(input, init);
    };
    assert.equal((await new Client(`${serving.address}/`, { token: 'secret', fetch }).health()).status, 'ok');
    assert.deepEqual(sent, ['Bearer secret']);
  });

  it('is what the package exports as leapfrog/client', async () => {
    const exported: { Client: unknown } = await import('leapfrog/client');
    assert.equal(exported.Client, Client);
  });
});

for (const style of ['literal', 'null']) {
  describe(`the client of a server that writes non-finite numbers as ${style}`, () => {
    let serving: Serving;
    before(async () => {
      serving = await serve({ LEAPFROG_NONFINITE: style });
    });
    after(() => serving.stop());

    it('parses them as numbers', async () => {
      const model = await new Client(serving.address).compile(`
        parameters { real x; }
        transformed parameters { real y = not_a_number(); }
        model { target += x > 0 ? negative_infinity() : 0; }
        generated quantities { real z = negative_infinity(); }
      `);
      const { NaN: nan, NEGATIVE_INFINITY } = Number;
      assert.equal(await model.logProb([1]), NEGATIVE_INFINITY);
      assert.deepEqual([...(await model.writeArray([-1]))], [-1, nan, NEGATIVE_INFINITY]);
      const name = 'stan::services::sample::hmc_nuts_unit_e';
      const fit = await (await model.fit({ function: name, num_samples: 20, init: { x: -1 } })).wait();
      for await (const { values } of fit.draws()) assert.deepEqual([values.y, values.z], [nan, NEGATIVE_INFINITY]);
      const [{ mean, rhat }] = (await fit.summary({ variables: ['z'] })).variables;
      assert.deepEqual([mean, rhat], [NEGATIVE_INFINITY, nan]);
      const { findings } = await fit.diagnose({ variables: ['y'] });
      assert.deepEqual(findings.find(({ check }) => check === 'draws')?.concerns, [{ name: 'y', value: nan }]);
      const { ok, text } = await fit.diagnose({ variables: ['z'] });
      assert.equal(ok, false);
      assert.match(text, /z: 20 of 20 draws are NaN or infinite/);
    });
  });
}
