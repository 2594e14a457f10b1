/** Runs whose chains run one after the other, or several at a time. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { close, compile } from '../../src/node/library/index.js';

const PROGRAM = 'parameters { real x; } model { x ~ normal(0, 1); }';

/** The maximum number of chains that had started and not ended, and the order in which chains started. */
async function observe(parallelChains: number | undefined) {
  const model = await compile(PROGRAM);
  const run = model.sample({ num_chains: 4, random_seed: 1 }, parallelChains === undefined ? {} : { parallelChains });
  const running = new Set<number>();
  const started: number[] = [];
  let most = 0;
  for await (const { chain, kind } of run) {
    if (kind === 'end') running.delete(chain);
    else if (!started.includes(chain)) {
      started.push(chain);
      running.add(chain);
    }
    most = Math.max(most, running.size);
  }
  return { most, started, draws: (await run.result()).column('x') };
}

describe('the chains of a run', () => {
  after(() => close());

  it('run at most the given number at a time, in order, with the same draws', async () => {
    const all = await observe(undefined);
    for (const parallelChains of [1, 2]) {
      const { draws, most, started } = await observe(parallelChains);
      assert.ok(most <= parallelChains, `${most}`);
      if (parallelChains === 1) assert.deepEqual(started, [1, 2, 3, 4]);
      assert.deepEqual(draws, all.draws);
    }
  });
});
