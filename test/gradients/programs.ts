/** Programs named after the feature of differentiation that they exercise. They have no data, and parameters near the origin are valid. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  'one iteration is reversed at once': `
parameters { real mu; real<lower=0> tau; vector[5] theta; }
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  for (n in 1:5) target += -0.5 * square(theta[n] - n) + log1p_exp(theta[n] * tau);
}`,
  'a scalar carried from iteration to iteration': `
parameters { real a; real b; vector[6] x; }
model {
  real s = a;
  for (t in 1:6) {
    s = s * b + sin(x[t]) / (1 + s ^ 2);
    target += -square(s - 0.3 * t);
  }
}`,
  'a container filled from its own earlier elements': `
parameters { real a; real<lower=0, upper=1> b; vector[7] x; }
model {
  vector[7] h;
  h[1] = a * x[1];
  for (t in 2:7) h[t] = exp(-square(h[t - 1])) * b + x[t] * h[t - 1];
  target += normal_lpdf(h | 0, exp(0.1 * a));
}`,
  'elements overwritten many times': `
parameters { vector[4] x; }
model {
  vector[4] s = x;
  for (k in 1:3) for (i in 1:4) s[i] = s[i] * s[1 + i % 4] + 0.1 * k;
  target += -dot_self(s);
}`,
  'aliasing assignments': `
parameters { vector[5] x; }
model {
  vector[5] v = x;
  v[2:5] = v[1:4] .* v[2:5];
  v = reverse(v) + 0.5 * v;
  v[{1, 3}] = v[{3, 1}] * 2;
  target += -dot_product(v, v .* x);
}`,
  'branches on parameters': `
parameters { vector[4] x; real b; }
model {
  for (i in 1:4) {
    real z = x[i] * b;
    if (z > 0.2) z = log1p(z); else if (z < -0.2) z = -square(z); else z = 3 * z;
    target += -square(z - b);
  }
}`,
  'while, break and continue': `
parameters { real a; real b; vector[6] x; }
model {
  real s = 0;
  int k = 0;
  while (k < 10) {
    k += 1;
    if (k == 3) continue;
    if (k > 6) break;
    s = s * a + x[k] * exp(s * 0.1);
    for (j in 1:3) {
      if (j == 2) break;
      s += b * j;
    }
  }
  target += -square(s);
}`,
  'a user function with early returns': `
functions {
  real f(real x, real y, int n) {
    real r = x;
    for (i in 1:n) {
      r = r * y + 1.0 / (1 + square(x));
      if (i == 3) return r * x;
    }
    if (n == 0) return x - y;
    return r + y;
  }
}
parameters { real a; real b; }
model {
  target += f(a, b, 0) + f(b, a, 2) - square(f(a, b, 5));
}`,
  'recursion with scalars': `
functions {
  real g(real x, int n) {
    if (n <= 0) return sin(x);
    return g(x * 0.7, n - 1) * x + g(x + 0.1, n - 2);
  }
}
parameters { real a; real b; }
model { target += -square(g(a, 5)) + g(b, 4) * a; }`,
  'recursion with a parameter that is passed and never read': `
functions {
  real g(real x, real unread, int n) {
    if (n <= 0) return sin(x);
    return g(x * 0.7, cos(x), n - 1) * x;
  }
}
parameters { real a; real b; }
model { target += -square(g(a, b, 3)) - square(b); }`,
  'recursion that adds to the Jacobian': `
functions {
  real chain_jacobian(vector x, int n) {
    if (n == 0) return 0;
    jacobian += sin(x[n]);
    return lower_bound_jacobian(x[n], chain_jacobian(x, n - 1));
  }
}
parameters { vector[4] x; }
transformed parameters { real last = chain_jacobian(x, 4); }
model { target += cos(last); }`,
  'recursion that adds to target and returns nothing': `
functions {
  void count_lp(real v, int k) { target += v * k; if (k > 1) count_lp(v, k - 1); }
}
parameters { real u; }
model {
  u ~ std_normal();
  count_lp(sin(u), 3);
}`,
  'recursion that adds to target and returns an int': `
functions {
  int terms_lp(vector v, int k) {
    v ~ normal(k, 2);
    target += sum(v .* v);
    if (k > 1) return terms_lp(-0.5 * v, k - 1) + 1;
    return 1;
  }
}
parameters { real u; vector[3] x; }
model {
  vector[3] y = x * u;
  int n = terms_lp(y, 3);
  y[1] = sin(u);
  for (i in 1:2) n += terms_lp(y, i);
  target += -n * u;
}`,
  'functions that add to target by way of each other, with tuples': `
functions {
  void both_lp(tuple(real, vector) t, int k);
  real other_lp(tuple(real, vector) t, int k) {
    if (k > 0) both_lp(t, k - 1);
    return 3;
  }
  void both_lp(tuple(real, vector) t, int k) {
    t.1 ~ student_t(3, 0, 1);
    t.2 ~ std_normal();
    target += other_lp((0.5 * t.1, t.2 + 1), k - 1);
  }
}
parameters { real u; vector[2] x; }
model {
  both_lp((u, x), 4);
  both_lp((0.3, x), 4);
}`,
  'functions that add to the Jacobian and return nothing': `
functions {
  void power_jacobian(real v, int k) { jacobian += v * v; if (k > 1) power_jacobian(-v, k - 1); }
}
parameters { real u; }
transformed parameters { power_jacobian(u * u, 4); }
model { u ~ std_normal(); }`,
  'more calls than are inlined': `
functions { void add_lp(real v) { target += square(v); } }
parameters { real u; }
model {
${'  add_lp(0.01 * u);\n'.repeat(3010)}}`,
  'functions nested deeper than they are inlined': `
functions {
  void f0_lp(real v) { target += -square(v); }
${Array.from({ length: 70 }, (_, k) => `  void f${k + 1}_lp(real v) { f${k}_lp(0.99 * v); }`).join('\n')}
}
parameters { real u; }
model { f70_lp(u); }`,
  'the functions of constraints': `
parameters { vector[6] y; matrix[2, 3] m; }
transformed parameters {
  array[2] matrix[3, 3] C = corr_matrix_jacobian({y[1:3], y[4:6]}, 3);
  array[2] matrix[2, 2] S = cov_matrix_jacobian({y[1:3], y[4:6]}, 2);
  array[1] matrix[3, 2] L = cholesky_factor_cov_jacobian({y[2:6]}, 3, 2);
  matrix[3, 3] F = cholesky_factor_corr_jacobian(y[1:3], 3);
  array[2] vector[4] p = simplex_jacobian({y[1:3] .* y[4:6], exp(y[1:3])});
  row_vector[6] t = offset_multiplier_jacobian(y', sin(y'), exp(y'));
  vector[6] b = lower_upper_bound_jacobian(y, sin(y) - 1, 2);
  vector[6] o = positive_ordered_jacobian(y);
  vector[6] again = positive_ordered_unconstrain(o) + offset_multiplier_unconstrain(o, y, exp(y));
}
model {
  target += sum(sin(C[1] * C[2])) + sum(sin(S[1] * S[2])) + sum(sin(L[1] * L[1]')) + sum(sin(F * m'));
  target += dot_product(p[1], p[2]) + sum(cos(t)) + sum(sin(b)) + sum(sin(o)) + sum(cos(again));
  target += sum(square(stochastic_row_constrain(m))) + sum(sin(3 * stochastic_column_constrain(m)));
  target += sum(sin(2 * sum_to_zero_constrain(m))) + sum(sin(unit_vector_constrain(y) * 2));
  target += sum(sin(corr_matrix_unconstrain(C[1]))) + sum(cos(cov_matrix_unconstrain(S[2])));
}`,
  'recursion with containers': `
functions {
  vector h(vector x, real s, int n) {
    if (n == 0) return x * s;
    vector[num_elements(x)] left = h(x + s, s * 0.5, n - 1);
    return left .* x + exp(s) * 0.1;
  }
}
parameters { vector[3] x; real s; }
model { target += -dot_self(h(x, s, 3)) + sum(h(x, s * s, 2)); }`,
  'containers made in iterations that are reversed later': `
parameters { vector[3] x; matrix[3, 3] A; }
model {
  vector[3] v = x;
  for (t in 1:4) {
    vector[3] w = A * v;
    matrix[3, 3] B = A + diag_matrix(w);
    v = B * w / (1 + dot_self(w));
  }
  target += -dot_self(v - 1);
}`,
  'linear algebra': `
parameters { vector[6] x; cov_matrix[3] S; matrix[3, 3] M; }
model {
  matrix[3, 3] L = cholesky_decompose(S);
  vector[3] z = mdivide_left_tri_low(L, head(x, 3));
  matrix[3, 3] Q = quad_form_sym(S, M);
  target += -dot_self(z) - log_determinant(S) + trace(inverse(S)) - sum(mdivide_left(S + M' * M, M) .^ 2);
  target += -sum(square(tail(x, 3)' * Q)) - sum(tcrossprod(M) .* crossprod(M)) + log(abs(determinant(M + 4 * S)));
  target += -sum(mdivide_right_tri_low(M, L)) - sum(inverse_spd(S)) + sum(eigenvalues_sym(S) .^ 2);
}`,
  'arrays of containers': `
parameters { array[2, 3] vector[2] x; array[3] matrix[2, 2] A; }
model {
  array[2, 3] vector[2] y = x;
  for (i in 1:2) for (j in 1:3) y[i, j] = A[j] * x[i, j] + y[1, j];
  y[2] = y[1];
  y[1, 2][1] = y[2, 3][2] * x[1, 1][1];
  for (row in y) for (v in row) target += -dot_self(v);
}`,
  'constrained parameters of every kind': `
parameters {
  real<lower=0> a; real<upper=3> b; real<lower=-1, upper=2> c; real<offset=1, multiplier=2> d;
  simplex[4] s; ordered[4] o; positive_ordered[3] p; unit_vector[3] u;
  corr_matrix[3] C; cov_matrix[2] S; cholesky_factor_corr[3] K; cholesky_factor_cov[3, 2] F;
}
model {
  target += -square(a) - exp(b) - c ^ 2 - square(d);
  target += dot_product(log(s), o) - dot_self(p) + u[1] * u[2] - sum(square(C)) - sum(square(S));
  target += -sum(K * K') - sum(square(F));
}`,
  'transformed parameters with a chain of loops': `
data { }
transformed data {
  int N = 8;
  vector[N] t;
  for (n in 1:N) t[n] = n / 4.0;
}
parameters { real<lower=0> k; real a; vector[N] e; }
transformed parameters {
  vector[N] mu;
  for (n in 1:N) {
    real decay = exp(-k * t[n]);
    mu[n] = a * decay + (1 - decay) * e[n];
  }
  vector[N] c = cumulative_sum(mu);
}
model {
  e ~ std_normal();
  c ~ student_t(4, 0, 2);
  target += log_sum_exp(c) + sum(softmax(mu) .* c) + log_mix(inv_logit(a), mu[1], c[2]);
}`,
  'a state-space recursion of matrices': `
parameters { vector<lower=0>[2] q; real<lower=0> r; vector[5] y; matrix[2, 2] T; }
model {
  vector[2] m = rep_vector(0, 2);
  matrix[2, 2] P = diag_matrix(rep_vector(1, 2));
  for (t in 1:5) {
    real f = P[1, 1] + r;
    vector[2] K = P[, 1] / f;
    real v = y[t] - m[1];
    target += -0.5 * (log(f) + square(v) / f);
    m = T * (m + K * v);
    P = quad_form_sym(P - K * K' * f, T') + diag_matrix(q);
    P = 0.5 * (P + P');
  }
}`,
  'elements written again at indexes that come again': `
parameters { real a; real b; }
model {
  vector[8] v;
  int k = 4;
  real s = 1;
  for (i in 1:4) for (j in 1:4) { v[i + j] = sin(a * i + b * j); target += square(v[i + j]); }
  for (i in 1:4) { v[i + k] = sin(a * i + b); k = k - 1; s = s * v[5]; }
  target += s;
}`,
  'an element is restored at an index that has changed since': `
transformed data { vector[4] weights = [0.3, -0.8, 1.1, 0.2]'; }
parameters { real a; vector[4] x; }
model {
  vector[4] z = weights;
  real r = a;
  int k = 1;
  for (i in 1:4) for (j in 1:2) r = tanh(dot_product(z, x) + r);
  z[1 + k % 4] = 0.5;
  for (i in 2:4) k = k + i;
  target += z[3] - r;
}`,
  'recursion on a container that is overwritten afterwards': `
functions {
  real h(vector u, real p, int n) {
    if (n <= 0) return u[1] * p;
    return -p * h(u, u[1], n - 1);
  }
}
parameters { real b; vector[1] x; }
model {
  vector[1] z = x;
  for (i in 1:2) z[1] = h(z, b, 1);
  target += z[1];
}`,
  'elements of a solution overwritten afterwards': `
parameters { cov_matrix[3] S; matrix[3, 3] M; real a; }
model {
  matrix[3, 3] B = mdivide_left(S, M);
  for (i in 1:3) B[i, 1] = a * B[i, 2];
  target += sum(sin(B) .* B);
  B = inverse_spd(S);
  B[3, 3] *= a;
  target += sum(sin(B) .* B);
}`,
  'constants of a density that is an argument': `
transformed data { real s = 1.25; vector[2] d = [1, 2]'; }
parameters { real x; }
model { target += sin(normal_lupdf(1.5 | x, s)) * cos(student_t_lupdf(d | 3, x, s)); }`,
  'target() among the terms of target': `
functions {
  real f_lp(real x, int n) {
    if (n == 0) return target();
    target += x * x;
    return sin(target()) + f_lp(x * 0.5, n - 1);
  }
}
transformed data { vector[2] d = [1, 2]'; }
parameters { real<lower=0> a; real b; }
model {
  real s = 0;
  for (i in 1:3) {
    target += d .^ 0.8;
    target += a * b;
    s += sin(a * target());
  }
  a ~ normal(b, exp(0.1 * target()));
  target += s + f_lp(a * b, 3);
}`,
  'a container returned from inside a loop': `
functions {
  vector g(vector u, real p) {
    for (i in 1:4) if (u[i] > 0.1 * i * p) return u * p;
    return sin(u);
  }
}
transformed data { array[4] int order = {3, 1, 4, 2}; }
parameters { real a; vector[4] x; }
model {
  for (i in 1:2) {
    vector[4] y = g(x, a);
    array[4] int backward = reverse(order);
    target += dot_product(y, x[backward]) + y[order[i]];
  }
}`,
};
