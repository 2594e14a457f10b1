import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { summarize } from '../../src/inference/diagnostics/summary.js';
import { autoregressive } from '../support/series.js';
import reference from './summaries.json' with { type: 'json' };

type Case = (typeof reference.cases)[number];

/** A chain; its third power for heavy tails. */
function series(seed: number, { length, correlation, heavy }: Case, shift: number): Float64Array {
  const shifted = autoregressive(seed, length, correlation).map((value) => value + shift);
  return heavy ? shifted.map((value) => value ** 3) : shifted;
}

describe('summaries equal those of the R package posterior', () => {
  for (const each of reference.cases) {
    it(each.name, () => {
      const chains = Array.from({ length: each.chains }, (_, k) => series(11 + k, each, each.shift * k));
      const { mean, sd, q05, q50, q95, mcseMean, mcseSd, rhat, essBulk, essTail } = summarize(chains);
      const found: Readonly<Record<keyof Case['expected'], number>> = {
        mean,
        sd,
        rhat,
        q5: q05,
        q50,
        q95,
        mcse_mean: mcseMean,
        mcse_sd: mcseSd,
        ess_bulk: essBulk,
        ess_tail: essTail,
      };
      for (const [name, value] of Object.entries(each.expected)) {
        const actual = Object.entries(found).find(([key]) => key === name)?.[1] ?? Number.NaN;
        assert.ok(
          Math.abs(actual - value) <= 1e-10 * Math.max(1, Math.abs(value)),
          `${name}: ${actual} is not ${value}`,
        );
      }
    });
  }
});
