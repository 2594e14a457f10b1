import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CompileOptions } from '../../src/compile.js';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkGradientOf } from './agreement.js';

const FORM = { propto: false, jacobian: true };
const WITHOUT = { propto: false, jacobian: false };

interface Case {
  readonly program: string;
  readonly data?: string;
  /** Programs whose parameters get partially centered coordinates. */
  readonly names: readonly string[];
  /** Other parameters that have locations and scales, with the reasons. */
  readonly leftAlone?: Readonly<Record<string, string>>;
}

const CASES: Readonly<Record<string, Case>> = {
  'a vector declared before its location and scale': {
    program: `data { int J; vector[J] y; vector[J] s; }
      parameters { vector[J] theta; real mu; real<lower=0> tau; }
      model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); theta ~ normal(mu, tau); y ~ normal(theta, s); }`,
    data: '{"J": 3, "y": [28, 8, -3], "s": [15, 10, 16]}',
    names: ['theta'],
  },
  'several levels, the lower ones first': {
    program: `data { int J; array[J] int g; }
      parameters { vector[J] a; real<lower=0> s; vector[2] b; real<lower=0> t; real m; }
      model { s ~ exponential(1); t ~ lognormal(0, 1); m ~ normal(0, 2);
        b ~ normal(m, t); a ~ normal(b[g], s); }`,
    data: '{"J": 4, "g": [1, 2, 2, 1]}',
    names: ['a', 'b'],
  },
  'elements of a loop with a linear predictor': {
    program: `data { int J; vector[J] u; }
      parameters { array[J] real theta; real a; real b; vector<lower=0>[J] s; }
      model { a ~ normal(0, 1); b ~ normal(0, 1); s ~ gamma(3, 2);
        for (j in 1:J) theta[j] ~ normal(a + b * u[j], s[j]); }`,
    data: '{"J": 3, "u": [0.3, -0.6, 1.2]}',
    names: ['theta'],
  },
  'other families, a scalar, increments and offsets that are undone': {
    program: `parameters { real<lower=0> s; real m; real<offset=3, multiplier=2> x; vector<multiplier=s>[2] y; row_vector[2] z; real<offset=z[1]> w; }
      model { s ~ exponential(1); m ~ normal(0, 1); x ~ student_t(4, m, s); target += cauchy_lpdf(y | m, 2 * s);
        target += double_exponential_lupdf(z | y', 1.5); w ~ logistic(m, s); }`,
    names: ['x', 'y', 'z', 'w'],
  },
  'transformed parameters that are defined once': {
    program: `data { matrix[3, 2] X; }
      parameters { array[3] real b; vector[2] beta; real<lower=0> v; matrix[2, 2] q; }
      transformed parameters { vector[3] mu = X * beta; real s; s = sqrt(v); }
      model { v ~ inv_gamma(2, 2); beta ~ normal(0, 1); b ~ normal(mu, s); to_vector(q) ~ normal(b[1], s); }`,
    data: '{"X": [[1, 2], [0.5, -1], [-2, 0.3]]}',
    names: ['b', 'q'],
  },
  'arrays of vectors with a Cholesky factor': {
    program: `data { int J; }
      parameters { array[J] vector[3] b; vector[3] mu; vector<lower=0>[3] tau; cholesky_factor_corr[3] L; }
      model { mu ~ normal(0, 2); tau ~ normal(0, 1); L ~ lkj_corr_cholesky(2);
        b ~ multi_normal_cholesky(mu, diag_pre_multiply(tau, L)); b[2] ~ normal([1, 2, 3]', 2); }`,
    data: '{"J": 4}',
    names: ['b'],
  },
  'a loop over vectors, each with a factor and a location': {
    program: `data { int J; vector[J] u; }
      parameters { matrix[2, 1] g; vector<lower=0>[2] tau; cholesky_factor_corr[2] L; array[J] row_vector<offset=1, multiplier=3>[2] b; }
      model { to_vector(g) ~ normal(0, 1); tau ~ gamma(2, 2);
        for (j in 1:J) b[j] ~ multi_normal_cholesky(g[:, 1] * u[j], diag_pre_multiply(tau * (1 + square(u[j])), L)); }`,
    data: '{"J": 3, "u": [0.3, -0.6, 1.2]}',
    names: ['b'],
  },
  'covariance matrices, and locations of several levels': {
    program: `data { int J; array[J] int g; }
      parameters { array[J] vector[2] b; array[3] vector[2] m; vector[2] mu; vector<lower=0>[2] tau; corr_matrix[2] R; cov_matrix[2] S; }
      model { mu ~ normal(0, 2); tau ~ lognormal(0, 0.5); S ~ inv_wishart(5, identity_matrix(2)); R ~ lkj_corr(2);
        m ~ multi_normal(mu, S); b ~ multi_student_t(4, m[g], quad_form_diag(R, tau)); }`,
    data: '{"J": 4, "g": [1, 2, 3, 1]}',
    names: ['b', 'm'],
  },
  'precision matrices, and single vectors': {
    program: `data { int J; vector[3] x; }
      parameters { array[J] vector[3] b; cov_matrix[3] P; real m; real<lower=0> l; vector[3] f; row_vector[3] r; }
      transformed parameters { matrix[3, 3] K = add_diag(gp_exp_quad_cov(to_array_1d(x), 1.0, l), 1e-3); }
      model { P ~ wishart(6, identity_matrix(3)); m ~ normal(0, 1); l ~ inv_gamma(5, 5);
        for (j in 1:J) { b[j] ~ multi_normal_prec([m, 0, -m], P); } f ~ multi_normal(rep_vector(0, 3), K);
        target += multi_student_t_cholesky_lpdf(r | 5, f, cholesky_decompose(K)); }`,
    data: '{"J": 3, "x": [0, 0.6, 1.5]}',
    names: ['b', 'f', 'r'],
  },
  'parts of containers in loops': {
    program: `data { int P; int N; }
      parameters { array[P, N] real a; matrix[N, P] c; matrix[N, P] r; array[P] vector<offset=1, multiplier=2>[N] v; array[2, P] matrix[2, N] q;
        array[N, P] real t; array[P] real m; array[P] real<lower=0> s; vector<lower=0>[N] u; array[P] row_vector[N] w; array[P] real z; }
      model { m ~ normal(0, 1); s ~ lognormal(0, 0.5); u ~ gamma(3, 2);
        for (p in 1:P) { a[p] ~ normal(m[p], s[p]); c[, p] ~ normal(m[p], u); t[:, p] ~ student_t(4, m[p], s[p]); }
        for (p in 1:P) for (n in 1:rows(r)) r[n, p] ~ normal(m[p] * n, s[p] * u[n]); for (p in 1:P) z[p] ~ normal(r[N, p], s[p]);
        for (p in 1:size(v)) target += normal_lupdf(v[p] | a[p], u);
        for (i in 1:2) for (p in 1:P) to_vector(q[i, p]) ~ normal(m[p] * i, s[p]); for (p in 1:P) for (n in 1:N) w[p][n] ~ cauchy(m[p], u[n]); }`,
    data: '{"P": 2, "N": 3}',
    names: ['a', 'c', 'r', 'v', 'q', 't', 'w', 'z'],
  },
  'containers as vectors and arrays': {
    program: `parameters { array[2, 3] real a; matrix[2, 3] c; real m; real<lower=0> s; vector<lower=0>[6] u; row_vector[2] q; }
      model { m ~ normal(0, 1); s ~ lognormal(0, 0.5); u ~ gamma(3, 2);
        to_array_1d(a) ~ normal(m, u); to_row_vector(c) ~ normal(m, s); to_array_1d(to_vector(q)) ~ normal(m, s); }`,
    names: ['a', 'c', 'q'],
  },
  'rows and columns of matrices with covariances': {
    program: `data { int J; vector[J] u; }
      parameters { matrix[3, J] c; matrix[J, 2] r; array[2, J] vector[2] b; array[2, J] vector[2] d; vector[3] mu; vector<lower=0>[3] tau; cholesky_factor_corr[3] L; cov_matrix[2] S; }
      model { mu ~ normal(0, 2); tau ~ gamma(2, 2); L ~ lkj_corr_cholesky(2); S ~ inv_wishart(5, identity_matrix(2));
        for (j in 1:J) c[, j] ~ multi_normal_cholesky(mu * u[j], diag_pre_multiply(tau, L));
        for (j in 1:J) { r[j] ~ multi_normal(mu[1:2], S); }
        for (i in 1:2) { b[i] ~ multi_normal_prec(mu[1:2] * i, S); for (j in 1:J) d[i, j] ~ multi_student_t(5, mu[1:2], S * square(u[j])); } }`,
    data: '{"J": 3, "u": [0.3, -0.6, 1.2]}',
    names: ['c', 'r', 'b', 'd'],
  },
  'locations and scales that statements, local variables and functions compute': {
    program: `functions { real deviation(real x) { if (x < 0) reject(x); real y = sqrt(x); while (y > 9) y -= 1; return y; }
        vector twice(vector x); vector twice(vector x) { return 2 * x; } }
      data { int J; vector[J] u; array[J] int g; }
      parameters { array[2, J] real a; vector[J] b; vector[J] c; vector[J] d; array[J] vector[2] e; real x; vector[J] f;
        array[2] real<lower=0> v; vector[2] beta; vector<lower=0>[2] tau; cholesky_factor_corr[2] L; }
      transformed parameters { array[2] real s; real h, k = 2; vector[J] mu; real unused = x; (h, k) = (k, v[1]);
        for (i in 1:2) { real w = v[i]; if (i > 1) s[i] = sqrt(w); else s[i] = w; }
        for (j in 1:J) mu[j] = beta[1] + beta[2] * u[j] * h; unused += 1; }
      model { matrix[2, 2] Sigma; vector[J] moved = mu; v ~ gamma(3, 2); beta ~ normal(0, 1); tau ~ gamma(3, 2); L ~ lkj_corr_cholesky(2);
        for (i in 1:2) { real own = s[i] * k; a[i] ~ normal(mu, own); }
        for (j in 1:J) { vector[2] m; m[1] = moved[j]; m[2] = -m[1]; Sigma[1, 1] = j; e[j] ~ multi_normal_cholesky(m, diag_pre_multiply(tau, L)); }
        b ~ normal(twice(moved), deviation(v[1])); moved[1] = 3; c ~ normal(moved, s[1]);
        { vector[J] inner = rep_vector(0, J); for (j in 1:J) inner[j] += beta[g[j]]; x ~ normal(sum(inner), s[2]); d ~ normal(inner, s[2]); }
        for (j in 1:J) { moved[j] = moved[j] + 1; f[j] ~ normal(moved[j], s[1]); } }`,
    data: '{"J": 3, "u": [0.3, -0.6, 1.2], "g": [1, 2, 2]}',
    names: ['a', 'b', 'c', 'd', 'e', 'x'],
    leftAlone: { f: 'its location or scale reads moved, which statements around it change' },
  },
  'elements at fixed indexes, and parts of loops': {
    program: `data { int J; }
      parameters { matrix[J, 3] c; vector[4] x; array[2] vector[2] g; vector[3] l; real m; real<lower=0> s; vector<lower=0>[J] u; array[J, 2] vector[2] d; }
      model { m ~ normal(0, 1); s ~ lognormal(0, 0.5); u ~ gamma(3, 2); c[, 1] ~ normal(m, u); c[, 3] ~ normal(2 * m, s); c[, 2] ~ normal(0, 1);
        x[2] ~ normal(m, s); x[4] ~ normal(x[2], s); for (k in 1:1) x[k] ~ normal(m, 2); x[1] ~ normal(0, 3); g[2] ~ multi_normal([m, s], add_diag(identity_matrix(2), s));
        for (k in 2:3) l[k] ~ normal(m, s); for (j in 1:J) d[j, 2] ~ normal(m, u[j]); }`,
    data: '{"J": 2}',
    names: ['c', 'x', 'g', 'l', 'd'],
  },
  'random walks and autoregressions': {
    program: `data { int T; int N; }
      parameters { vector[T] walk; vector[T] ar; array[N, T] real many; matrix[2, T] state; array[T] vector[2] local; real m; real<lower=0> s; real phi;
        vector<lower=0>[N] u; cholesky_factor_corr[2] L; array[T] real second; matrix[N, T] rows; }
      model { m ~ normal(0, 1); s ~ lognormal(0, 0.5); phi ~ normal(0, 0.5); u ~ gamma(3, 2); L ~ lkj_corr_cholesky(2);
        walk[1] ~ normal(0, s); for (t in 2:T) walk[t] ~ normal(walk[t - 1], s);
        for (t in 3:T) ar[t] ~ student_t(4, m + phi * (ar[t - 1] - m) - 0.2 * ar[(t - 2)], s * (1 + square(ar[1]))); ar[1:2] ~ normal(0, 1);
        many[, 1] ~ normal(m, u); for (n in 1:N) for (t in 2:T) many[n, t] ~ normal(phi * many[n][t - 1], u[n]);
        state[, 1] ~ normal(m, 1); for (t in 2:T) state[, t] ~ multi_normal_cholesky(phi * state[, t - 1], s * L);
        for (t in 2:T) { vector[2] mean = [local[t - 1, 2], -phi * local[t - 1][1]]'; local[t] ~ normal(mean, s); }
        second[2] ~ normal(second[1], s); for (t in 3:T) second[t] ~ normal(2 * second[t - 1] - second[t - 2], s);
        for (t in 2:T) rows[, t] ~ normal(rows[, t - 1] + walk[t], u); }`,
    data: '{"T": 4, "N": 2}',
    names: ['walk', 'ar', 'many', 'state', 'local', 'second', 'rows'],
  },
  'slices and differences': {
    program: `data { int T; int N; vector[T] u; matrix[T - 1, 2] X; }
      parameters { vector[T] walk; array[N] vector[T] many; matrix[T, N] columns; vector[T] second; row_vector[6] blocks; vector[6] b; vector[N] g; array[T] real steps;
        real m; real<lower=0> s; real phi; vector[2] beta; vector<lower=0>[2] tau; vector[T] seasonal; vector[T] moved; }
      model { m ~ normal(0, 1); s ~ lognormal(0, 0.5); phi ~ normal(0, 0.5); beta ~ normal(0, 1); tau ~ gamma(2, 2);
        walk[1] ~ normal(m, s); walk[2:T] ~ normal(m + phi * (walk[1:(T - 1)] - m) / 1.5 + X * beta - (-u[2:T]) .* walk[1:T - 1], s);
        for (n in 1:N) { many[n, 1] ~ normal(0, s); many[n, 2:] ~ normal(phi * many[n][1:(T - 1)], s * u[2:T] .* u[2:T]); }
        for (n in 1:N) columns[2:T, n] - columns[1:(T - 1), n] ~ normal(m, s);
        second[3:T] - 2 * second[2:(T - 1)] + second[1:(T - 2)] ~ normal(0, s); second[1:2] ~ normal(m, 1);
        blocks[1:3] ~ normal(m, s); blocks[4:6] ~ normal(2 * m, s); (b[1:2]) ~ multi_normal([m, m], diag_matrix(tau)); b[4:5] - m ~ normal(0, tau);
        g - 3 - m ~ student_t(4, phi, s); for (t in 2:T) steps[t] - steps[t - 1] ~ normal(m, s);
        for (t in 3:T) seasonal[t] ~ normal(-sum(seasonal[(t - 2):(t - 1)]), s); u - moved ~ normal(0, 1); moved - u ~ normal(m, s); }`,
    data: '{"T": 4, "N": 2, "u": [0.3, -0.6, 1.2, 0.8], "X": [[1, 2], [0.5, -1], [-2, 0.3]]}',
    names: ['walk', 'many', 'columns', 'second', 'blocks', 'b', 'g', 'steps', 'seasonal', 'moved'],
  },
  'vectors whose elements are parameters': {
    program: `data { int J; }
      parameters { vector[J] a; vector[J] b; array[J] real c; real x; real y; real<lower=0> positive; vector[J] p; row_vector[J] q; vector[J] r; vector[2] u; array[J] vector[2] v;
        real m; vector<lower=0>[3] tau; cholesky_factor_corr[3] L; cov_matrix[3] P; corr_matrix[2] R; }
      model { m ~ normal(0, 1); tau ~ gamma(3, 2); L ~ lkj_corr_cholesky(2); P ~ wishart(6, identity_matrix(3)); R ~ lkj_corr(2);
        { array[J] vector[3] YY; vector[3] MU; MU = [m, 2 * m, x]'; for (j in 1:J) YY[j] = [a[j], b[j], c[j]]';
          YY ~ multi_normal(MU, quad_form_diag(multiply_lower_tri_self_transpose(L), tau)); }
        [x, y, positive] ~ multi_student_t_cholesky(5, [m, m, 1]', L); for (j in 1:J) [p[j], q[j], (r[j])]' ~ multi_normal_prec([m, 0, m * j], P);
        for (j in 1:J) { vector[2] mu = [m, -m]'; [u[1], v[j, 2]]' ~ multi_normal(mu, quad_form_diag(R, tau[1:2])); } }`,
    data: '{"J": 3}',
    names: ['a', 'b', 'c', 'x', 'y', 'p', 'q', 'r', 'v'],
    leftAlone: { positive: 'it is constrained', u: 'its distribution is in a loop' },
  },
  'positive parameters': {
    program: `data { int J; int T; }
      parameters { vector<lower=0>[J] a; array[J] real<lower=0.0> b; real<lower=0> c; vector<lower=0>[J] d; matrix<lower=0>[2, J] e;
        vector<lower=0>[T] walk; vector<lower=0>[T] part; real m; real<lower=0> s; vector<lower=0>[J] u; real<lower=0> half; real<lower=0, upper=9> both; }
      model { m ~ normal(0, 1); s ~ lognormal(0, 0.5); u ~ gamma(3, 2); a ~ lognormal(m, u); b ~ gamma(s, u); c ~ gamma(2, 1 / s); d ~ inv_gamma(u, s);
        for (j in 1:J) e[, j] ~ lognormal(m * j, s); walk[1] ~ gamma(1, 1); for (t in 2:T) walk[t] ~ lognormal(log(walk[t - 1]) + m, s);
        part[2:T] ~ inv_gamma(1 + s, 2 * s); half ~ normal(0, s); both ~ lognormal(m, s); }`,
    data: '{"J": 2, "T": 3}',
    names: ['a', 'b', 'c', 'd', 'e', 'walk', 'part'],
    leftAlone: { half: 'it is constrained', both: 'its lower bound is not 0' },
  },
  'recurrences that read later elements': {
    program: `data { int T; int N; }
      parameters { vector[T] back; vector[T] whole; array[N, T] real other; matrix[T, 2] row; vector[T] plus; real<lower=0> s; vector[T] up;
        vector[T] sums; vector[T] same; array[T] vector[2] pairs; }
      model { s ~ lognormal(0, 0.5); back[T] ~ normal(0, s); for (t in 1:(T - 1)) back[t] ~ normal(back[t + 1], s); back ~ normal(0, 9);
        for (t in 2:T) whole[t] ~ normal(mean(whole), s); for (n in 1:N) for (t in 2:T) other[n, t] ~ normal(other[3 - n, t - 1], s);
        for (t in 2:T) row[t, 1] ~ normal(row[t, 2], s); for (t in 2:T) plus[t] ~ normal(plus[2], s); for (t in 2:T) up[t] ~ normal(up[T - 1], s);
        sums[2:T] ~ normal(cumulative_sum(sums[1:(T - 1)]), s); same[2:T] ~ normal(same[2:T], s); for (t in 2:T) pairs[t] - pairs[t - 1] ~ multi_normal([s, s], identity_matrix(2));
        to_vector(row) ~ normal(0, 9); plus ~ normal(0, 9); up ~ normal(0, 9); whole ~ normal(0, 9); sums ~ normal(0, 9); same ~ normal(0, 9); for (t in 1:T) pairs[t] ~ normal(0, 9); for (n in 1:N) other[n] ~ normal(0, 9); }`,
    data: '{"T": 4, "N": 2}',
    names: [],
    leftAlone: {
      back: 'its elements do not all have the distribution',
      whole: 'its location or scale depends on it',
      other: 'its location or scale depends on it',
      row: 'its distribution applies to a part of it',
      plus: 'its location or scale depends on it',
      up: 'its location or scale depends on it',
      sums: 'its location or scale depends on it',
      same: 'its location or scale depends on it',
      pairs: 'its distribution applies to a difference',
    },
  },
  'what cannot be centered': {
    program: `functions { real f(real x) { print(x); return exp(x); } }
      parameters { real m; real<lower=0> s; real<lower=0> p; vector[3] walk; vector[2] part; real user; vector[2] w; real o; real r; vector[2] fixed; }
      transformed parameters { real l = 0; for (k in 1:2) { l += m; jacobian += 0; } }
      model { m ~ normal(0, 1); s ~ exponential(1); p ~ normal(m, s); fixed ~ normal(0, 2);
        walk[1] ~ normal(0, s); for (k in 2:3) walk[k] ~ normal(walk[4 - k], s);
        part[{1, 2}] ~ normal(m, s); user ~ normal(m, f(m)); w ~ normal(l, s);
        o ~ normal(r, s); r ~ normal(o, 1 + s); }`,
    names: ['walk', 'o'],
    leftAlone: {
      p: 'it is constrained',
      part: 'its distribution applies to a part of it',
      user: 'its location or scale calls f',
      w: 'its location or scale is computed by statements with other effects',
      r: 'its location or scale depends on it',
    },
  },
  'statements that do not apply once to all elements, and other distributions': {
    program: `functions { real own_lpdf(vector x, real m) { return -dot_self(x - m); } }
      data { int J; int isUsed; }
      parameters { real m; real<lower=0> s; matrix[2, J] c; matrix[J, J] r; vector[3] i; vector[2] u; vector[2] v; array[2, J] real n;
        real<lower=1> low; real l; real t; array[J] vector[2] a; vector[2] e; vector[J] f; array[2] vector[2] g; real fixed; vector[2] o; }
      model { m ~ normal(0, 1); s ~ exponential(1); fixed ~ normal(0, 1) T[, 2];
        for (j in 1:J) c[:1, j] ~ normal(m, s); for (j in 1:J) r[j, j] ~ normal(m, s); if (isUsed) i ~ normal(m, s); else i ~ normal(m, 2);
        u ~ own(m); target += own_lupdf(v | s); for (k in 1:2) for (j in 1:2) n[k] ~ normal(m, s); l ~ skew_double_exponential(m, s, 0.5);
        low ~ lognormal(m, s); t ~ normal(m, s) T[, 40]; for (k in 1:2) a[:, 1] ~ normal(m, s); e ~ multi_normal({[m, m]', [s, s]'}, identity_matrix(2));
        for (k in 1:1) f ~ normal(m, s); g[J - 1] ~ multi_normal([m, s], identity_matrix(2));
        for (x in o) x ~ normal(m, s); }`,
    data: '{"J": 3, "isUsed": 1}',
    names: [],
    leftAlone: {
      c: 'its distribution applies to a part of it',
      r: 'its elements do not all have the distribution',
      i: 'its distribution is in a conditional statement',
      u: 'its distribution, own, is a function of the program',
      v: 'its distribution, own, is a function of the program',
      n: 'its distribution is in a loop',
      low: 'its lower bound is not 0',
      l: 'its distribution, skew_double_exponential, has no learned coordinates',
      t: 'its distribution is truncated',
      a: 'its distribution is in a loop',
      e: 'its distribution has several locations',
      f: 'its distribution is in a loop',
      g: 'its elements do not all have the distribution',
    },
  },
};

