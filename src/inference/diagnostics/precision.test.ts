import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Precision, type PrecisionRule, worstShortfall } from './precision.js';

function quantity(name: string, fields: Partial<Precision> = {}): Precision {
  return {
    name,
    rhat: 1.005,
    essBulk: 500,
    essTail: 450,
    mcseMean: 0.1,
    mcseSd: 0.05,
    variation: 'within chains',
    ...fields,
  };
}

const constant = quantity('one', { variation: 'none', rhat: Number.NaN, essBulk: Number.NaN, essTail: Number.NaN });

describe('the precision of draws', () => {
  it('accepts limits that are equal to the statistics', () => {
    const limits = { ess_bulk: 500, ess_tail: 450, rhat: 1.005 };
    assert.equal(worstShortfall(limits, [quantity('a'), constant]), undefined);
    assert.equal(worstShortfall({}, [quantity('a')]), undefined);
  });

  it('finds the worst shortfall over quantities and statistics', () => {
    const quantities = [
      quantity('a', { essBulk: 300 }),
      quantity('b', { essTail: 200 }),
      quantity('c', { rhat: 1.02 }),
    ];
    const worst = worstShortfall({ ess_bulk: 400, ess_tail: 400, rhat: 1.015 }, quantities);
    assert.deepEqual(worst, { quantity: 'b', statistic: 'ess_tail', value: 200, limit: 400 });
    assert.equal(worstShortfall({ ess_bulk: 400, ess_tail: 400, rhat: 1.005 }, quantities)?.quantity, 'c');
    assert.equal(worstShortfall({ rhat: 1.02 }, quantities), undefined);
  });

  it('limits Monte Carlo errors, which decrease with the square root of the number of draws', () => {
    const quantities = [
      quantity('a', { mcseMean: 0.3 }),
      quantity('b', { mcseSd: 0.2 }),
      quantity('c', { essBulk: 100 }),
    ];
    const worst = (rule: PrecisionRule) => worstShortfall(rule, quantities)?.quantity;
    assert.equal(worst({ mcse_mean: 0.3, mcse_sd: 0.2 }), undefined);
    // 9, 16 and 10 times more draws.
    assert.equal(worst({ mcse_mean: 0.1, mcse_sd: 0.05, ess_bulk: 1000 }), 'b');
    assert.equal(worst({ mcse_mean: 0.1, ess_bulk: 1000 }), 'c');
    assert.equal(worst({ mcse_mean: 0.1, mcse_sd: 0.1 }), 'a');
  });

  it('counts statistics that cannot be computed, unless the quantity is constant', () => {
    for (const variation of ['not finite', 'between chains'] as const) {
      const worst = worstShortfall({ ess_bulk: 1 }, [quantity('a', { essBulk: 0.5 }), quantity('b', { variation })]);
      assert.equal(worst?.quantity, 'b');
      assert.ok(Number.isNaN(worst.value));
    }
    assert.equal(worstShortfall({ ess_bulk: 1 }, [quantity('few', { essBulk: Number.NaN })])?.quantity, 'few');
    assert.equal(worstShortfall({ rhat: 1.1 }, [constant, constant])?.quantity, 'one');
  });
});
