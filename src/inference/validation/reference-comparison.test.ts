import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareWithReference, type NamedMoments } from './reference-comparison.js';

function moments(name: string, changes: Partial<NamedMoments> = {}): NamedMoments {
  return { name, mean: 1, sd: 2, mcseMean: 0.03, mcseSd: 0.04, ...changes };
}

describe('a comparison with reference draws', () => {
  it('measures differences in combined Monte Carlo standard errors', () => {
    const found = moments('x', { mean: 1.1, sd: 1.9, mcseMean: 0.04, mcseSd: 0.03 });
    const { message, ok, quantities } = compareWithReference([found], [moments('x')]);
    const [{ mean, sd }] = quantities;
    assert.ok(Math.abs(mean.z - 2) < 1e-9 && Math.abs(sd.z + 2) < 1e-9, `${mean.z} ${sd.z}`);
    assert.deepEqual([mean.found, mean.reference, sd.found, sd.reference], [1.1, 1, 1.9, 2]);
    assert.ok(ok);
    assert.match(message, /^All means and standard deviations agree .* within 4 .* in the (mean|sd) of x \(2\.0\)\.$/);
  });

  it('names the largest of the moments that differ', () => {
    const reference = [moments('x'), moments('y')];
    const found = [moments('x', { mean: 1.5 }), moments('y', { sd: 1.5 })];
    const { message, ok } = compareWithReference(found, reference);
    assert.ok(!ok);
    assert.match(
      message,
      /^2 of 4 means and standard deviations differ .* by more than 4 .* the mean of x \(11\.8\)\.$/,
    );
  });

  it('does not accept missing quantities, or constants that differ', () => {
    const missing = compareWithReference([moments('x')], [moments('x'), moments('y')]);
    assert.ok(!missing.ok);
    assert.match(missing.message, /^All .* The draws lack y\.$/);
    assert.equal(compareWithReference([], [moments('y')]).message, 'The draws lack y.');
    const constant = { sd: 0, mcseMean: Number.NaN, mcseSd: Number.NaN };
    const same = compareWithReference([moments('c', { ...constant, mean: 1 + 1e-12 })], [moments('c', constant)]);
    assert.deepEqual([same.ok, same.quantities[0].mean.z], [true, 0]);
    const other = compareWithReference([moments('c', { ...constant, mean: 0.9 })], [moments('c', constant)]);
    assert.deepEqual([other.ok, other.quantities[0].mean.z], [false, Number.NEGATIVE_INFINITY]);
    assert.ok(!compareWithReference([moments('x', { mean: Number.NaN })], [moments('x')]).ok);
  });

  it('has a larger limit for more than a hundred quantities', () => {
    const many = Array.from({ length: 101 }, (_, k) => moments(`x[${k}]`));
    assert.equal(compareWithReference(many, many).limit, 5);
  });
});
