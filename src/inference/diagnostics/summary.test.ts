import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { autoregressive } from '../../../test/support/series.js';
import type { Chains } from './chains.js';
import { quantiles } from './moments.js';
import { normalQuantile } from './normal-quantile.js';
import { type Summary, summarize } from './summary.js';

/** A chain, optionally rounded to multiples of 1/4. */
function series(seed: number, length: number, correlation: number, shift: number, rounded: boolean): Float64Array {
  const shifted = autoregressive(seed, length, correlation).map((value) => value + shift);
  return rounded ? shifted.map((value) => roundHalfEven(value * 4) / 4) : shifted;
}

function roundHalfEven(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

function chains(length: number, correlation: number, shift: number, rounded: boolean): Chains {
  return [0, 1, 2, 3].map((chain) => series(11 + chain, length, correlation, shift * chain, rounded));
}

describe('posterior summaries', () => {
  // Expected numbers: the definitions of the R package posterior, in Python with numpy's FFT and scipy's ranks and quantiles.
  const cases: { name: string; draws: Chains; expected: Omit<Summary, 'variation' | 'isSeparated'> }[] = [
    {
      name: 'odd number of positively correlated draws',
      draws: chains(501, 0.5, 0, false),
      expected: {
        mean: 0.01443450829010438,
        sd: 0.6622329864093561,
        mcseMean: 0.025729705352819092,
        mcseSd: 0.011906665000001388,
        q05: -1.0591356657418656,
        q50: 0.024394520934347803,
        q95: 1.1022610021997594,
        essBulk: 662.9560312049762,
        essTail: 1226.5897950044928,
        rhat: 1.0065810159855237,
      },
    },
    {
      name: 'chains that disagree',
      draws: chains(400, -0.4, 0.3, false),
      expected: {
        mean: 0.45034765713744646,
        sd: 0.7190288462071799,
        mcseMean: 0.1704807498611937,
        mcseSd: 0.014604962198829152,
        q05: -0.6946830644468548,
        q50: 0.4386762753422222,
        q95: 1.6243710755260325,
        essBulk: 17.890175826949893,
        essTail: 263.7511440881976,
        rhat: 1.1497853603448434,
      },
    },
    {
      name: 'slow chains with ties',
      draws: chains(300, 0.9, 0, true),
      expected: {
        mean: -0.060625,
        sd: 1.342596861056127,
        mcseMean: 0.21105666319214308,
        mcseSd: 0.08874660816174594,
        q05: -2.25,
        q50: 0,
        q95: 2.25,
        essBulk: 40.95525943561853,
        essTail: 91.48958999494135,
        rhat: 1.0822152459632144,
      },
    },
  ];
  for (const { name, draws, expected } of cases) {
    it(`equal those of posterior: ${name}`, () => {
      const actual = summarize(draws);
      for (const [key, value] of Object.entries(expected)) {
        const found = Object.entries(actual).find(([name]) => name === key)?.[1] ?? Number.NaN;
        assert.ok(Math.abs(found - value) <= 1e-10 * Math.max(1, Math.abs(value)), `${key}: ${found} is not ${value}`);
      }
    });
  }

  it('are NaN for constant draws and NaN', () => {
    const constant = summarize([new Float64Array(10).fill(3), new Float64Array(10).fill(3)]);
    assert.equal(constant.mean, 3);
    assert.ok(Number.isNaN(constant.essBulk) && Number.isNaN(constant.rhat) && Number.isNaN(constant.mcseMean));
    const broken = summarize([Float64Array.of(1, 2, Number.NaN, 4)]);
    assert.ok(Number.isNaN(broken.q50) && Number.isNaN(broken.essTail));
  });

  it('report whether draws vary', () => {
    const of = (...chains: readonly (readonly number[])[]) =>
      summarize(chains.map((chain) => Float64Array.from(chain))).variation;
    assert.equal(of([1, 1], [1 + 2 ** -50, 1 - 2 ** -50]), 'none');
    assert.equal(of([1, 1 + 2 ** -40], [1, 1]), 'within chains');
    assert.equal(of([Number.NEGATIVE_INFINITY], [Number.NEGATIVE_INFINITY]), 'none');
    assert.equal(of([1, 1], [2, 2]), 'between chains');
    assert.equal(of([1, 1], [1, 2]), 'within chains');
    assert.equal(of([1e-20, 2e-20]), 'within chains');
    assert.equal(of([1, 2], [3, Number.NaN]), 'not finite');
    assert.equal(of([Number.NaN, Number.NaN]), 'not finite');
  });

  it('have a huge R-hat if chains stay at different values, and none if all are equally far from the median', () => {
    const stuck = [1, 2, 4].map((value) => new Float64Array(10).fill(value / 10));
    assert.ok(summarize(stuck).rhat > 1e6);
    const halves = [0, 1].map((remainder) =>
      Float64Array.from({ length: 20 }, (_, k) => (k % 2 === remainder ? 1 : 0)),
    );
    assert.ok(Number.isNaN(summarize(halves).rhat));
    assert.ok(Number.isNaN(summarize([Float64Array.of(1, 2, 3)]).rhat));
  });

  it('interpolate quantiles', () => {
    assert.deepEqual(quantiles(Float64Array.of(4, 1, 3, 2), [0, 0.5, 0.9, 1]), [1, 2.5, 3.7, 4]);
  });
});

describe('the normal quantile', () => {
  for (const [probability, expected] of [
    [0.5, 0],
    [0.975, 1.959963984540054],
    [0.05, -1.6448536269514729],
    [1e-20, -9.262340089798409],
  ]) {
    it(`at ${probability} is ${expected}`, () => {
      assert.ok(Math.abs(normalQuantile(probability) - expected) <= 4e-16 * Math.max(1, Math.abs(expected) * 2));
    });
  }
});