function modelOf({ program, data = '{}' }: Case, options: CompileOptions): Model {
  return buildModel(compileProgram(program, options), data);
}

function near(found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number, what: string): void {
  assert.equal(found.length, expected.length);
  for (let k = 0; k < found.length; k++) {
    const allowed = tolerance * Math.max(1, Math.abs(expected[k]));
    assert.ok(Math.abs(found[k] - expected[k]) <= allowed, `${what} ${k}: ${found[k]}, expected ${expected[k]}`);
  }
}

/** Numbers between 0 and 1 in a fixed order. */
function* fractions(): Generator<number, never> {
  for (let state = 1; ; state = (state * 48271) % 2147483647) yield state / 2147483647;
}

describe('partially centered coordinates', () => {
  for (const [title, example] of Object.entries(CASES)) {
    describe(title, () => {
      const written = modelOf(example, {});
      const centered = modelOf(example, { reparameterizes: true });
      const { centering } = centered;
      assert.ok(centering !== undefined);
      const random = fractions();
      const next = (): number => random.next().value;
      next();
      const places = [0, 1, undefined, undefined].map((place) =>
        Float64Array.from({ length: 2 * centering.elements.length }, () => place ?? next()),
      );

      it('are found, and parameters without them are reported', () => {
        assert.deepEqual(centering.names, example.names);
        assert.deepEqual(
          Object.fromEntries(centering.leftAlone.map(({ name, reason }) => [name, reason])),
          example.leftAlone ?? {},
        );
      });

      it('keep names and sizes', () => {
        const parts = { transformedParameters: true, generatedQuantities: true };
        assert.deepEqual(centered.constrainedNames(parts), written.constrainedNames(parts));
        const names = centered.unconstrainedNames();
        assert.deepEqual(
          names.map((name) => name.replace('__', '')),
          written.unconstrainedNames(),
        );
        assert.deepEqual(
          [...centering.elements].map((element) => names[element]),
          names.filter((name) => name.includes('__')),
        );
      });

      it('are initially centered, 1e-12', () => {
        centering.setPlaces(Float64Array.from(places[1], (_, k) => 1 - (k % 2)));
        const isOffset = /offset|multiplier/.test(example.program);
        if (isOffset) return;
        const position = Float64Array.from({ length: written.dimension }, () => 2 * next() - 1);
        const [one, two] = [written, centered].map((model) => {
          const gradient = new Float64Array(model.dimension);
          return [model.logDensityGradient(position, gradient, FORM), ...gradient];
        });
        near(two, one, 1e-12, 'value or gradient');
      });

      it('have the density of the original program at the same draw, without and with the Jacobian, 1e-11', () => {
        for (const each of places) {
          centering.setPlaces(each);
          const position = Float64Array.from({ length: written.dimension }, () => 4 * next() - 2);
          const draw = new Float64Array(written.constrainedNames().length);
          centered.writeArray(position, draw);
          const origins = new Float64Array(3 * centering.elements.length);
          centering.readOrigins(position, origins);
          near(centered.unconstrainDraw(draw), position, 1e-11, 'element');
          const same = written.unconstrainDraw(draw);
          const [first, second] = [centered.logDensity(position, WITHOUT), written.logDensity(same, WITHOUT)];
          near([first], [second], 1e-11, 'density');
          let jacobian = 0;
          for (let k = 0; k < centering.elements.length; k++) {
            jacobian += (1 - each[2 * k]) * (Math.log(origins[3 * k + 1]) - each[2 * k + 1]) - origins[3 * k + 2];
          }
          near([centered.logDensity(position, FORM)], [written.logDensity(same, FORM) + jacobian], 1e-11, 'density');
        }
      });

      it('have the transformed parameters of the original program at the same draw, 1e-11', () => {
        const parts = { transformedParameters: true };
        for (const each of places) {
          centering.setPlaces(each);
          const position = Float64Array.from({ length: written.dimension }, () => 4 * next() - 2);
          const draw = new Float64Array(written.constrainedNames().length);
          centered.writeArray(position, draw);
          const [found, expected] = [centered, written].map((model) => {
            const all = new Float64Array(model.constrainedNames(parts).length);
            model.writeArray(model === centered ? position : written.unconstrainDraw(draw), all, parts);
            return all;
          });
          near(found, expected, 1e-11, 'value');
        }
      });

      it('have the Jacobian determinant of their transform, 1e-6', () => {
        for (const each of places) {
          centering.setPlaces(each);
          const position = Float64Array.from({ length: written.dimension }, () => 2 * next() - 1);
          const toWritten = (from: Float64Array): Float64Array => {
            const draw = new Float64Array(written.constrainedNames().length);
            centered.writeArray(from, draw);
            return written.unconstrainDraw(draw);
          };
          const [added, addedByWritten] = [[centered, position] as const, [written, toWritten(position)] as const].map(
            ([model, at]) => model.logDensity(at, FORM) - model.logDensity(at, WITHOUT),
          );
          near([added - addedByWritten], [logDeterminant(toWritten, position)], 1e-6, 'determinant');
        }
      });

      it('have gradients that agree with differences, 1e-6', () => {
        for (const each of places) {
          centering.setPlaces(each);
          checkGradientOf(centered);
        }
      });
    });
  }

  it('reject a scale that is not positive', () => {
    const model = modelOf(
      { program: 'parameters { real s; real x; } model { s ~ normal(0, 1); x ~ normal(0, s); }', names: ['x'] },
      { reparameterizes: true },
    );
    assert.throws(
      () => model.logDensity(Float64Array.of(-1, 0), FORM),
      /scale of x is -1, but must be positive finite/,
    );
  });
});

/** Log of the absolute determinant of the derivative of a map, by central differences. */
function logDeterminant(map: (position: Float64Array) => Float64Array, position: Float64Array): number {
  const size = position.length;
  const columns = Array.from(position, (_, k) => {
    const at = (h: number): Float64Array => {
      const moved = position.slice();
      moved[k] += h;
      return map(moved);
    };
    const [far, near, back, behind] = [2e-3, 1e-3, -1e-3, -2e-3].map(at);
    return far.map((_, i) => (8 * (near[i] - back[i]) - (far[i] - behind[i])) / 12e-3);
  });
  let sum = 0;
  for (let k = 0; k < size; k++) {
    const pivot = columns
      .slice(k)
      .reduce((best, column, j) => (Math.abs(column[k]) > Math.abs(columns[k + best][k]) ? j : best), 0);
    [columns[k], columns[k + pivot]] = [columns[k + pivot], columns[k]];
    sum += Math.log(Math.abs(columns[k][k]));
    for (let j = k + 1; j < size; j++) {
      const factor = columns[j][k] / columns[k][k];
      for (let i = k; i < size; i++) columns[j][i] -= factor * columns[k][i];
    }
  }
  return sum;
}
