import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';

/** A Gaussian process that uses eigenvectors. Most of its eigenvalues differ only by rounding errors. */
const program = (declarations: string, lines: string) => `
parameters { real b; real v; }
transformed parameters {
  matrix[20, 20] a;
  for (i in 1 : 20) for (j in 1 : 20) a[i, j] = v * exp(-b * square((i - j) / 8.0)) + (i == j ? 2 ^ -16 : 0);
}
model {
  vector[20] y;
  for (i in 1 : 20) y[i] = 7 * (i - 1) % 5 - 2;
  ${declarations}
  ${lines}
}`;

const PROGRAMS = {
  eigenvectors_sym: program(
    "vector[20] along = eigenvectors_sym(a)' * y;",
    'target += -0.5 * sum(square(along) ./ (eigenvalues_sym(a) + 0.5));',
  ),
  eigendecompose_sym: program(
    'tuple(matrix[20, 20], vector[20]) parts = eigendecompose_sym(a);',
    "target += -0.5 * sum(square(parts.1' * y) ./ (parts.2 + 0.5));",
  ),
  // Rotated by phases, which change neither the eigenvalues nor the density.
  'eigenvectors_sym of complex matrices': program(
    `complex_matrix[20, 20] c;
  complex_vector[20] z;
  for (i in 1 : 20) {
    z[i] = y[i] * exp(to_complex(0, 0.3 * i));
    for (j in 1 : 20) c[i, j] = a[i, j] * exp(to_complex(0, 0.3 * (i - j)));
  }`,
    `complex_matrix[20, 20] vectors = eigenvectors_sym(c);
  for (j in 1 : 20) {
    complex sum = 0;
    for (i in 1 : 20) sum += conj(vectors[i, j]) * z[i];
    target += -0.5 * norm(sum) / (get_real(eigenvalues_sym(c)[j]) + 0.5);
  }`,
  ),
};

interface Point {
  readonly position: readonly [number, number];
  /** -y' (A + I / 2)⁻¹ y / 2 and its first and second derivatives with respect to b and v, with 70 digits of mpmath. */
  readonly value: number;
  readonly gradient: readonly [number, number];
  readonly hessian: readonly [number, number, number, number];
}

const POINTS: readonly Point[] = [
  {
    position: [0.5, 1],
    value: -39.42352596781882,
    gradient: [0.5473858500269294, 0.2256668688113547],
    hessian: [-0.0760271129695589, 0.422169308476112, 0.422169308476112, -0.133599639531498],
  },
  {
    position: [0.25, 4],
    value: -39.34860244396025,
    gradient: [1.3112764919120683, 0.04711567542246736],
    hessian: [3.88959288384717, 0.278374784526547, 0.278374784526547, -0.0053960216086396],
  },
];
const TOLERANCE = 1e-10;

const FORM = { propto: false, jacobian: false };

function assertClose(found: readonly number[], exact: readonly number[]): void {
  for (const [k, value] of exact.entries())
    assert.ok(Math.abs(found[k] - value) <= TOLERANCE, `${k}: ${found[k]}, not ${value}`);
}

for (const [name, text] of Object.entries(PROGRAMS))
  describe(`${name} of nearly equal eigenvalues`, () => {
    const model = buildModel(compileProgram(text, { secondDerivatives: true }), '{}');
    for (const { position, value, gradient, hessian } of POINTS) {
      const point = Float64Array.from(position);
      it(`gives the correct derivatives to a density that does not depend on the choice of vectors, at ${position}`, () => {
        const ours = new Float64Array(2);
        const density = model.logDensityGradient(point, ours, FORM);
        assertClose([density, ...ours], [value, ...gradient]);
      });
      if (model.withoutHessian === undefined)
        it(`gives it the correct second derivatives at ${position}`, () => {
          const ours = new Float64Array(4);
          assert.ok(model.hessian(point, ours, FORM));
          assertClose([...ours], hessian);
        });
    }
  });

it('eigenvalues of a Hermitian matrix have correct derivatives if they coincide', () => {
  const text = `parameters { real b; } model {
    complex_matrix[2, 2] c = [[to_complex(b, 0), 0], [0, to_complex(b, 0)]];
    target += get_real(sum(eigenvalues_sym(c))); }`;
  const ours = new Float64Array(1);
  assertClose(
    [buildModel(compileProgram(text), '{}').logDensityGradient(Float64Array.of(3), ours, FORM), ...ours],
    [6, 2],
  );
});
