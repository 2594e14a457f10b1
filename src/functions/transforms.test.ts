import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Stopped } from '../../test/support/evaluate.js';
import { evaluate, type Given, int, matrix, parameter, real, vector } from '../../test/support/evaluated-call.js';
import { FUNCTIONS } from './table.js';

function elements(name: string, ...args: readonly Given[]): readonly number[] {
  return [evaluate(name, ...args).value].flat();
}

function message(name: string, ...args: readonly Given[]): string {
  try {
    evaluate(name, ...args);
  } catch (error) {
    if (error instanceof Stopped) return error.message;
    throw error;
  }
  return 'no error';
}

function near(found: readonly number[], expected: readonly number[], tolerance = 1e-12): void {
  assert.equal(found.length, expected.length);
  for (const [i, x] of found.entries()) {
    const allowed = tolerance * Math.max(1, Math.abs(expected[i]));
    assert.ok(Math.abs(x - expected[i]) <= allowed, `found ${found}, expected ${expected}`);
  }
}

interface Example {
  readonly name: string;
  readonly free: readonly number[];
  readonly asGiven: (free: readonly number[]) => Given;
  readonly more: readonly Given[];
  readonly constrained: (values: readonly number[]) => Given;
  /** The constrained elements that determine the others, in the order of the free elements. Defaults to all. */
  readonly coordinates?: readonly number[];
}

const asVector = (x: readonly number[]): Given => vector(...x);
const asMatrix =
  (rows: number) =>
  (x: readonly number[]): Given =>
    matrix(rows, ...x);

const example = (name: string, free: readonly number[], more: Partial<Example> = {}): Example => ({
  name,
  free,
  asGiven: asVector,
  more: [],
  constrained: asVector,
  ...more,
});

