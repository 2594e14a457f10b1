import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareModels } from '../../src/inference/validation/comparison.js';
import { crossValidate, leaveOneOut } from '../../src/inference/validation/leave-one-out.js';
import { type LooCase, readLooReference } from './cross-validation.js';

const reference = readLooReference();

function leftOutOf({ logLikelihood }: LooCase) {
  const [first] = logLikelihood;
  return first.map((_, place) => leaveOneOut(logLikelihood.map((chain) => Float64Array.from(chain[place]))));
}

function same(actual: number, expected: number | null, what: string): void {
  const value = expected ?? Number.NaN;
  assert.ok(
    Object.is(actual, value) || Math.abs(actual - value) <= 1e-9 * Math.max(1, Math.abs(value)),
    `${what}: ${actual} is not ${value}`,
  );
}

describe('leave-one-out cross-validation equals that of the R package loo', () => {
  for (const each of reference.cases) {
    it(each.name, () => {
      const { expected } = each;
      const leftOut = leftOutOf(each);
      leftOut.forEach((found, place) => {
        same(found.elpd, expected.elpd[place], 'elpd');
        same(found.mcse, expected.mcse[place], 'mcse');
        same(found.effectiveParameters, expected.effectiveParameters[place], 'p_loo');
        same(found.paretoK, expected.paretoK[place], 'Pareto k');
      });
      const total = crossValidate(leftOut, each.logLikelihood.length * each.logLikelihood[0][0].length);
      const rows = { elpd_loo: total.elpd, p_loo: total.effectiveParameters, looic: total.looic };
      for (const [name, [estimate, error]] of Object.entries(expected.estimates)) {
        const found = Object.entries(rows).find(([key]) => key === name)?.[1];
        same(found?.estimate ?? Number.NaN, estimate, name);
        same(found?.standardError ?? Number.NaN, error, `standard error of ${name}`);
      }
      same(total.mcse, expected.mcseTotal, 'mcse of the sum');
      same(total.greatestK, expected.greatestK, 'threshold of k');
      assert.deepEqual(
        total.unreliable,
        [...expected.paretoK.keys()].filter((place) => expected.paretoK[place] > expected.greatestK),
      );
    });
  }
});

it('models are compared as by the R package loo', () => {
  const milk = reference.cases.filter(({ name }) => name.startsWith('milk'));
  const models = milk.map((each) => ({ name: each.name, leftOut: leftOutOf(each) }));
  const compared = compareModels(models).map((each) => each.compared);
  const { difference, names, probabilityWorse, standardError } = reference.comparison;
  assert.deepEqual(
    compared.map(({ name }) => name),
    names,
  );
  compared.forEach((found, place) => {
    same(found.difference, difference[place], 'difference');
    same(found.standardError, standardError[place], 'standard error');
    same(found.probabilityWorse, probabilityWorse[place], 'probability');
  });
});
