import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile, isCompiled } from '../../compile.js';
import { parseStanData } from '../../formats/stan-json.js';
import { instantiate } from '../../model/model.js';
import { loadKernels } from '../../node/kernels.js';

const { library, linear } = loadKernels();

/** Outliers make the likelihood locally convex, so the first solvers fail. */
const PROGRAM = `functions {
  real ll(vector theta, array[] real y, real nu) { return student_t_lpdf(y | nu, theta, 0.5); }
  matrix K(array[] real x, real a, real rho) { return add_diag(gp_exp_quad_cov(x, a, rho), 0.1); }
}
data { int N; array[N] real y; array[N] real x; int solver; int block; int through; }
parameters { real<lower=0> a; real<lower=0> rho; real<lower=0> nu; }
model {
  print("before");
  target += laplace_marginal_tol(ll, (y, nu), block, K, (x, a, rho), (rep_vector(0, N), 1e-8, 100, solver, 100, through));
  print("after");
  target += laplace_marginal_tol(ll, (y, nu), block, K, (x, a, rho), (rep_vector(0, N), 1e-8, 100, solver, 100, through));
}`;

interface Controls {
  readonly y: readonly number[];
  readonly block: number;
  readonly through: 0 | 1;
}

/** The log density at a point, evaluated twice, the gradient there, and the printed output; the error message on failure. */
function evaluated({ y, block, through }: Controls) {
  const result = compile(PROGRAM, library);
  if (!isCompiled(result)) throw new Error(result.text);
  const data = JSON.stringify({ N: 4, y, x: [0.1, 0.5, 0.9, 1.4], solver: 1, block, through });
  let printed = '';
  const modules = [new WebAssembly.Module(result.wasm), new WebAssembly.Module(linear)] as const;
  const model = instantiate(result.artifact, ...modules, parseStanData(data), {
    seed: 1,
    print: (text) => {
      printed += text;
    },
  });
  const gradient = new Float64Array(3);
  const evaluate = (): number | string => {
    try {
      return model.logDensityGradient(Float64Array.of(0.1, 0.2, 0.3), gradient, { propto: false, jacobian: true });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  return { values: [evaluate(), evaluate()], gradient: [...gradient], printed };
}

function assertClose(actual: readonly (number | string)[], expected: readonly number[]): void {
  for (const [k, value] of expected.entries()) {
    const found = Number(actual[k]);
    assert.ok(Math.abs(found - value) < 1e-6 * Math.max(1, Math.abs(value)), `${found}, expected ${value}`);
  }
}

/** What real Stan 2.39 prints, once. */
function warning(hessian: string): string {
  return `[laplace_marginal_density] WARNING: solver fallback
  iteration:  0
  failed:     solver 1 (${hessian} Hessian-root Cholesky)
  reason:     laplace_marginal_density: Hessian matrix is not positive definite
  action:     trying solver 2 (Covariance-root Cholesky)
note: this warning message will only be displayed once.
`;
}

describe('an embedded Laplace approximation whose solver fails', () => {
  it("reports the next attempt once, with real Stan's message and values", () => {
    for (const block of [1, 2]) {
      const { values, gradient, printed } = evaluated({ y: [4.1, -3, 2, 0], block, through: 1 });
      assert.equal(printed, `before\n${warning(block === 1 ? 'Diagonal' : 'Block')}after\nbefore\nafter\n`);
      // Recorded with real Stan 2.39; one observation lies at the start of the search, where its residual is 0.
      assertClose(values, [-25.765451311367531, -25.765451311367531]);
      assertClose(gradient, [7.5311396372746735, -2.2125041357360042, -0.72316806798769151]);
    }
  });

  it('is an error if no other solver is allowed', () => {
    const { values, printed } = evaluated({ y: [4.1, -3, 2, 0], block: 1, through: 0 });
    const text = "Exception: [laplace_marginal_density] (in 'string', line 9, column 2 to column 122)";
    assert.deepEqual(values, [text, text]);
    assert.equal(printed, 'before\nbefore\n');
  });
});
