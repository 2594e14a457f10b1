import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IncomparableFits } from '../fits/comparison.js';
import { compareEvidence, type FitWithEvidence } from './evidence-comparison.js';

function fit(name: string, logEvidence: number, more: Partial<FitWithEvidence> = {}): FitWithEvidence {
  const observed = [{ name: 'y', isOutcome: true, values: [1, 2] }];
  return { name, logEvidence, standardError: 0.03, ok: true, observed, ...more };
}

function assertRefused(message: RegExp, ...fits: readonly FitWithEvidence[]): void {
  assert.throws(() => compareEvidence(fits), { constructor: IncomparableFits, message });
}

const compared = (...fits: readonly FitWithEvidence[]) => compareEvidence(fits);

describe('compareEvidence', () => {
  it('computes Bayes factors and probabilities, the best model first', () => {
    const { cautions, models } = compared(fit('null', -12), fit('line', -12 + Math.log(3), { standardError: 0.04 }));
    assert.deepEqual(
      models.map(({ name }) => name),
      ['line', 'null'],
    );
    const [line, none] = models;
    assert.equal(line.logBayesFactor, 0);
    assert.ok(Math.abs(none.logBayesFactor + Math.log(3)) < 1e-12);
    assert.ok(Math.abs(none.bayesFactorError - 0.05) < 1e-12);
    assert.ok(Math.abs(line.posterior - 0.75) < 1e-12);
    assert.equal(line.prior, 0.5);
    assert.deepEqual(cautions, []);
  });

  it('uses prior probabilities', () => {
    const [line, none] = compared(fit('null', 0, { prior: 3 }), fit('line', Math.log(3), { prior: 1 })).models;
    assert.equal(line.prior, 0.25);
    assert.ok(Math.abs(none.posterior - 0.5) < 1e-12);
  });

  it('does not underflow for small evidences', () => {
    const [first, second] = compared(fit('a', -5e5), fit('b', -6e5)).models;
    assert.equal(first.posterior, 1);
    assert.equal(second.posterior, 0);
  });

  it('refuses models of other data', () => {
    const other = (name: string, values: readonly number[]) =>
      fit('b', 0, { observed: [{ name, isOutcome: true, values }] });
    assertRefused(/at least two fits/, fit('a', 0));
    assertRefused(/Number 2 of y is 2 in a, and 3 in b/, fit('a', 0), other('y', [1, 3]));
    assertRefused(/2 numbers in a, and 1 in b/, fit('a', 0), other('y', [1]));
    assertRefused(/a predicts y, and b predicts z/, fit('a', 0), other('z', [1, 2]));
  });

  it('cautions against doubtful log evidences and unknown outcomes', () => {
    const { cautions } = compared(fit('a', 0, { ok: false }), fit('b', 0, { observed: [] }));
    assert.equal(cautions.length, 2);
    assert.match(cautions[0], /^a: the checks/);
    assert.match(cautions[1], /^b: the outcomes cannot be derived/);
  });
});
