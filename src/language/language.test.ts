import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type IndexShape, indexedType } from './indexing.js';
import { acceptsLevel, isActive, joinLevels } from './levels.js';
import { commonType } from './promotion.js';
import { declaredName, isConditionalName, suffixOf } from './suffixes.js';
import { nearestName } from './suggestion.js';
import { arrayOf, COMPLEX, INT, MATRIX, REAL, showType, type Type, VECTOR } from './types.js';

const indexed = (type: Type, ...shapes: IndexShape[]) => {
  const part = indexedType(type, shapes);
  return part === undefined ? 'none' : showType(part);
};

describe('indexing', () => {
  it('removes a dimension for a single index and keeps it for a multiple index', () => {
    assert.equal(indexed(arrayOf(REAL, 2), 'single'), 'array[] real');
    assert.equal(indexed(arrayOf(REAL, 2), 'multi', 'single'), 'array[] real');
    assert.equal(indexed(VECTOR, 'single'), 'real');
    assert.equal(indexed(VECTOR, 'multi'), 'vector');
  });

  it('selects rows, columns and blocks of matrices', () => {
    assert.equal(indexed(MATRIX, 'single'), 'row_vector');
    assert.equal(indexed(MATRIX, 'multi', 'single'), 'vector');
    assert.equal(indexed(MATRIX, 'single', 'single'), 'real');
    assert.equal(indexed(MATRIX, 'multi', 'multi'), 'matrix');
    assert.equal(indexed(arrayOf(MATRIX), 'multi', 'single', 'multi'), 'array[] row_vector');
  });

  it('stops at scalars', () => {
    assert.equal(indexed(REAL, 'single'), 'none');
    assert.equal(indexed(VECTOR, 'single', 'single'), 'none');
  });
});

describe('the common type', () => {
  it('is the wider scalar, also inside arrays', () => {
    assert.deepEqual(commonType(INT, COMPLEX), COMPLEX);
    assert.deepEqual(commonType(arrayOf(REAL), arrayOf(INT)), arrayOf(REAL));
  });

  it('does not exist for different shapes', () => {
    assert.equal(commonType(VECTOR, REAL), undefined);
    assert.equal(commonType(arrayOf(REAL), VECTOR), undefined);
  });

  it('may differ from both of two tuples', () => {
    const tuple = (...elements: Type[]): Type => ({ kind: 'tuple', elements });
    assert.deepEqual(commonType(tuple(INT, REAL), tuple(REAL, INT)), tuple(REAL, REAL));
  });
});

describe('levels', () => {
  it('are joined slot by slot', () => {
    assert.deepEqual(joinLevels(['data', 'autodiff'], ['data', 'data']), ['data', 'autodiff']);
    assert.equal(joinLevels(['data'], ['data', 'data']), undefined);
  });

  it('do not allow autodiff values as data parameters', () => {
    assert.equal(acceptsLevel('data', 'autodiff'), false);
    assert.equal(acceptsLevel('data', ['data', 'autodiff']), false);
    assert.equal(acceptsLevel('autodiff', 'data'), true);
    assert.equal(isActive(['data', ['autodiff']]), true);
  });
});

describe('suffixes of names', () => {
  it('determine the class of a function', () => {
    assert.equal(suffixOf('foo_lupdf'), 'lpdf');
    assert.equal(suffixOf('foo_rng'), 'rng');
    assert.equal(suffixOf('foo_lcdf'), 'plain');
    assert.equal(isConditionalName('foo_lcdf'), true);
  });

  it('have a normalized form', () => {
    assert.equal(declaredName('normal_lupdf'), 'normal_lpdf');
    assert.equal(declaredName('poisson_lupmf'), 'poisson_lpmf');
    assert.equal(declaredName('normal_lpdf'), 'normal_lpdf');
  });
});

describe('"Did you mean"', () => {
  it('suggests the nearest name', () => {
    assert.equal(nearestName('normal_lpd', ['normal_lpdf', 'normal_rng']), 'normal_lpdf');
    assert.equal(nearestName('sgima', ['sigma', 'mu']), 'sigma');
  });

  it('counts a transposition of neighbors as one edit', () => {
    assert.equal(nearestName('gi', ['ig', 'oo']), 'ig');
    assert.equal(nearestName('caxx', ['abcxx']), undefined);
  });

  it('suggests the first of equally near names', () => {
    assert.equal(nearestName('sigmq', ['sigms', 'sigma']), 'sigma');
  });

  it("allows edits of half the name's length, at most 5, without a density's suffix", () => {
    assert.equal(nearestName('abcdefgh', ['abcd']), 'abcd');
    assert.equal(nearestName('abcdefghi', ['abcd']), undefined);
    assert.equal(nearestName('abcdefghijklmnop', ['abcdefghijk']), 'abcdefghijk');
    assert.equal(nearestName('abcdefghijklmnop', ['abcdefghij']), undefined);
    assert.equal(nearestName('ab_lpdf', ['cb_lpdf']), 'cb_lpdf');
    assert.equal(nearestName('ab_lpdf', ['cd_lpdf']), undefined);
  });

  it('ignores distant names and single letters', () => {
    assert.equal(nearestName('x', ['y']), undefined);
    assert.equal(nearestName('alpha', ['beta_lpdf']), undefined);
  });

  it("suggests a distribution's functions", () => {
    assert.equal(nearestName('poisson', ['poisson_lpmf', 'mu']), 'poisson_lpmf');
  });
});
