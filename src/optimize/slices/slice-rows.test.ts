import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';
import { verifyStages } from '../../../test/support/verify-stages.js';
import { compile } from '../../compile.js';
import { printBlock } from '../../ir/print.js';
import { loadKernels } from '../../node/kernels.js';

const { library } = loadKernels();

/** The log density in slices as text. */
function slicedText(program: string): string {
  let text = '';
  compile(program, library, {
    slices: true,
    // Without these passes, each loop has only one form.
    without: ['mergeRows', 'groupIterations', 'tabulateValues', 'sufficientStatistics'],
    observe: ({ name, block }) => {
      if (name === 'slice') text = printBlock(block);
    },
  });
  return text;
}

describe('a log density in slices as text', () => {
  it('divides loops over rows; other terms are those of slice 0', () => {
    const text = slicedText(`data { int N; vector[N] y; }
      parameters { real<lower=0> s; vector[2] b; }
      transformed parameters { vector[2] a = exp(b); }
      model { s ~ exponential(1); for (n in 1:N) target += log1p_exp(y[n] * a[1] * a[2] * s); }`);
    assert.equal(
      text,
      `if slice == 0 {
  target += data_constant (constant)
}
x = position[0]
if slice == 0 {
  target += x (jacobian)
}
s = exp(x)
a = exp(position[1])
a.2 = exp(position[2])
check s >= 0.0 else "exponential_lpdf: Random variable is {0}, but must be nonnegative!", s
if slice == 0 {
  target += -s
}
extent = select_int(1 <= N, N, 0)
each = extent div slices
spare = extent rem slices
first = ((each * slice) + select_int(slice < spare, slice, spare)) + 1
count = each + select_int(slice < spare, 1, 0)
for n in first .. first + count {
  target += log1p_exp(((y[n + -1] * a) * a.2) * s)
}`,
    );
  });

  it('computes only the rows of a product that a slice reads', () => {
    const text = slicedText(`data { int N; int K; matrix[N, K] X; array[N] int y; }
      parameters { vector[K] b; }
      model { y ~ bernoulli_logit(X * b); }`);
    assert.match(
      text,
      /^allocate real product\.?2?\[count\]\nkernel gemm_rows\(&product\.?2?, &X \+ first, .*, count, K, 1, N\)/m,
    );
    assert.match(text, /^for i in first \.\. first \+ count \{\n {2}x = product\.?2?\[i - first\]/m);
  });

  it('adds a sum in a local to the target of every slice', () => {
    const text =
      slicedText(`functions { real part(array[] real y, int s, int e, real m) { return student_t_lpdf(y | 4, m, 1); } }
      data { int N; array[N] real y; }
      parameters { real m; }
      model { target += reduce_sum(part, y, 1, m); }`);
    assert.match(text, /for i in first \.\. first \+ count \{[^}]*log_density = log_density \+ /);
    assert.match(text, /\n {2}reduced = log_density\n {2}if slice == 0 \{\n {4}reduced = reduced \+ /);
    assert.match(text, /\ntarget \+= reduced$/);
  });

  it('divides the jobs of map_rect, also with a factor', () => {
    const program = (term: string): string => `functions {
        vector job(vector phi, vector theta, data array[] real x, data array[] int k) {
          real lp = 0;
          for (i in 1:k[1]) lp += -cosh(phi[1] * theta[1] * x[i]);
          return [lp, theta[1]]';
        }
      }
      data { int J; int T; array[J, T] real x; array[J, 1] int k; }
      parameters { vector[1] phi; array[J] vector[1] theta; }
      model { ${term} }`;
    const jobs = 'sum(map_rect(job, phi, theta, x, k))';
    assert.equal(
      slicedText(program(`target += ${jobs};`)),
      `view position.2[J, 1] = position from 1
extent = select_int(0 <= (J + -1), J, 0)
each = extent div slices
spare = extent rem slices
first = (each * slice) + select_int(slice < spare, slice, spare)
count = each + select_int(slice < spare, 1, 0)
for i in first .. first + count {
  offset = i * T
  to = k[i]
  for i.2 in 1 .. to + 1 {
    target += -cosh((position[0] * position.2[i]) * x[offset + (i.2 + -1)])
  }
  target += position.2[i]
}`,
    );
    for (const term of [`0.5 * ${jobs}`, `${jobs} / J - 0.1 * (2 + ${jobs})`]) {
      assert.match(slicedText(program(`target += ${term};`)), /^for i in first \.\. first \+ count/m);
    }
  });

  it('divides a sum in a local that has a factor', () => {
    const text =
      slicedText(`functions { real part(array[] real y, int s, int e, real m) { return student_t_lpdf(y | 4, m, 1); } }
      data { int N; array[N] real y; real w; }
      parameters { real m; }
      model { target += w * reduce_sum(part, y, 1, m); }`);
    assert.match(text, /for i in first \.\. first \+ count \{/);
    assert.match(text, /\ntarget \+= w \* reduced$/);
    const nested = slicedText(`data { int N; int T; array[N, T] real y; }
      parameters { real m; }
      model { real s = 0; for (n in 1:N) { for (t in 1:T) s += -cosh(m * y[n, t]); s += sinh(n * m); } target += 0.5 * s; }`);
    assert.match(
      nested,
      /^for n in first \.\. first \+ count \{\n(?: .*\n)* {2}for t in 1 \.\. T \+ 1 \{\n {4}s = s - cosh/m,
    );
  });

  it('runs a recurrence completely in every slice, except for its terms', () => {
    const text = slicedText(`data { int N; vector[N] y; }
      parameters { real a; }
      model { real h = 0; for (n in 1:N) { h = a * h + y[n]; target += -cosh(h); } }`);
    assert.match(
      text,
      /^for n in 1 \.\. N \+ 1 \{\n {2}h = [^}]*if slice == 0 \{\n {4}target \+= -cosh\(h\)\n {2}\}\n\}$/m,
    );
  });
});

const N = 11;
const DATA = JSON.stringify({
  N,
  K: 3,
  X: Array.from({ length: N }, (_, n) => [1, Math.sin(n), Math.cos(2 * n)]),
  x: Array.from({ length: N }, (_, n) => Math.sin(3 * n)),
  y: Array.from({ length: N }, (_, n) => Math.cos(n * n)),
  k: Array.from({ length: N }, (_, n) => (n * n) % 3),
  g: Array.from({ length: N }, (_, n) => 1 + (n % 4)),
});
const DECLARED = 'data { int N; int K; matrix[N, K] X; vector[N] x; vector[N] y; array[N] int k; array[N] int g; }';

const PROGRAMS: Readonly<Record<string, string>> = {
  'a product with a vector': `${DECLARED} parameters { vector[K] b; real a; }
    model { b ~ normal(0, 1); k ~ poisson_log(a + X * b); }`,
  'two products': `${DECLARED} parameters { vector[K] b; vector[K] c; }
    model { y ~ student_t(4, X * b, exp(X * c)); }`,
  'a product with a matrix': `${DECLARED} parameters { matrix[K, 3] B; }
    model { matrix[N, 3] eta = X * B; for (n in 1:N) (1 + k[n]) ~ categorical_logit(eta[n]'); }`,
  groups: `${DECLARED} parameters { vector[4] z; real m; real<lower=0> t; real<lower=0> phi; }
    transformed parameters { vector[4] a = m + t * z; }
    model { z ~ normal(0, 1); k ~ neg_binomial_2_log(a[g] + 0.3 * x, phi); }`,
  'a mixture': `${DECLARED} parameters { ordered[2] m; vector<lower=0>[2] s; simplex[2] p; }
    model { for (n in 1:N) target += log_mix(p[1], normal_lpdf(y[n] | m[1], s[1]), normal_lpdf(y[n] | m[2], s[2])); }`,
  'a local array': `${DECLARED} parameters { real a; real b; real<lower=0> s; }
    model { vector[N] m; for (n in 1:N) m[n] = a * exp(b * x[n]); y ~ cauchy(m, s); m[2] ~ normal(0, 1); }`,
  'conditions on data': `${DECLARED} parameters { real<lower=0> r; }
    model { for (n in 1:N) { if (k[n] == 0) target += weibull_lccdf(1 + y[n] | r, 2); else target += weibull_lpdf(1.5 + y[n] | r, 2); } }`,
  'a sum of user functions': `functions { real part(array[] int k, int s, int e, vector x, real a) { return poisson_log_lpmf(k | a * x[s:e]); } }
    ${DECLARED} parameters { real a; } model { target += reduce_sum(part, k, 1, x, a); }`,
  'a factor of a sum of user functions': `functions { real part(array[] int k, int s, int e, vector x, real a) { return poisson_log_lpmf(k | a * x[s:e]); } }
    ${DECLARED} parameters { real a; } model { target += 0.3 * reduce_sum(part, k, 1, x, a) - reduce_sum(part, k, 1, x, -a) / N; }`,
  'jobs of map_rect': `functions { vector job(vector p, vector t, data array[] real x, data array[] int k) {
      vector[k[1] + 1] r = rep_vector(p[1] * t[1], k[1] + 1);
      for (i in 1:k[1]) r[i] = -cosh(p[1] * t[1] - x[i]);
      return r;
    } }
    ${DECLARED} transformed data { array[N, 3] real u; array[N, 1] int m; for (n in 1:N) { u[n] = to_array_1d(X[n]); m[n, 1] = k[n]; } }
    parameters { vector[1] p; array[N] vector[1] t; }
    model { real s = sum(map_rect(job, p, t, u, m)); p ~ normal(0, 1); target += s + normal_lpdf(t[1] | 0, 1); target += 0.5 * sum(map_rect(job, p, t, u, m)); }`,
  'a sum of inner loops with a factor': `${DECLARED} parameters { real a; }
    model { real s = 0; for (n in 1:N) { for (j in 1:K) s += log1p_exp(a * X[n, j]); s -= cosh(a * x[n]); } target += 0.5 * s; }`,
  'views of rows': `${DECLARED} transformed data { array[N] vector[3] z; for (n in 1:N) z[n] = X[n]'; }
    parameters { vector[3] b; cholesky_factor_corr[3] L; } model { for (n in 1:N) z[n] ~ multi_student_t_cholesky(4, b, L); }`,
  'sums of sums': `${DECLARED} parameters { real a; }
    model { real s = 1; real t = a; for (n in 1:N) s += log1p_exp(a * x[n]); t -= s; for (n in 1:N) t += -square(sinh(a - y[n])); target += t - 2 * s; }`,
  'a sum that a loop adds': `${DECLARED} parameters { real a; }
    model { real s = 0; for (n in 1:N) s += log1p_exp(a * x[n]); for (n in 1:K) target += s; }`,
  'a sum that is read otherwise': `${DECLARED} parameters { real a; }
    model { real s = 0; for (n in 1:N) s += log1p_exp(a * x[n]); target += -s - s * s; }`,
  'target that is read': `${DECLARED} parameters { real a; }
    model { for (n in 1:N) target += -square(a - sinh(y[n])); target += -0.01 * target(); }`,
  'kernels in iterations': `${DECLARED} parameters { real<lower=-1, upper=1> r; }
    model { for (n in 1:N) [x[n], y[n]]' ~ multi_normal([0, 0]', [[1, r], [r, 1]]); }`,
  'a recurrence': `${DECLARED} parameters { real a; }
    model { real h = 0; for (n in 1:N) { h = tanh(a * h + y[n]); target += -cosh(h) - square(x[n] - h); } }`,
};

describe('slices of a log density', () => {
  for (const [name, program] of Object.entries(PROGRAMS)) {
    it(`have the density and its gradient as their sum, 1e-12: ${name}`, () => {
      verifyStages(program, { slices: true });
      const whole = buildModel(compileProgram(program), DATA);
      const sliced = buildModel(compileProgram(program, { slices: true }), DATA);
      const { dimension } = whole;
      const position = Float64Array.from({ length: dimension }, (_, i) => 0.3 + 0.2 * Math.sin(5 * i));
      for (const form of [
        { propto: true, jacobian: true },
        { propto: false, jacobian: false },
      ]) {
        const expected = new Float64Array(dimension);
        const value = whole.logDensityGradient(position, expected, form);
        for (const count of [1, 2, 3, 16]) {
          const sums = new Float64Array(1 + dimension);
          for (let index = 0; index < count; index++) {
            const part = new Float64Array(dimension);
            const slice = { ...form, slice: { index, count } };
            const own = sliced.logDensityGradient(position, part, slice);
            assert.equal(sliced.logDensity(position, slice), own);
            for (const [i, number] of [own, ...part].entries()) sums[i] += number;
          }
          const scale = Math.max(1, Math.abs(value), ...expected.map(Math.abs));
          for (const [i, number] of [value, ...expected].entries()) {
            assert.ok(Math.abs(sums[i] - number) <= 1e-12 * scale, `${count} slices, ${i}: ${sums[i]}, ${number}`);
          }
        }
      }
    });
  }

  it('have work that counts iterations that data determine', () => {
    const workOf = (counts: readonly number[]) => {
      const jobs = counts.length;
      const x = counts.map(() => [1, 2, 3, 4, 5]);
      const program = `functions { vector job(vector p, vector t, data array[] real x, data array[] int k) {
          real lp = 0;
          if (k[1] >= 1) for (i in 1:k[1]) for (j in 1:k[1]) lp += -cosh(p[1] * x[i] - t[1] * x[j]);
          return [lp]';
        } }
        data { int J; array[J, 5] real x; array[J, 1] int k; }
        parameters { vector[1] p; array[J] vector[1] t; }
        model { target += sum(map_rect(job, p, t, x, k)); }`;
      const compiled = compileProgram(program, { slices: true, without: ['specializeSizes'] });
      const work = buildModel(compiled, JSON.stringify({ J: jobs, x, k: counts.map((each) => [each]) })).sliceWork();
      assert.ok(work);
      return work.divided;
    };
    const [none, one, four] = [0, 1, 4].map((count) => workOf(Array.from({ length: 100 }, () => count)));
    assert.ok(one > 100 && none < one);
    assert.ok(four - none > 10 * (one - none) && four - none < 16.1 * (one - none));
    const mixed = workOf(Array.from({ length: 100 }, (_, k) => (k % 2 === 0 ? 0 : 4)));
    assert.ok(Math.abs(mixed - (none + four) / 2) < 1e-9 * four);
  });

  it('have work that depends only on sizes, and none that is divided if data are compressed', () => {
    const workOf = (program: string, rows: number) => {
      const column = Array.from({ length: rows }, (_, n) => Math.sin(n));
      const work = buildModel(
        compileProgram(program, { slices: true }),
        JSON.stringify({ N: rows, y: column }),
      ).sliceWork();
      assert.ok(work);
      return work;
    };
    const declared = 'data { int N; vector[N] y; } parameters { real m; }';
    const [one, ten] = [100, 1000].map((rows) => workOf(`${declared} model { y ~ cauchy(m, 1); }`, rows));
    assert.ok(one.divided > 100 && Math.abs(ten.divided - 10 * one.divided) < 1e-9 * ten.divided);
    assert.equal(ten.shared, one.shared);
    assert.equal(workOf(`${declared} model { y ~ normal(m, 1); }`, 1000).divided, 0);
  });

  it('exist only if evaluations print nothing', () => {
    const program = 'parameters { real a; } model { print("here"); a ~ normal(0, 1); }';
    assert.equal(buildModel(compileProgram(program, { slices: true }), '{}').sliceWork(), undefined);
    assert.equal(buildModel(compileProgram('parameters { real a; }'), '{}').sliceWork(), undefined);
  });
});
