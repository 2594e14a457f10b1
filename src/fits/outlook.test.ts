import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outlookOf, outlookText } from './outlook.js';

const estimates = [
  { name: 'tau', rhat: 1.0234, ess: 130.7 },
  { name: 'theta.2', rhat: 1.001, ess: 87.9 },
];

/** A chain whose iterations take a hundredth of a second. */
function chain(iteration: number, iterations = 2000, divergences = 0) {
  const progress = { iteration, iterations, divergences, seconds_left: (iterations - iteration) / 100 };
  return { progress, isOver: iteration === iterations };
}
const waiting = { progress: undefined, isOver: false };

describe('the outlook of a run in progress', () => {
  it('has the worst estimates, the divergences of all chains and the time left', () => {
    const outlook = outlookOf([chain(1500, 2000, 2), chain(1200, 2000, 1)], estimates);
    assert.equal(outlookText(outlook), 'R-hat 1.02 (tau), ESS 87 (theta[2]), 3 divergent, about 8 s left');
  });

  it('is empty before there is anything to report', () => {
    assert.equal(outlookText(outlookOf([waiting, waiting], [])), '');
    assert.equal(outlookText(outlookOf([chain(1)], [])), '0 divergent');
  });

  it('counts waiting chains, and omits the time when all have ended', () => {
    assert.equal(outlookOf([chain(1000), chain(1000), waiting, waiting, waiting], []).secondsLeft, 50);
    assert.equal(outlookOf([chain(2000), chain(2000)], estimates).secondsLeft, undefined);
    assert.equal(outlookOf([chain(2000), chain(1500)], []).secondsLeft, 5);
  });

  describe('with a stopping rule', () => {
    const target = { until: { ess_bulk: 300, rhat: 1.05 }, block: 100 };
    // 200 iterations of warmup, then at most 10 blocks.
    const chains = (sampled: number) => [chain(200 + sampled, 1200), chain(200 + sampled, 1200)];

    it('lasts until the missing draws are expected, in whole blocks', () => {
      const shortfall = { iterations: 200, quantity: 'tau', statistic: 'ess_bulk', value: 130, limit: 300 } as const;
      assert.equal(outlookOf(chains(250), [], { ...target, shortfall }).secondsLeft, 2.5);
      assert.equal(outlookOf(chains(60), estimates, target).secondsLeft, 2.4);
    });

    it('ends with the current block, or with the last iteration if the statistic does not exist', () => {
      const shortfall = { iterations: 200, quantity: 'tau', statistic: 'ess_bulk', value: 299, limit: 300 } as const;
      assert.equal(outlookOf(chains(320), [], { ...target, shortfall }).secondsLeft, 0.8);
      const { value: _, ...unknown } = shortfall;
      assert.equal(outlookOf(chains(320), [], { ...target, shortfall: unknown }).secondsLeft, 6.8);
    });

    it('shows what was missing at the last check instead of the estimates of the current block', () => {
      const shortfall = {
        iterations: 200,
        quantity: 'theta.2',
        statistic: 'rhat',
        value: 1.0712345,
        limit: 1.05,
      } as const;
      const outlook = outlookOf(chains(250), estimates, { ...target, shortfall });
      assert.equal(outlookText(outlook), 'rhat 1.071 of 1.05 (theta[2]), 0 divergent, about 1 s to the target');
    });

    it('considers only the quantities of the rule', () => {
      const until = { ess_bulk: 300, quantities: ['tau'] };
      assert.equal(outlookOf(chains(60), estimates, { ...target, until }).secondsLeft?.toFixed(9), '1.400000000');
    });
  });
});
