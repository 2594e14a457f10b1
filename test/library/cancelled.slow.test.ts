/** Cancelled runs can be continued where they stopped. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { close, compile, type Fit, type Model, openFit } from 'leapfrog';

const PROGRAM = `data { int N; vector[N] y; }
transformed data { real shift = normal_rng(0, 1); }
parameters { vector[N] theta; real mu; real<lower=0> tau; }
model { mu ~ normal(shift, 5); tau ~ lognormal(0, 1); theta ~ normal(mu, tau); y ~ normal(theta, 0.5); }
generated quantities { real z = normal_rng(mu, 1); }
`;
const usual = { data: { N: 3, y: [1, 2, 4] }, random_seed: 3, num_warmup: 200, num_chains: 2, refresh: 0 };
const ENDLESS = 100_000_000;

describe('a cancelled run', () => {
  let model: Model;
  before(async () => {
    model = await compile(PROGRAM);
  });
  after(close);

  /** The draws of a run that is cancelled once each chain has drawn. */
  async function cancelled(fields: object, least: number): Promise<Fit> {
    const stop = new AbortController();
    const run = model.runMethod('sample', { ...usual, ...fields }, { signal: stop.signal });
    const counts = new Map<number, number>();
    for await (const event of run) {
      if (event.kind !== 'draws') continue;
      counts.set(event.chain, (counts.get(event.chain) ?? 0) + event.count);
      if ([1, 2].every((chain) => (counts.get(chain) ?? 0) > least)) break;
    }
    stop.abort();
    await assert.rejects(run.result());
    const fit = run.soFar();
    assert.ok(fit !== undefined && fit.draws > 0);
    return fit;
  }

  /** Continues it twice, and compares all draws of each chain with those of a single run. */
  async function assertContinues(fit: Fit, fields: object): Promise<void> {
    const request = { ...usual, ...fields, num_samples: 60 };
    const rest = await model.runMethod('sample', { ...request, continue: openFit(fit.contents()) }).result();
    const more = await model.runMethod('sample', { ...request, continue: rest }).result();
    for (const { adapted, id, draws, values, warmup } of fit.chains) {
      const parts = [rest, more].map((each) => each.chains.find((chain) => chain.id === id));
      const start = warmup * fit.columns.length;
      const found = [values.slice(start), ...parts.map((chain) => chain?.values ?? new Float64Array())];
      const length = draws + 60 + 60;
      const whole = await model.runMethod('sample', { ...usual, ...fields, num_samples: length }).result();
      const wanted = whole.chains.find((chain) => chain.id === id);
      assert.ok(wanted !== undefined);
      assert.deepEqual(adapted, wanted.adapted);
      const all = found.flatMap((each) => [...each]);
      const expected = [...wanted.values.slice(wanted.warmup * fit.columns.length)];
      assert.equal(all.length, expected.length);
      const place = all.findIndex((value, index) => !Object.is(value, expected[index]));
      assert.equal(place, -1, `chain ${id}, row ${Math.floor(place / fit.columns.length)} of ${draws} and 120`);
    }
  }

  for (const metric of ['unit_e', 'diag_e', 'dense_e', 'low_rank']) {
    it(`is continued with the metric ${metric} and bit-identical draws`, async () => {
      const fields = { metric, stepsize_jitter: 0.4 };
      await assertContinues(await cancelled({ ...fields, num_samples: ENDLESS }, 300), fields);
    });
  }

  it('is continued with saved warmup', async () => {
    const fields = { save_warmup: true };
    await assertContinues(await cancelled({ ...fields, num_samples: ENDLESS }, 300), fields);
  });

  it('is continued with its learned coordinates', async () => {
    const fields = { reparameterize: 'auto' };
    await assertContinues(await cancelled({ ...fields, num_samples: ENDLESS }, 300), fields);
  });

  it('is continued from the block in progress', async () => {
    const until = { ess_bulk: 1e9, max_iterations: ENDLESS };
    await assertContinues(await cancelled({ num_samples: 1000, until }, 2500), {});
  });

  it('is continued if it continued another run', async () => {
    const first = await model.sample({ ...usual, num_samples: 50 }).result();
    const second = await cancelled({ num_samples: ENDLESS, continue: first }, 200);
    const rest = await model.sample({ ...usual, num_samples: 30, continue: second }).result();
    const length = 50 + (second.chains[0]?.draws ?? 0) + 30;
    const whole = await model.sample({ ...usual, num_samples: length }).result();
    const last = (fit: Fit) => [...(fit.chains[0]?.values.slice(-30 * fit.columns.length) ?? [])];
    assert.deepEqual(last(rest), last(whole));
  });

  it('cannot be continued before the end of warmup', async () => {
    const stop = new AbortController();
    const run = model.sample({ ...usual, num_warmup: ENDLESS, save_warmup: true }, { signal: stop.signal });
    for await (const event of run) if (event.kind === 'draws') break;
    stop.abort();
    await assert.rejects(run.result());
    const fit = run.soFar();
    assert.ok(fit !== undefined);
    await assert.rejects(
      model.sample({ ...usual, continue: fit }).result(),
      /fits of the No-U-Turn sampler that have ended warmup/,
    );
  });
});
