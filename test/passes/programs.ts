/** A small program for one feature, and its IR as expected text: a block after one pass, or after all passes. */
export interface Shown {
  readonly shown: readonly string[];
  readonly program: string;
}

export const SHOWN: Readonly<Record<string, Shown>> = {
  'elementwise work is one loop': {
    shown: ['log density: lower'],
    program: `data { int N; vector[N] b; }
parameters { vector[N] a; }
model {
  target += sum(exp(a + b .* square(a)));
}`,
  },
  'data-only work is done once per data set': {
    shown: ['log density', 'precompute'],
    program: `data { int N; vector[N] y; }
parameters { real mu; }
model {
  vector[N] centered = y - mean(y);
  target += mu * exp(sd(y));
  target += -0.5 * dot_self(centered - mu);
}`,
  },
  'data-only parts inside loops become arrays': {
    shown: ['log density', 'precompute'],
    program: `data { int N; vector[N] t; array[N] int group; }
parameters { vector[3] a; }
model {
  for (n in 1:N) {
    if (t[n] > 0) target += a[group[n]] * exp(-t[n]) - log1p(t[n]);
  }
}`,
  },
  'equal rows of data are one row with a weight': {
    shown: ['log density: forwardSums', 'log density: mergeRows', 'log density'],
    program: `data { int N; array[N] int g; vector[N] x; }
parameters { vector[3] a; }
model {
  for (n in 1:N) target += log1p_exp(a[g[n]] * x[n]);
}`,
  },
  'a running log_sum_exp carries its maximum': {
    shown: ['log density: nameCostly', 'log density: runningLogSums'],
    program: `data { int N; vector[N] y; }
parameters { vector[N] x; }
model {
  vector[N] s;
  s[N] = x[N];
  for (i in 1:N - 1) {
    int n = N - i;
    s[n] = log_sum_exp(s[n + 1], x[n]);
  }
  target += dot_product(s, y);
}`,
  },
  'costly values of few distinct data are looked up in a table': {
    shown: ['log density: groupIterations', 'log density: tabulateValues', 'precompute'],
    program: `data { int N; array[N] int count; vector[N] x; }
parameters { real<lower=0, upper=1> a; }
model {
  for (n in 1:N) target += -square(x[n] - a ^ count[n] / (1 + n));
}`,
  },
  'nested loops over a rectangle are one loop over rows': {
    shown: ['log density: forwardElements', 'log density: mergeRows'],
    program: `data { int J; int T; array[J, T] int<lower=0, upper=1> y; matrix[J, T] shocks; }
parameters { real<lower=0, upper=1> a; }
model {
  for (j in 1:J) for (t in 1:T) y[j, t] ~ bernoulli(a ^ shocks[j, t]);
}`,
  },
  'loops over small containers have copies by size': {
    shown: ['log density: mergeRows', 'log density: specializeSizes', 'gradient: mergeBranches'],
    program: `functions {
  real graded(int y, real theta, vector beta) {
    vector[rows(beta) + 1] t = append_row(0.0, theta - beta);
    return t[y] - log_sum_exp(t);
  }
}
data { int N; array[N] int y; array[N] int from; array[N] int size; vector[N] x; }
parameters { vector[9] beta; }
model {
  for (n in 1:N) target += graded(y[n], x[n], segment(beta, from[n], size[n]));
}`,
  },
  'equal rows of a matrix are one row of a product': {
    shown: ['log density: forwardElements', 'log density: mergeRows', 'log density'],
    program: `data { int N; int K; matrix[N, K] x; array[N] int<lower=0, upper=1> y; }
parameters { real alpha; vector[K] beta; }
model {
  y ~ bernoulli_logit_glm(x, alpha, beta);
}`,
  },
  'elements that a loop writes are read as values': {
    shown: ['log density: forwardSums', 'log density: forwardElements'],
    program: `data { int N; array[N] int g; vector[N] y; }
parameters { vector[3] a; real<lower=0> s; }
model {
  vector[N] mu;
  for (n in 1:N) mu[n] = a[g[n]];
  y ~ normal(mu, s);
}`,
  },
  'a row that a container repeats is read itself': {
    shown: ['log density: forwardSums', 'log density: forwardElements'],
    program: `data { int I; int J; int N; array[N] int row; array[N] int column; array[N] int y; }
parameters { vector[J] a; }
model {
  matrix[I, J] eta = rep_matrix(a', I);
  for (n in 1:N) y[n] ~ poisson_log(eta[row[n], column[n]]);
}`,
  },
  'a closed loop is reversed in the same iteration': {
    shown: ['gradient: differentiate'],
    program: `data { int N; vector[N] y; }
parameters { real mu; vector[N] theta; }
model {
  for (n in 1:N) {
    real z = theta[n] - mu;
    target += y[n] * sin(z) - square(z);
  }
}`,
  },
  'sums within an iteration save nothing': {
    shown: ['gradient: differentiate', 'gradient: thinTape'],
    program: `data { int N; }
parameters { vector[N] x; vector[2] b; }
model {
  for (n in 1:N) {
    real s = 0;
    for (k in 1:2) s += exp(b[k] * x[n]);
    target += -log(s);
  }
}`,
  },
  'a recurrence saves what it overwrites': {
    shown: ['gradient: differentiate'],
    program: `data { int N; }
parameters { real a; vector[N] x; }
model {
  real s = a;
  for (n in 1:N) s = sin(s * x[n]);
  target += s;
}`,
  },
  'a long recurrence has checkpoints': {
    shown: ['gradient: thinTape', 'gradient: checkpointLoops'],
    program: `data { int N; vector[N] y; }
parameters { real a; }
model {
  real s = a;
  for (n in 1:N) {
    s = sqrt(square(y[n]) + a * s);
    if (s < 5) target += square(s);
  }
}`,
  },
  'a container filled once needs no tape': {
    shown: ['gradient: differentiate'],
    program: `data { int N; }
parameters { real a; vector[N] x; }
model {
  vector[N] h;
  h[1] = x[1];
  for (n in 2:N) h[n] = a * h[n - 1] + x[n];
  target += -dot_self(h);
}`,
  },
  'an early return becomes a condition': {
    shown: ['log density: removeExits'],
    program: `functions {
  real f(vector x) {
    for (n in 1:num_elements(x)) {
      if (x[n] > 1) return x[n];
      if (x[n] < 0) break;
    }
    return 0;
  }
}
parameters { vector[3] x; }
model { target += f(x) * x[1]; }`,
  },
  'a user function is inlined': {
    shown: ['log density: lower'],
    program: `functions {
  vector scaled(vector x, real s) { return x * exp(s); }
}
parameters { vector[4] x; real s; }
model { target += -dot_self(scaled(x, s) - 1); }`,
  },
  'a recursive function becomes a pair': {
    shown: ['log density: lower', 'gradient: differentiate'],
    program: `functions {
  real power(real x, int n) {
    if (n == 0) return 1;
    return x * power(x, n - 1);
  }
}
parameters { real x; }
model { target += power(x, 5); }`,
  },
  'a constraint is a transform and its Jacobian': {
    shown: ['log density: lower', 'unconstrain'],
    program: `parameters { vector<lower=0>[2] s; real<lower=-1, upper=1> r; }
model { target += r * sum(s); }`,
  },
  'constants of a density are told apart and added up': {
    shown: ['log density', 'precompute'],
    program: `data { int N; vector[N] y; vector<lower=0>[N] sigma; }
parameters { real mu; }
model {
  y ~ normal(mu, sigma);
  target += normal_lpdf(mu | 0, 2);
}`,
  },
  'work leaves the loop of a called function': {
    shown: ['differentiated function', 'gradient'],
    program: `functions {
  real folded(vector x, real a, int n) {
    real s = 0;
    if (n == 0) return a;
    for (i in 1:n) s += x[i] * exp(a);
    return s + folded(x, 0.5 * a, n - 1);
  }
}
parameters { vector[3] x; real a; }
model {
  target += folded(x, a, 3);
}`,
  },
  'squares of linear residuals are forms of sums over the rows': {
    shown: ['log density', 'precompute'],
    program: `data { int N; int K; matrix[N, K] X; vector[N] y; }
parameters { real a; vector[K] b; real<lower=0> sigma; }
model {
  y ~ normal(a + X * b, sigma);
}`,
  },
  'squares of residuals with effects of groups are forms of sums by group': {
    shown: ['log density', 'precompute'],
    program: `data { int N; int J; array[N] int<lower=1, upper=J> group; vector[N] x; vector[N] y; }
parameters { vector[J] a; real b; real<lower=0> sigma; }
model {
  y ~ normal(a[group] + b * x, sigma);
}`,
  },
};
