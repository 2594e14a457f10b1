import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compoundValueTypes, INFIX, PREFIX, resolveCompound, resolveOperator, TRANSPOSE } from './operators.js';
import { arrayOf, COMPLEX, INT, MATRIX, REAL, ROW_VECTOR, showType, type Type, VECTOR } from './types.js';

const value = (type: Type) => ({ type, level: 'data' as const });
const result = (functions: readonly (typeof INFIX)['+'][number][], ...operands: Type[]) => {
  const signature = resolveOperator(functions, operands.map(value));
  return signature === undefined ? 'none' : `${signature.name}: ${showType(signature.result)}`;
};

describe('the result of an operator', () => {
  it('is an int for ints, except for powers', () => {
    assert.equal(result(INFIX['+'], INT, INT), 'add: int');
    assert.equal(result(INFIX['/'], INT, INT), 'divide: int');
    assert.equal(result(INFIX['^'], INT, INT), 'pow: real');
  });

  it('promotes ints to reals and reals to complex numbers', () => {
    assert.equal(result(INFIX['*'], INT, REAL), 'multiply: real');
    assert.equal(result(INFIX['+'], INT, VECTOR), 'add: vector');
    assert.equal(result(INFIX['-'], REAL, COMPLEX), 'subtract: complex');
  });

  it('follows the shapes of linear algebra', () => {
    assert.equal(result(INFIX['*'], ROW_VECTOR, VECTOR), 'multiply: real');
    assert.equal(result(INFIX['*'], VECTOR, ROW_VECTOR), 'multiply: matrix');
    assert.equal(result(INFIX['*'], MATRIX, VECTOR), 'multiply: vector');
    assert.equal(result(INFIX['/'], ROW_VECTOR, MATRIX), 'mdivide_right: row_vector');
    assert.equal(result(INFIX['\\'], MATRIX, VECTOR), 'mdivide_left: vector');
    assert.equal(result(TRANSPOSE, VECTOR), 'transpose: row_vector');
  });

  it('applies elementwise to arrays for powers and negation only', () => {
    assert.equal(result(INFIX['^'], arrayOf(INT, 2), REAL), 'pow: array[,] real');
    assert.equal(result(PREFIX['-'], arrayOf(VECTOR)), 'minus: array[] vector');
    assert.equal(result(INFIX['+'], arrayOf(REAL), arrayOf(REAL)), 'none');
  });

  it('exists only for matching shapes', () => {
    assert.equal(result(INFIX['+'], VECTOR, ROW_VECTOR), 'none');
    assert.equal(result(INFIX['%/%'], INT, REAL), 'none');
    assert.equal(result(INFIX['=='], VECTOR, VECTOR), 'none');
    assert.equal(result(PREFIX['!'], REAL), 'none');
  });
});

describe('a compound assignment', () => {
  const isAllowed = (operator: '+' | '*' | '/' | '.*', target: Type, operand: Type) =>
    resolveCompound(operator, target, value(operand)) !== undefined;

  it('keeps the type of its left side', () => {
    assert.equal(isAllowed('+', REAL, INT), true);
    assert.equal(isAllowed('+', INT, REAL), false);
    assert.equal(isAllowed('*', VECTOR, REAL), true);
    assert.equal(isAllowed('*', VECTOR, MATRIX), false);
  });

  it('divides by scalars only, and is elementwise for containers only', () => {
    assert.equal(isAllowed('/', MATRIX, MATRIX), false);
    assert.equal(isAllowed('.*', VECTOR, VECTOR), true);
    assert.equal(isAllowed('.*', REAL, REAL), false);
  });

  it('lists the types that are allowed on its right side', () => {
    assert.deepEqual(compoundValueTypes('+', VECTOR).map(showType).slice(0, 3), ['int', 'real', 'vector']);
    assert.deepEqual(compoundValueTypes('+', arrayOf(REAL)), []);
  });
});
