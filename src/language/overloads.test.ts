import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Argument, resolveOverload, signatureTable } from './overloads.js';
import type { Signature } from './signature.js';
import { type AutodiffLevel, arrayOf, COMPLEX, INT, REAL, type Type, VECTOR } from './types.js';

const signature = (...types: Type[]): Signature => ({
  name: 'f',
  parameters: types.map((type) => ({ type, level: 'autodiff' })),
  result: REAL,
});
const value = (type: Type, level: AutodiffLevel = 'data'): Argument => ({ type, level });

describe('overload resolution', () => {
  const scalars = [signature(INT), signature(REAL), signature(COMPLEX)];

  it('prefers an exact match', () => {
    const resolution = resolveOverload(scalars, [value(REAL)]);
    assert.deepEqual(resolution, { kind: 'match', signature: scalars[1] });
  });

  it('otherwise chooses the signature with the fewest promotions', () => {
    const resolution = resolveOverload(scalars.slice(1), [value(INT)]);
    assert.deepEqual(resolution, { kind: 'match', signature: scalars[1] });
  });

  it('promotes inside arrays and tuples', () => {
    const pair = (first: Type, second: Type): Type => ({ kind: 'tuple', elements: [first, second] });
    const wanted = [signature(arrayOf(pair(REAL, COMPLEX), 2))];
    assert.equal(resolveOverload(wanted, [value(arrayOf(pair(INT, REAL), 2))]).kind, 'match');
    assert.equal(resolveOverload(wanted, [value(arrayOf(pair(COMPLEX, REAL), 2))]).kind, 'none');
  });

  it('is ambiguous between signatures with equally many promotions', () => {
    const resolution = resolveOverload([signature(INT, REAL), signature(REAL, INT)], [value(INT), value(INT)]);
    assert.equal(resolution.kind, 'ambiguous');
  });

  it('never promotes a scalar to a vector', () => {
    assert.equal(resolveOverload([signature(VECTOR)], [value(REAL)]).kind, 'none');
  });

  it('passes only data to data parameters', () => {
    const dataOnly: Signature = { name: 'f', parameters: [{ type: REAL, level: 'data' }], result: REAL };
    assert.equal(resolveOverload([dataOnly], [value(REAL, 'data')]).kind, 'match');
    assert.equal(resolveOverload([dataOnly], [value(REAL, 'autodiff')]).kind, 'none');
  });
});

describe('a signature table', () => {
  it('has no signatures for unknown names', () => {
    const table = signatureTable([signature(INT)], new Set(['g']));
    assert.equal(table.lookup('f').length, 1);
    assert.deepEqual(table.lookup('g'), []);
    assert.equal(table.isKnownButUnsupported('g'), true);
    assert.equal(table.isKnownButUnsupported('h'), false);
  });
});
