import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { build, FORM, generated } from './models.js';

const TOO_MUCH_MEMORY = /needs more memory than the limit of \d+ bytes \(in 'string', line \d+, column \d+/;
const TOO_MANY = (name: string): RegExp =>
  new RegExp(`${name}: .* elements are more than the 2147483647 .*\\(in 'string'`);

/** The outcome of a statement of `generated quantities` with two ints of the data and an empty container. */
function quantity(statements: string, a: number, b: number): number[] {
  const program = `data { int a; int b; }
    generated quantities { real z = 0; { vector[0] none; vector[2] two = [1, 2]'; ${statements} } }`;
  return generated(build(program, { a, b }));
}

/** Sizes whose product, or number of bytes, is small once it has wrapped. */
const WRAPPING: readonly (readonly [string, number, number])[] = [
  ['in 32 bits', 65536, 65536],
  ['in 64 bits as bytes', 1073741828, 2147483644],
  ['in 64 bits with four for each', 2147483647, 2147483647],
];

describe('sizes whose product wraps', () => {
  for (const [how, a, b] of WRAPPING) {
    const stored = [
      'matrix[a, b] m; z = m[1, 1];',
      'array[a, b, 4] int m; z = m[1, 1, 1];',
      'array[a, b] vector[4] m = rep_array(rep_vector(1, 4), a, b); z = m[1, 1, 1];',
      'complex_matrix[a, b] m; m[1, 1] = 1;',
      'array[a] tuple(matrix[b, 4], int) m; m[1].2 = 1;',
    ];
    for (const statements of stored) {
      it(`${how} are rejected with the location: ${statements}`, () => {
        assert.throws(() => quantity(statements, a, b), new RegExp(`${TOO_MUCH_MEMORY.source}|${TOO_MANY('').source}`));
      });
    }
    const computed: readonly (readonly [string, string])[] = [
      ['rep_matrix', 'z = sum(rep_matrix(1, a, b));'],
      ['rep_matrix', 'z = mean(rep_matrix(1, a, b));'],
      ['rep_matrix', 'z = mean(rep_matrix(rep_vector(1, a), b));'],
      ['rep_matrix', 'z = mean(rep_matrix(rep_row_vector(1, b), a));'],
      ['rep_array', 'z = sum(to_array_1d(rep_array(1.0, a, b)));'],
      ['rep_array', 'z = size(rep_array(rep_array(1.0, b), a));'],
      ['identity_matrix', 'z = num_elements(identity_matrix(a));'],
      ['diag_matrix', 'z = num_elements(diag_matrix(zeros_vector(a)));'],
      ['multiply', 'z = num_elements(zeros_vector(a) * zeros_row_vector(b));'],
      ['to_matrix\\(matrix\\)', 'z = rows(to_matrix(none, a, b));'],
    ];
    for (const [name, statements] of computed) {
      it(`${how} are rejected even if nothing is stored: ${statements}`, () => {
        assert.throws(() => quantity(statements, a, b), TOO_MANY(name));
      });
    }
  }

  it('are rejected in the log density and its gradient', () => {
    const model = build(
      `data { int a; int b; } parameters { real p; }
       model { matrix[a, b] m = p * rep_matrix(1, a, b); target += m[1, 1]; }`,
      { a: 65536, b: 65536 },
    );
    for (const evaluate of [
      () => model.logDensity(new Float64Array(1), FORM),
      () => model.logDensityGradient(new Float64Array(1), new Float64Array(1), FORM),
    ]) {
      assert.throws(evaluate, TOO_MANY('rep_matrix'));
    }
  });

  it('are accepted if one of them is zero', () => {
    const statements = 'matrix[a, b] m; array[a, a, b] int n; z = num_elements(m) + num_elements(n) + rows(m);';
    assert.deepEqual(quantity(statements, 2147483647, 0), [2147483647]);
  });
});

describe('indexes that repeat an element', () => {
  it('must not select more elements than an int can count', () => {
    const statements = 'matrix[1, 1] m = [[2]]; array[a] int i = ones_int_array(a); z = mean(m[i, i]);';
    assert.throws(() => quantity(statements, 65536, 0), TOO_MANY('multi-index'));
  });
});

describe('the sum of two sizes', () => {
  it('must not exceed the maximum int', () => {
    const statements = 'z = rows(append_row(rep_matrix(zeros_row_vector(b), a), rep_matrix(zeros_row_vector(b), a)));';
    assert.throws(
      () => quantity(statements, 2147483647, 0),
      /append_row: sizes 2147483647 and 2147483647 are together/,
    );
  });
});

/** Real Stan 2.39 also rejects these. It prints a negative size as an unsigned number; our message prints the size. */
const OUTSIDE: readonly (readonly [statement: string, told: RegExp])[] = [
  ['z = sum(head(two, a));', /head: accessing element out of range. index -1 out of range; .* for size of n/],
  ['z = sum(tail(two, a));', /tail: accessing element out of range. index -1 out of range; .* for size of n/],
  ['z = sum(segment(two, 1, a));', /segment: n is -1, but must be nonnegative!/],
  ['z = sum(segment(two, a, 1));', /segment: n is -1, but must be greater than 0/],
  ['z = sum(segment(two, 2, b));', /segment: n is/],
  ['z = sum(block(rep_matrix(1, 2, 2), 1, 1, a, a));', /block: .*index -1 out of range; .* i\+nrows-1/],
  ['z = sum(block(rep_matrix(1, 2, 2), 2, 2, b, b));', /block: .*out of range; .* i\+nrows-1/],
  ['z = linspaced_int_array(3, a, b)[2];', /linspaced_int_array: from -1 to 2147483647 is more than the 2147483647/],
  ['vector[a] v; z = sum(v);', /negative dimension size in variable declaration; variable=v/],
];

describe('slices with sizes below 0 or at the limit of int', () => {
  for (const [statement, told] of OUTSIDE) {
    it(`are rejected: ${statement}`, () => assert.throws(() => quantity(statement, -1, 2147483647), told));
  }
});

describe('to_matrix', () => {
  it('rejects negative sizes whose product fits', () => {
    assert.throws(() => quantity('z = sum(to_matrix(two, a, b));', -1, -2), /to_matrix\(matrix\): rows is -1/);
  });

  it('compares the product before the signs, as Stan does', () => {
    const told = /to_matrix\(matrix\): rows \* columns \(-3\) and vector size \(2\) must match in size/;
    assert.throws(() => quantity('z = sum(to_matrix(two, a, b));', -1, 3), told);
  });
});

describe('lchoose', () => {
  it('of 0 out of -1 is 0, as in Stan', () => {
    assert.deepEqual(quantity('z = lchoose(a, b);', -1, 0), [0]);
  });
});

describe('data of a size whose product is zero in 32 bits', () => {
  it('are not treated as empty', () => {
    const program = 'data { int a; matrix[a, a] m; } generated quantities { real z = m[1, 1]; }';
    assert.throws(() => build(program, { a: 65536, m: [[]] }), /mismatch in dimension declared and found in context/);
  });
});

describe('memory for the iterations of a loop', () => {
  it('is never less than the iterations need', () => {
    const model = build(
      `data { int a; int b; } parameters { real p; }
       model { for (i in a:b) target += p * lgamma(a + 0.5 * i); }`,
      { a: -2147483647, b: 2147483646 },
    );
    assert.throws(
      () => model.logDensityGradient(new Float64Array(1), new Float64Array(1), FORM),
      /needs more memory than the limit/,
    );
  });
});

describe('a density that needs memory for each iteration of a loop', () => {
  it('is rejected with its gradient if memory is exhausted', () => {
    const program =
      'data { int n; } parameters { real p; } model { for (i in 1:n) target += p * lgamma(i + 0.5 * n); }';
    const model = build(program, { n: 1000000 }, {}, { maximumMemory: 2 ** 22 });
    assert.throws(
      () => model.logDensity(new Float64Array(1), FORM),
      /needs more memory than the limit of 4194304 bytes/,
    );
    assert.throws(
      () => model.logDensityGradient(new Float64Array(1), new Float64Array(1), FORM),
      /needs more memory than the limit of 4194304 bytes/,
    );
  });
});

describe('exhausted memory', () => {
  const program = `functions { real total(int n) { vector[n] x = rep_vector(1, n); x[1] = 2; return sum(x); } }
    data { int n; } parameters { real p; }
    model { vector[n] y = rep_vector(p, n); y[1] = 2; target += y[2] * total(n); }`;
  const running = { maximumMemory: 2 ** 22 };

  it('is reported with the location of the allocation', () => {
    const model = build(program, { n: 1000000 }, {}, running);
    const told = /the model needs more memory than the limit of 4194304 bytes \(in 'string', line \d, /;
    assert.throws(() => model.logDensity(new Float64Array(1), FORM), told);
    const gradient = (): number => model.logDensityGradient(new Float64Array(1), new Float64Array(1), FORM);
    assert.throws(gradient, told);
  });

  it('inside functions is reported with the calls', () => {
    const model = build(
      program.replace('vector[n] y = rep_vector(p, n)', 'vector[2] y = rep_vector(p, 2)'),
      { n: 1000000 },
      {},
      running,
    );
    const told = /\(in 'string', line 1, .*\) \(in 'string', line 3, /;
    assert.throws(() => model.logDensity(new Float64Array(1), FORM), told);
  });
});