const BOUNDS: readonly Example[] = [
  example('lower_bound', [0.3, -1.2], { more: [vector(2, Number.NEGATIVE_INFINITY)] }),
  example('upper_bound', [0.3, -1.2], { more: [real(4)] }),
  example('lower_upper_bound', [0.3, -1.2, 0.7, 1.5], {
    more: [
      vector(-1, Number.NEGATIVE_INFINITY, 2, Number.NEGATIVE_INFINITY),
      vector(3, 1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
    ],
  }),
  example('offset_multiplier', [0.3, -1.2], { more: [real(1), vector(2, 0.5)] }),
];

const STRUCTURES: readonly Example[] = [
  example('ordered', [0.4, -0.3, 1.1]),
  example('positive_ordered', [0.4, -0.3, 1.1]),
  example('simplex', [0.4, -0.3, 1.1], { coordinates: [0, 1, 2] }),
  example('cholesky_factor_cov', [0.1, 0.5, -0.4, 0.9, 1.2], {
    more: [int(3), int(2)],
    constrained: asMatrix(3),
    coordinates: [0, 1, 4, 2, 5],
  }),
  example('cholesky_factor_corr', [0.4, -0.3, 1.1], {
    more: [int(3)],
    constrained: asMatrix(3),
    coordinates: [1, 2, 5],
  }),
  example('corr_matrix', [0.4, -0.3, 1.1], { more: [int(3)], constrained: asMatrix(3), coordinates: [1, 2, 5] }),
  example('cov_matrix', [0.4, -0.3, 1.1], { more: [int(2)], constrained: asMatrix(2), coordinates: [0, 1, 3] }),
];

const OTHERS: readonly Example[] = [
  example('sum_to_zero', [0.4, -0.3, 1.1]),
  example('sum_to_zero', [0.4, -0.3, 1.1, 0.2, 0.7, -0.6], { asGiven: asMatrix(2), constrained: asMatrix(3) }),
  example('stochastic_column', [0.4, -0.3, 1.1, 0.2], { asGiven: asMatrix(2), constrained: asMatrix(3) }),
  example('stochastic_row', [0.4, -0.3, 1.1, 0.2], { asGiven: asMatrix(2), constrained: asMatrix(2) }),
];

function constrain({ name, asGiven, more }: Example, free: readonly number[]): readonly number[] {
  return elements(`${name}_constrain`, asGiven(free), ...more);
}

/** The log determinant of the Jacobian of the coordinates, by central differences. */
function logDeterminant(of: Example): number {
  const h = 1e-5;
  const moved = (k: number, by: number): number[] => of.free.map((x, i) => (i === k ? x + by : x));
  const rows = of.free.map((_, k) => {
    const up = constrain(of, moved(k, h));
    const down = constrain(of, moved(k, -h));
    const wanted = of.coordinates ?? up.map((_, i) => i);
    return wanted.map((i) => (up[i] - down[i]) / (2 * h));
  });
  let sum = 0;
  for (const [k, row] of rows.entries()) {
    sum += Math.log(Math.abs(row[k]));
    for (const other of rows.slice(k + 1)) {
      const factor = other[k] / row[k];
      for (let j = k; j < row.length; j++) other[j] -= factor * row[j];
    }
  }
  return sum;
}

describe('the functions of a constraint', () => {
  it('are tested for every constraint', () => {
    const tested = new Set([...BOUNDS, ...STRUCTURES, ...OTHERS].map(({ name }) => `${name}_constrain`));
    const names = [...FUNCTIONS.entries()].map(({ name }) => name).filter((name) => name.endsWith('_constrain'));
    // Free values of a unit vector may have any length.
    assert.deepEqual(
      names.filter((name) => !tested.has(name)),
      ['unit_vector_constrain'],
    );
    near(
      elements('unit_vector_constrain', vector(...elements('unit_vector_unconstrain', vector(0.6, -0.8)))),
      [0.6, -0.8],
    );
  });

  for (const of of [...BOUNDS, ...STRUCTURES, ...OTHERS]) {
    it(`are inverses of each other: ${of.name}`, () => {
      const values = constrain(of, of.free);
      const bounds = BOUNDS.includes(of) ? of.more : [];
      near(elements(`${of.name}_unconstrain`, of.constrained(values), ...bounds), of.free, 1e-10);
    });
  }

  for (const of of [...BOUNDS, ...STRUCTURES]) {
    it(`return the log Jacobian: ${of.name}`, () => {
      const { value, jacobian } = evaluate(`${of.name}_jacobian`, of.asGiven(of.free), ...of.more);
      near([value].flat(), constrain(of, of.free));
      near([jacobian], [logDeterminant(of)], 1e-7);
    });
  }

  it('use the density of a standard normal as the Jacobian of a unit vector', () => {
    const { value, jacobian } = evaluate('unit_vector_jacobian', vector(3, 4));
    near([value].flat(), [0.6, 0.8]);
    assert.equal(jacobian, -12.5);
  });
});

describe('sizes', () => {
  it('are compared with the number of free elements', () => {
    assert.equal(
      message('corr_matrix_constrain', vector(1, 2), int(3)),
      'cov_matrix_constrain: x.size() (2) and k_choose_2 (3) must match in size',
    );
    assert.equal(
      message('cholesky_factor_cov_constrain', vector(1, 2, 3), int(1), int(2)),
      'cholesky_factor_constrain: num rows (must be greater or equal to num cols) is 1, but must be greater than or equal to 2.000000',
    );
  });

  it('of the arguments equal those of the value', () => {
    assert.equal(
      message('lower_bound_constrain', vector(1, 2), vector(1, 2, 3)),
      'lb_constrain: x (2, 1) and lb (3, 1) must match in size',
    );
  });
});

describe('bounds', () => {
  it('that leave an empty interval are named with their location where derivatives are computed', () => {
    const bounds = [vector(0, 2), real(1)];
    const words = 'is 2, but must be less than 1.000000';
    assert.equal(message('lower_upper_bound_constrain', vector(1, 2), ...bounds), `lub_constrain: lb ${words}`);
    const inParameters = message('lower_upper_bound_constrain', parameter(vector(1, 2)), ...bounds);
    assert.equal(inParameters, `lub_constrain: lb[2] ${words}`);
  });

  it('are checked by the inverse, with messages about the remaining interval', () => {
    assert.equal(
      message('lower_upper_bound_unconstrain', matrix(2, 1, 1, 2, 1), real(0), real(1.5)),
      'lub_free: Bounded variable[3] is 2, but must be in the interval [0, 1.5]',
    );
    assert.equal(
      message('lower_upper_bound_unconstrain', matrix(2, 1, 1, 2, 1), real(Number.NEGATIVE_INFINITY), real(1.5)),
      'ub_free: Upper bounded variable[1, 2] is 2, but must be less than or equal to 1.500000',
    );
  });
});

describe('structures', () => {
  it('are checked by the inverse', () => {
    assert.equal(
      message('stochastic_row_unconstrain', matrix(1, 1.5, -0.5)),
      'stan::math::simplex_free: Simplex variable is not a valid simplex. Simplex variable[2] = -0.5, but should be greater than or equal to 0',
    );
    assert.equal(
      message('corr_matrix_unconstrain', matrix(2, 1, 0.5, 0.5, Math.E)),
      'corr_matrix_free: log(sd)[2] is 0.5, but must be in the interval [-1e-08, 1e-08]',
    );
    assert.equal(
      message('positive_ordered_unconstrain', vector(-1, 1)),
      'stan::math::positive_ordered_free: Positive ordered variable is not a valid positive_ordered vector. The element at 1 is -1, but should be positive.',
    );
  });
});

describe('far from 0, nothing cancels', () => {
  const logSlopeOfTanh = (y: number): number => 2 * (Math.LN2 - y - Math.log1p(Math.exp(-2 * y)));

  it('in the Jacobians of correlations, which are finite wherever the free values are', () => {
    for (const y of [5, 20, 400]) {
      for (const name of ['cholesky_factor_corr', 'corr_matrix']) {
        const { jacobian } = evaluate(`${name}_jacobian`, parameter(vector(y)), int(2));
        near([jacobian], [logSlopeOfTanh(y)], 1e-14);
      }
    }
  });

  it('near the upper of two bounds', () => {
    const [constrained] = elements('lower_upper_bound_constrain', real(37), real(-5), real(0));
    near([constrained / (-5 * Math.exp(-37))], [1], 1e-14);
    near(elements('lower_upper_bound_unconstrain', real(-1e-20), real(-5), real(0)), [Math.log(5e20)], 1e-14);
  });
});
