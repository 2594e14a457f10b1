/** Compares differences and weights of models with those of the R package loo, which `record-model-weights.R` records. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { compareModels } from '../../src/inference/validation/comparison.js';
import { pseudoBmaOf, pseudoBmaWeights, stackingWeights } from '../../src/inference/validation/model-weights.js';
import { ROOT } from '../project/tree.js';

interface WeightsCase {
  readonly name: string;
  readonly pointwise: readonly (readonly number[])[];
  readonly order: readonly string[];
  readonly difference: readonly number[];
  readonly standardError: readonly number[];
  readonly stacking: readonly number[];
  /** The optimizer of loo stops before the maximum if there are many models; the EM algorithm reaches it. */
  readonly stackingByEm: readonly number[];
  readonly shares: readonly (readonly number[])[];
  readonly pseudoBmaOfShares: readonly number[];
  readonly pseudoBmaPlus: readonly number[];
  readonly pseudoBmaPlusSd: readonly number[];
}

const { cases }: { readonly cases: readonly WeightsCase[] } = JSON.parse(
  readFileSync(join(ROOT, 'test/reference/model-weights.json'), 'utf8'),
);

function isNear(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  assert.equal(actual.length, expected.length);
  for (const [k, value] of expected.entries()) {
    assert.ok(Math.abs(actual[k] - value) <= tolerance, `${k}: ${actual[k]} is not ${value}`);
  }
}

/** The mean logarithm of the averaged densities, which stacking maximizes. */
function score(pointwise: WeightsCase['pointwise'], weights: readonly number[]): number {
  const logs = pointwise[0].map((_, n) =>
    Math.log(pointwise.reduce((sum, model, k) => sum + weights[k] * Math.exp(model[n]), 0)),
  );
  return logs.reduce((sum, value) => sum + value, 0) / logs.length;
}

for (const { name, pointwise, ...expected } of cases) {
  describe(name, () => {
    it('has the differences of loo_compare, with their standard errors', () => {
      const models = pointwise.map((values, k) => ({
        name: `model${k + 1}`,
        leftOut: values.map((elpd) => ({ elpd, mcse: 0, effectiveParameters: 0, paretoK: 0 })),
      }));
      const compared = compareModels(models).map((each) => each.compared);
      assert.deepEqual(
        compared.map((each) => each.name),
        expected.order,
      );
      const differences = compared.map(({ difference }) => difference);
      isNear(differences, expected.difference, 1e-10);
      const errors = compared.map(({ standardError }) => standardError);
      isNear(errors, expected.standardError, 1e-10);
    });

    it('has stacking weights at the maximum, whose score is not lower than that of loo', () => {
      const weights = stackingWeights(pointwise);
      isNear(weights, expected.stackingByEm, 1e-6);
      if (pointwise.length < 10) isNear(weights, expected.stacking, 1e-4);
      assert.ok(score(pointwise, weights) >= score(pointwise, expected.stacking) - 1e-14);
    });

    it('has the pseudo-BMA+ weights of loo for the same bootstrap samples', () => {
      const shares = expected.shares.map((row) => Float64Array.from(row));
      isNear(pseudoBmaOf(pointwise, shares), expected.pseudoBmaOfShares, 1e-10);
    });

    it('has pseudo-BMA+ weights within four standard errors of those of 100,000 samples', () => {
      for (const [k, weight] of pseudoBmaWeights(pointwise).entries()) {
        const error = expected.pseudoBmaPlusSd[k] / Math.sqrt(1000);
        assert.ok(
          Math.abs(weight - expected.pseudoBmaPlus[k]) <= 4 * error + 1e-10,
          `${weight}, ${expected.pseudoBmaPlus[k]}`,
        );
      }
    });
  });
}
