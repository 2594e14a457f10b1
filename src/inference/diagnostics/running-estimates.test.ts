import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { combinedEstimates, RunningEstimates } from './running-estimates.js';
import { summarize } from './summary.js';

/** Chains of an autoregressive process with this coefficient. The last chain is displaced. */
function chainsOf(coefficient: number, displacement: number, draws: number): Float64Array[] {
  return [1, 2, 3, 4].map((id) => {
    const rng = createRng(3, id);
    let value = rng.normal();
    return Float64Array.from({ length: draws }, () => {
      value = coefficient * value + Math.sqrt(1 - coefficient ** 2) * rng.normal();
      return 1e3 + value + (id === 4 ? displacement : 0);
    });
  });
}

function estimatesOf(chains: readonly Float64Array[]) {
  const running = chains.map((chain) => {
    const estimates = new RunningEstimates(['constant', 'x']);
    for (const value of chain) estimates.add(Float64Array.of(value, 7), [1, 0]);
    return estimates.estimates();
  });
  return combinedEstimates(running, 5);
}

describe('estimates of running chains', () => {
  for (const [coefficient, draws] of [
    [0, 4000],
    [0.5, 3000],
    [0.9, 5000],
  ]) {
    it(`have sample sizes within 30 % of those of all draws, for an autocorrelation of ${coefficient}`, () => {
      const chains = chainsOf(coefficient, 0, draws);
      const [{ ess, name, rhat }, ...others] = estimatesOf(chains);
      assert.deepEqual([name, others], ['x', []]);
      const exact = summarize(chains);
      assert.ok(Math.abs(ess / exact.essBulk - 1) < 0.3, `${ess} and ${exact.essBulk}`);
      assert.ok(Math.abs(rhat - exact.rhat) < 0.005, `${rhat} and ${exact.rhat}`);
    });
  }

  for (const draws of [40, 100, 200]) {
    it(`have sample sizes of the right order after ${draws} correlated draws`, () => {
      const chains = chainsOf(0.9, 0, draws);
      const [{ ess }] = estimatesOf(chains);
      const expected = (4 * draws * (1 - 0.9)) / (1 + 0.9);
      assert.ok(ess > expected / 2 && ess < 2 * expected, `${ess} and ${expected}`);
    });
  }

  it('have a large R-hat if one chain is far from the others, like that of all draws', () => {
    const chains = chainsOf(0.5, 2, 1000);
    const [{ rhat }] = estimatesOf(chains);
    const exact = summarize(chains).rhat;
    assert.ok(rhat > 1.2 && Math.abs(rhat / exact - 1) < 0.1, `${rhat} and ${exact}`);
  });

  it('list quantities on which chains disagree first, even if these have many effective draws', () => {
    const running = ['stuck', 'slow'].map((name, index) =>
      chainsOf(index === 0 ? 0 : 0.9, index === 0 ? 2 : 0, 3000).map((chain) => {
        const estimates = new RunningEstimates([name]);
        for (const value of chain) estimates.add(Float64Array.of(value), [0]);
        return estimates.estimates();
      }),
    );
    const chains = running[0].map((estimates, chain) => [...running[1][chain], ...estimates]);
    assert.deepEqual(
      combinedEstimates(chains, 5).map(({ name }) => name),
      ['stuck', 'slow'],
    );
  });

  it('cover the chains that have started, and are empty for few draws', () => {
    assert.deepEqual(estimatesOf(chainsOf(0, 0, 15)), []);
    const [first] = chainsOf(0, 0, 100);
    const running = new RunningEstimates(['x']);
    for (const value of first) running.add(Float64Array.of(value), [0]);
    const alone = combinedEstimates([running.estimates()], 5);
    assert.deepEqual(combinedEstimates([running.estimates(), []], 5), alone);
  });
});
