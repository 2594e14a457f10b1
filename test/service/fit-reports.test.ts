/** Reports on draws by the service, summaries and diagnoses, over a real socket. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { summarize } from '../../src/inference/diagnostics/summary.js';
import { TestServer } from './harness.js';

const SAMPLE = 'stan::services::sample::hmc_nuts_diag_e_adapt';

/** R. M. Neal's funnel (Annals of Statistics 31, 2003): no step size fits both its neck and its mouth. */
const FUNNEL = `
parameters { real y; vector[9] x; }
model { y ~ normal(0, 3); x ~ normal(0, exp(y / 2)); }
`;
const WELL_BEHAVED = `
parameters { vector[3] x; }
model { x ~ std_normal(); }
`;

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly message: string;
  readonly concerns: readonly { readonly name: string; readonly value: number }[];
}

describe('reports on draws', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 30_000 });
  });
  after(() => server.remove());

  async function fitOf(program: string, settings: object): Promise<string> {
    const started = await server.post(`${await server.model(program)}/fits`, {
      function: SAMPLE,
      random_seed: 1,
      num_chains: 2,
      ...settings,
    });
    const { result } = (await server.finished(started.json.name)).json;
    assert.ok(result.name, JSON.stringify(result));
    return `/v1/${result.name}`;
  }

  const finding = (findings: readonly Finding[], check: string): Finding => {
    const found = findings.find((each) => each.check === check);
    assert.ok(found, check);
    return found;
  };

  test('a summary covers the draws after warmup', async () => {
    const fit = await fitOf(WELL_BEHAVED, { num_samples: 200, num_warmup: 200, save_warmup: true });
    const messages = (await server.get(`${fit}?warmup=false&variables=x[2]`)).text.trimEnd().split('\n');
    const draws = messages
      .map((line): { topic: string; chain: number; values: { 'x.2'?: number } } => JSON.parse(line))
      .filter(({ topic, values }) => topic === 'sample' && values['x.2'] !== undefined);
    const chains = [1, 2].map((chain) =>
      Float64Array.from(
        draws.filter((draw) => draw.chain === chain),
        ({ values }) => values['x.2'] ?? Number.NaN,
      ),
    );
    const { mean, mcseMean, sd, mcseSd, q05, q50, q95, essBulk, essTail, rhat } = summarize(chains);
    const answer = await server.get(`${fit}/summary?variables=x[2]`);
    assert.deepEqual(answer.json.variables, [
      {
        name: 'x.2',
        mean,
        mcse_mean: mcseMean,
        sd,
        mcse_sd: mcseSd,
        q5: q05,
        q50,
        q95,
        ess_bulk: essBulk,
        ess_tail: essTail,
        rhat,
      },
    ]);
    assert.equal(answer.json.draws, 200);
    const names = (await server.get(`${fit}/summary`)).json.variables.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['lp__', 'x.1', 'x.2', 'x.3']);
  });

  test('the mean of an approximation and the iterations of an optimizer are sent but do not count', async () => {
    const model = await server.model(WELL_BEHAVED);
    const run = async (settings: object) => {
      const started = await server.post(`${model}/fits`, { random_seed: 1, ...settings });
      return `/v1/${(await server.finished(started.json.name)).json.result.name}`;
    };
    const rows = async (address: string) =>
      (await server.get(address)).text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .slice(1);
    const normal = await run({ function: 'stan::services::experimental::advi::meanfield', output_samples: 20 });
    const all = await rows(`${normal}?format=csv`);
    const drawn = await rows(`${normal}?format=csv&warmup=false`);
    assert.match(all[0], /^0,0,0,/);
    assert.deepEqual(all.slice(1), drawn);
    const { draws, variables } = (await server.get(`${normal}/summary?variables=x[1]`)).json;
    const mean = drawn.map((row) => Number(row.split(',')[3])).reduce((sum, value) => sum + value / 20, 0);
    assert.equal(draws, 20);
    assert.ok(Math.abs(variables[0].mean - mean) < 1e-12);

    const climbed = await run({ function: 'stan::services::optimize::lbfgs', save_iterations: true });
    const iterations = await rows(`${climbed}?format=csv`);
    assert.ok(iterations.length > 1);
    assert.deepEqual(await rows(`${climbed}?format=csv&warmup=false`), iterations.slice(-1));
    assert.equal((await server.get(`${climbed}/summary`)).json.draws, 1);
  });

  test('a diagnosis of good draws finds no problems', async () => {
    const fit = await fitOf(WELL_BEHAVED, { num_samples: 1000 });
    const { json } = await server.get(`${fit}/diagnose`);
    assert.equal(json.ok, true, json.text);
    const checks = json.findings.map(({ check }: Finding) => check);
    assert.deepEqual(checks, ['divergences', 'treedepth', 'energy', 'rhat', 'ess']);
  });

  test('a diagnosis of a funnel reports divergences, energy and convergence, with remedies', async () => {
    const fit = await fitOf(FUNNEL, { num_samples: 1000, num_chains: 4 });
    const { json } = await server.get(`${fit}/diagnose`);
    assert.equal(json.ok, false);
    const expected: [string, RegExp][] = [
      ['divergences', /^\d+ of 4000 transitions \([\d.]+ %\) diverged: .*Increase delta .*reparameterize/],
      ['energy', /^E-BFMI is below 0\.3 in chains? \d .*Reparameterize the model/],
      ['rhat', /above 1\.01 for .*y \(.*Run them longer/],
      ['ess', /is below 400, 100 per chain, for .*y \(.*Draw more samples, or reparameterize/],
    ];
    for (const [check, pattern] of expected) {
      const { ok, message, concerns } = finding(json.findings, check);
      assert.equal(ok, false, message);
      assert.match(message, pattern);
      assert.ok(concerns.length > 0);
      assert.ok(json.text.includes(message));
    }
  });

  test('a diagnosis reports trajectories that reached the maximum depth', async () => {
    const fit = await fitOf(WELL_BEHAVED, { num_samples: 100, max_depth: 1 });
    const { json } = await server.get(`${fit}/diagnose`);
    const { ok, message } = finding(json.findings, 'treedepth');
    assert.equal(ok, false);
    assert.match(message, /maximum tree depth of 1.*max_depth/);
  });

  test('a diagnosis of too few draws does not call them good', async () => {
    for (const [num_samples, pattern] of [
      [0, /no draws after warmup/],
      [1, /There is one draw per chain, too few to check/],
      [5, /There are 5 draws per chain, too few to check/],
    ] as const) {
      const { json } = await server.get(`${await fitOf(WELL_BEHAVED, { num_samples })}/diagnose`);
      assert.equal(json.ok, false);
      assert.match(finding(json.findings, 'draws').message, pattern);
    }
    const lbfgs = { function: 'stan::services::optimize::lbfgs', num_chains: undefined };
    const { json } = await server.get(`${await fitOf(WELL_BEHAVED, lbfgs)}/diagnose`);
    assert.equal(json.ok, false);
    assert.match(json.text, /too few to check/);
  });

  test('a diagnosis of chains that never move lists the columns by their names in the program', async () => {
    const narrow = 'parameters { vector[2] x; } model { x ~ normal(0, 1e-3); }';
    const fit = await fitOf(narrow, {
      function: 'stan::services::sample::hmc_static_diag_e',
      stepsize: 1,
      num_samples: 100,
    });
    const { json } = await server.get(`${fit}/diagnose`);
    assert.equal(json.ok, false);
    const { concerns, message } = finding(json.findings, 'draws');
    const names = concerns.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['lp__', 'x.1', 'x.2']);
    assert.match(
      message,
      /3 quantities, lp__, x\[1\], x\[2\], are equal, but they differ between chains: the sampler does not move/,
    );
  });
});
