import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ComparedFit, compareFits, IncomparableFits } from './comparison.js';
import { concludeLeavingOut } from './cross-validation.js';
import { type ObservedVariable, observedVariables } from './observed-variables.js';

const names = (variable: string, count = 3) => Array.from({ length: count }, (_, n) => `${variable}.${n + 1}`);

function fit(
  name: string,
  observations: readonly string[],
  observed?: readonly ObservedVariable[],
  paretoK = 0.1,
): ComparedFit {
  const left = observations.map((each, n) => ({ name: each, elpd: -n, mcse: 0.1, effectiveParameters: 0.2, paretoK }));
  return { ...concludeLeavingOut(left, 4000), name, ...(observed && { observed }) };
}

function refusal(first: ComparedFit, other: ComparedFit): string | undefined {
  try {
    compareFits([first, other]);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof IncomparableFits);
    return error.message;
  }
}

const ofData = (outcomes: readonly string[] | undefined, data: object, count = 3) =>
  observedVariables(outcomes, JSON.stringify(data), count);

describe('a comparison of fits', () => {
  it('requires two fits', () => {
    const text = 'A comparison requires at least two fits.';
    assert.throws(() => compareFits([fit('a', names('y'))]), {
      name: 'RequestError',
      message: text,
      problems: [{ field: 'models', message: `cannot be compared: ${text}` }],
      reason: { key: 'fewFits', values: {} },
    });
  });

  it('takes log likelihoods of the program for the same observations as derived ones', () => {
    const outcomes = ofData(['y'], { y: [1, 2, 3] });
    assert.equal(refusal(fit('a', names('log_lik'), outcomes), fit('b', names('y'), outcomes)), undefined);
    assert.equal(refusal(fit('a', names('log_lik')), fit('b', names('other'))), undefined);
  });

  it('accepts that a program leaves out an outcome from the log likelihoods that it computes', () => {
    const own = fit('a', names('log_lik'), ofData(['x', 'y'], { x: [0, 0], y: [1, 2, 3] }));
    assert.equal(refusal(own, fit('b', names('y'), ofData(['y'], { y: [1, 2, 3] }))), undefined);
    assert.match(
      refusal(own, fit('b', names('z'), ofData(['z'], { z: [1, 2, 3] }))) ?? '',
      /^a predicts x, y, and b predicts z\./,
    );
  });

  it('compares names in the form of tables, and their order', () => {
    const outcomes = ofData(['y'], { y: [1, 2, 3] });
    assert.equal(refusal(fit('a', names('y'), outcomes), fit('b', ['y[1]', 'y[2]', 'y[3]'], outcomes)), undefined);
    assert.match(
      refusal(fit('a', names('y'), outcomes), fit('b', ['y.1', 'y.3', 'y.2'], outcomes)) ?? '',
      /^Observation 2 is y\[2\] in a, and y\[3\] in b\./,
    );
  });

  it('compares numbers of matrices, complex numbers and tuples, of which NaN equals itself', () => {
    const values = { y: [[1, 'NaN'], [{ '1': 2, '2': [3] }]] };
    const [known] = ofData(['y'], values);
    assert.deepEqual(known?.values, [1, Number.NaN, 2, 3]);
    assert.equal(
      refusal(fit('a', names('y'), ofData(['y'], values)), fit('b', names('y'), ofData(['y'], values))),
      undefined,
    );
    assert.match(
      refusal(fit('a', names('y'), ofData(['y'], values)), fit('b', names('y'), ofData(['y'], { y: [1, 2] }))) ?? '',
      /^y has 4 numbers in a, and 2 in b\./,
    );
  });

  it('compares all data with one number per observation if an outcome is transformed data, or unknown', () => {
    const [data, other] = [
      { K: 1, raw: [1, 2, 3] },
      { K: 2, raw: [1, 2, 5] },
    ];
    for (const outcomes of [['y'], undefined]) {
      const [known, own] = [ofData(outcomes, data), ofData(outcomes, other)];
      assert.equal(refusal(fit('a', names('y'), known), fit('b', names('y'), known)), undefined);
      assert.match(refusal(fit('a', names('y'), known), fit('b', names('y'), own)) ?? '', /^Number 3 of raw is 3 in a/);
    }
    assert.deepEqual(ofData(['y'], { y: [1, 2, 3], x: [1, 2, 5] }), [
      { name: 'y', isOutcome: true, values: [1, 2, 3] },
    ]);
    assert.deepEqual(observedVariables(['y'], 'no data', 3), [{ name: 'y', isOutcome: true }]);
  });

  it('ranks fits with the same name by their own estimates', () => {
    const [worse, better] = [fit('a', names('y', 3), undefined, 0.9), fit('a', names('y', 3))];
    const raised = { ...better, observations: better.observations.map((each) => ({ ...each, elpd: each.elpd + 1 })) };
    const { comparison, ranked } = compareFits([worse, raised]);
    assert.deepEqual([ranked[0] === raised, ranked[1] === worse], [true, true]);
    assert.deepEqual(
      comparison.models.map(({ elpd }) => elpd),
      [0, -3],
    );
  });

  it('warns about fits with unreliable estimates', () => {
    const compared = compareFits([fit('a', names('y')), fit('b', names('y'), undefined, 0.9)]).comparison;
    assert.equal(
      compared.cautions.at(-1),
      'b: Pareto k is above 0.7 for 3 of 3 observations, so their estimates are not reliable. See the cross-validation of this fit.',
    );
    const single = compareFits([fit('a', names('y', 1)), fit('b', names('y', 1), undefined, 0.9)]).comparison;
    assert.match(single.cautions.at(-1) ?? '', /for 1 of 1 observations, so its estimate is not reliable\./);
  });
});
