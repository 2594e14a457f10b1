/** Runs that stop when their draws are precise enough. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { close, compile, type Fit, type Model, openFit, outlookText, RequestError } from 'leapfrog';

const PROGRAM = `data { int N; vector[N] y; }
parameters { vector[N] theta; real mu; real<lower=0> tau; }
model { mu ~ normal(0, 5); tau ~ lognormal(0, 1); theta ~ normal(mu, tau); y ~ normal(theta, 0.5); }
generated quantities { real z = normal_rng(mu, 1); }
`;
const usual = {
  data: { N: 3, y: [1, 2, 4] },
  random_seed: 3,
  num_warmup: 200,
  num_samples: 100,
  num_chains: 2,
  refresh: 50,
};

describe('a run with a stopping rule', () => {
  let model: Model;
  before(async () => {
    model = await compile(PROGRAM);
  });
  after(close);

  /** The CSV text of each chain without what differs between runs. */
  const texts = (fit: Fit) =>
    fit.chains.map(({ id }) =>
      fit
        .csv(id)
        .replace(/start_datetime = .*|run_id = .*/g, '')
        .replace(/# .* seconds .*/g, ''),
    );

  it('is bit-identical to a run with that number of iterations', async () => {
    const request = { ...usual, save_warmup: true, num_thin: 2, stepsize_jitter: 0.3 };
    const run = model.sample({ ...request, until: { ess_bulk: 300, rhat: 1.05 } });
    const fit = await run.result();
    assert.ok(fit.stopped?.reason === 'precise', JSON.stringify(fit.stopped));
    const { iterations } = fit.stopped;
    assert.ok(iterations > 100 && iterations % 100 === 0, `${iterations}`);
    const whole = await model.sample({ ...request, num_samples: iterations }).result();
    assert.deepEqual(texts(fit), texts(whole));
    assert.deepEqual(
      fit.chains.map(({ values, diagnostics, state }) => ({ values, diagnostics, state })),
      whole.chains.map(({ values, diagnostics, state }) => ({ values, diagnostics, state })),
    );
    assert.deepEqual(fit.asked.until, { ess_bulk: 300, rhat: 1.05, block: 100 });

    const judged = (await fit.summary()).filter(({ name }) => name !== 'z');
    assert.ok(judged.every(({ essBulk, rhat }) => essBulk >= 300 && rhat <= 1.05));
    const before = await model.sample({ ...request, num_samples: iterations - 100 }).result();
    const earlier = (await before.summary()).filter(({ name }) => name !== 'z');
    assert.ok(earlier.some(({ essBulk, rhat }) => essBulk < 300 || rhat > 1.05));

    const kinds = new Map<string, number>();
    const lines: string[] = [];
    for await (const event of run) {
      if (event.chain !== 2) continue;
      kinds.set(event.kind, (kinds.get(event.kind) ?? 0) + 1);
      if (event.kind === 'log') lines.push(event.text);
    }
    for (const kind of ['start', 'initialization', 'adaptation', 'end']) assert.equal(kinds.get(kind), 1, kind);
    assert.equal(lines.at(-1), `Stopped after ${iterations} iterations: the draws are as precise as required.`);
    const progress = lines.filter((line) => line.startsWith('Iteration:'));
    assert.equal(progress.length, new Set(progress).size);
    assert.equal(progress.filter((line) => line.endsWith('(Sampling)')).length, 1 + iterations / 50);
    assert.equal(lines.filter((line) => line.includes('Elapsed Time')).length, 1);
  });

  it('depends only on the named quantities', async () => {
    const until = { ess_bulk: 400 };
    const all = await model.sample({ ...usual, until }).result();
    const some = await model.sample({ ...usual, until: { ...until, quantities: ['z', 'theta[2]'] } }).result();
    assert.ok((some.stopped?.iterations ?? 0) < (all.stopped?.iterations ?? 0));
    const least = Math.min(...(await some.summary({ variables: ['z', 'theta[2]'] })).map(({ essBulk }) => essBulk));
    assert.ok(least >= 400);
  });

  it('has an outlook with what was missing at the last check', async () => {
    const run = model.sample({ ...usual, until: { ess_bulk: 1e6, max_iterations: 20_000 }, num_samples: 10_000 });
    const texts = new Set<string>();
    for await (const _ of run) texts.add(outlookText(run.outlook()));
    const found = (pattern: RegExp) => [...texts].some((text) => pattern.test(text));
    const name = String.raw`\((theta\[\d\]|mu|tau|lp__)\)`;
    assert.ok(found(new RegExp(`^R-hat 1\\.\\d\\d ${name}, ESS \\d+ ${name}, \\d+ divergent`)), [...texts].join('\n'));
    assert.ok(found(new RegExp(`^ess_bulk [\\d.]+ of 1000000 ${name}, \\d+ divergent`)), [...texts].join('\n'));
    const { stopped } = await run.result();
    const { iterations, ...shortfall } = run.outlook().shortfall ?? {};
    assert.deepEqual(shortfall, stopped?.shortfall);
    assert.equal(iterations, 20_000);
    assert.equal(run.outlook().secondsLeft, undefined);
  });

  it('reports what is missing at max_iterations, also after it has been stored', async () => {
    const fit = await model.sample({ ...usual, until: { ess_bulk: 1e6, max_iterations: 250 } }).result();
    assert.equal(fit.draws, 250);
    const { reason, shortfall } = fit.stopped ?? {};
    assert.equal(reason, 'max_iterations');
    assert.ok(shortfall !== undefined && shortfall.statistic === 'ess_bulk' && shortfall.value < 1e6);
    const summaries = await fit.summary();
    const least = Math.min(...summaries.filter(({ name }) => name !== 'z').map(({ essBulk }) => essBulk));
    assert.equal(shortfall.value, least);
    const kept = openFit(fit.contents());
    assert.deepEqual(kept.stopped, fit.stopped);
  });

  it('rejects rules that cannot decide', async () => {
    const refused = async (fields: object) => {
      const error = await model
        .runMethod('sample', { ...usual, ...fields })
        .result()
        .catch((reason: unknown) => reason);
      assert.ok(error instanceof RequestError, String(error));
      return error.message;
    };
    const messages: readonly (readonly [object, RegExp])[] = [
      [{ until: 400 }, /until must be an object/],
      [{ until: { ess: 400, ess_bulk: 1 } }, /until\/ess is unknown/],
      [
        { until: { rhat: 1.1 }, algorithm: 'static' },
        /is supported only by the functions hmc_nuts_…, recommended and tempered/,
      ],
    ];
    for (const [fields, expected] of messages) assert.match(await refused(fields), expected);
  });
});
