/** Programs with other rows than those of their table, as for predictions: parameters have the same meaning. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Family } from '../../src/formula/families.js';
import { modelFromFormula } from '../../src/formula/model.js';
import { compile, type Posterior } from '../../src/node/library/index.js';
import { PUPILS, tableOf } from './tables.js';

/** The data with some of the rows. */
function withRows(json: string, rows: readonly number[]): string {
  const data: Readonly<Record<string, unknown>> = JSON.parse(json);
  const entries = Object.entries(data).map(([name, value]) => {
    if (name === 'N') return [name, rows.length];
    return [name, Array.isArray(value) ? rows.map((row) => value[row]) : value];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

function quantityAt(posterior: Posterior, point: readonly number[], name: string): number {
  const parts = { generatedQuantities: true };
  return posterior.constrain(point, parts)[posterior.names(parts).indexOf(name)];
}

describe('programs from formulas with other rows', () => {
  for (const [formula, family, origin] of [
    ['score ~ hours*sex + (1 | school)', 'normal', 'intercept'],
    ['passed ~ hours + school', 'bernoulli', 'intercept'],
    ['fails ~ hours + (1 + hours | school)', 'negbinomial', 'intercept'],
    ['grade ~ hours + sex', 'cumulative', 'thresholds.1'],
  ] satisfies readonly (readonly [string, Family, string])[])
    it(`have the same linear predictor: ${formula}`, async () => {
      const made = modelFromFormula({ formula, family, table: PUPILS, order: ['low', 'mid', 'high'] });
      assert.ok('program' in made, JSON.stringify(made));
      const model = await compile(made.program);
      const on = (rows: readonly number[]) => model.on(withRows(made.data, rows));
      const [all, first, second, none] = await Promise.all([
        model.on(made.data),
        on([0, 1, 2, 3]),
        on([4, 5, 6, 7, 8, 9, 10, 11]),
        on([]),
      ]);
      const point = Array.from({ length: all.dimension }, (_, place) => ((place * 7) % 5) / 4 - 0.5);
      // The log likelihood is a sum over rows; without rows, the log density is that of the prior.
      const [whole, sum] = [
        all.logDensity(point) + none.logDensity(point),
        first.logDensity(point) + second.logDensity(point),
      ];
      assert.ok(Math.abs(whole - sum) < 1e-10 * Math.abs(whole), `${sum} instead of ${whole}`);
      assert.equal(quantityAt(first, point, origin), quantityAt(all, point, origin));
    });

  it('have literals of real numbers for large means', async () => {
    const table = tableOf(['y,x', '30000000001,50000000001', '30000000002,50000000004', '30000000004,50000000003']);
    const made = modelFromFormula({ formula: 'y ~ x', family: 'normal', table });
    assert.ok('program' in made);
    await compile(made.program);
  });
});
