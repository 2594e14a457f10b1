import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { CompileError, close, compile, RunError } from '../node/library/index.js';
import { deriveQuantities } from './derived-quantities.js';

const DATA = `data { int N; int K; array[N] int g; vector[N] x; matrix[N, K] X; vector[N] y; array[N] int k; array[N] vector[K] z;
  array[2] int sizes; array[N] int c; }`;
const PARAMETERS = 'parameters { real a; vector[K] b; real<lower=0> s; }';
const PRIOR = 'a ~ normal(0, 1); b ~ normal(0, 1); s ~ normal(0, 1);';

const values = {
  N: 4,
  K: 2,
  g: [2, 1, 2, 2],
  x: [0.5, -1, 2, 0.25],
  y: [0.1, -0.4, 1.3, 2],
  k: [0, 2, 1, 3],
  sizes: [1, 3],
  c: [1, 2, 1, 2],
  X: [
    [1, 0.5],
    [0.25, -1],
    [2, 1],
    [0, 0.5],
  ],
  z: [
    [0.3, 1],
    [2, -1],
    [0.4, 0.6],
    [1, 1],
  ],
};
const data = JSON.stringify(values);

/** Draws of a program, and of the quantities that are derived from it. */
async function derived(program: string, kind: 'logLikelihood' | 'predict' = 'logLikelihood') {
  const model = await compile(program);
  const draws = { data, random_seed: 3, num_warmup: 30, num_samples: 20, refresh: 0 };
  const fit = await model.sample(draws).result();
  return { fit, found: await model[kind]({ fitted_params: fit, data, random_seed: 1, refresh: 0 }).result() };
}

function assertClose(actual: Float64Array, expected: Float64Array, what: string): void {
  expected.forEach((value, draw) => {
    const difference = Math.abs(actual[draw] - value);
    assert.ok(
      difference <= 1e-10 * Math.max(1, Math.abs(value)),
      `${what}, draw ${draw}: ${actual[draw]}, not ${value}`,
    );
  });
}

describe('log likelihoods derived from a program', () => {
  after(() => close());

  /** A likelihood, and statements that compute its terms. `outcome` has one element per term. */
  for (const [model, own, outcome = 'y'] of [
    ['y ~ normal(a + b[1] * x, s);', 'for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | a + b[1] * x[n], s);'],
    ['y ~ normal(X * b, s);', 'for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | X[n] * b, s);'],
    [
      'target += normal_lupdf(y | b[g], exp(x));',
      'for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | b[g[n]], exp(x[n]));',
    ],
    ['y ~ normal_id_glm(X, a, b, s);', 'for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | a + X[n] * b, s);'],
    ['k ~ poisson_log(a + X * b);', 'for (n in 1:N) log_lik[n] = poisson_log_lpmf(k[n] | a + X[n] * b);', 'k'],
    [
      'c ~ categorical_logit_glm(X, b, X[1:2]);',
      "for (n in 1:N) log_lik[n] = categorical_logit_lpmf(c[n] | b + (X[n] * X[1:2])');",
      'c',
    ],
    [
      'k ~ binomial_logit_glm(5, X, a, b);',
      'for (n in 1:N) log_lik[n] = binomial_logit_lpmf(k[n] | 5, a + X[n] * b);',
      'k',
    ],
    [
      'vector[N] mu = a + x; for (n in 1:N) { mu[n] += b[g[n]]; y[n] ~ student_t(4, mu[n], s); }',
      'for (n in 1:N) log_lik[n] = student_t_lpdf(y[n] | 4, a + x[n] + b[g[n]], s);',
    ],
    [
      'y[1:2] ~ normal(a, s); y[3:] ~ normal(b, s);',
      'for (n in 1:2) { log_lik[n] = normal_lpdf(y[n] | a, s); log_lik[n + 2] = normal_lpdf(y[n + 2] | b[n], s); }',
    ],
    [
      'int start = 1; for (i in 1:2) { segment(y, start, sizes[i]) ~ normal(b[i], s); start += sizes[i]; }',
      "log_lik = [normal_lpdf(y[1] | b[1], s), normal_lpdf(y[2] | b[2], s), normal_lpdf(y[3] | b[2], s), normal_lpdf(y[4] | b[2], s)]';",
    ],
    [
      'for (n in 1:N) { if (g[n] == 1) y[n] ~ normal(a, s); else target += cauchy_lpdf(y[n] | a, s); }',
      'for (n in 1:N) log_lik[n] = g[n] == 1 ? normal_lpdf(y[n] | a, s) : cauchy_lpdf(y[n] | a, s);',
    ],
    [
      'for (n in 1:N) if (k[n] == 0) target += log_sum_exp(bernoulli_logit_lpmf(1 | a), bernoulli_logit_lpmf(0 | a) + poisson_lpmf(k[n] | s)); else target += bernoulli_logit_lpmf(0 | a) + poisson_lpmf(k[n] | s);',
      'for (n in 1:N) log_lik[n] = k[n] == 0 ? log_mix(inv_logit(a), 0, poisson_lpmf(0 | s)) : log1m_inv_logit(a) + poisson_lpmf(k[n] | s);',
      'k',
    ],
    [
      'for (n in 1:N) { if (k[n] == 0) target += log_sum_exp(log_inv_logit(a), log1m_inv_logit(a) + poisson_lpmf(k[n] | s)); else target += log1m_inv_logit(a) + poisson_lpmf(k[n] | s); }',
      'for (n in 1:N) log_lik[n] = k[n] == 0 ? log_mix(inv_logit(a), 0, poisson_lpmf(0 | s)) : log1m_inv_logit(a) + poisson_lpmf(k[n] | s);',
      'k',
    ],
    [
      'array[N] int zero; for (n in 1:N) zero[n] = k[n] == 0; for (n in 1:N) { if (zero[n]) target += log_inv_logit(a + X[n] * b); else target += log1m_inv_logit(a + X[n] * b) + poisson_log_lpmf(k[n] | b[1]) - log1m_exp(-exp(b[1])); }',
      'for (n in 1:N) log_lik[n] = k[n] == 0 ? log_inv_logit(a + X[n] * b) : log1m_inv_logit(a + X[n] * b) + poisson_log_lpmf(k[n] | b[1]) - poisson_lccdf(0 | exp(b[1]));',
      'k',
    ],
    [
      'for (n in 1:N) { if (k[n] == 0) { target += log(0.3); } else { target += log1m(0.3) + poisson_lpmf(k[n] | s) - poisson_lccdf(0 | s); } }',
      'for (n in 1:N) log_lik[n] = k[n] == 0 ? log(0.3) : log1m(0.3) + poisson_lpmf(k[n] | s) - poisson_lccdf(0 | s);',
      'k',
    ],
    [
      'for (n in 1:N) if (k[n] == 0) 1 ~ bernoulli_logit(a); else { 0 ~ bernoulli_logit(a); k[n] ~ poisson(s) T[1, ]; }',
      'for (n in 1:N) log_lik[n] = k[n] == 0 ? log_inv_logit(a) : log1m_inv_logit(a) + poisson_lpmf(k[n] | s) - poisson_lccdf(0 | s);',
      'k',
    ],
    [
      'for (n in 1:N) { (k[n] == 0) ~ bernoulli_logit(a); if (k[n] > 0) k[n] ~ poisson(s) T[1, ]; }',
      'for (n in 1:N) log_lik[n] = k[n] == 0 ? log_inv_logit(a) : log1m_inv_logit(a) + poisson_lpmf(k[n] | s) - poisson_lccdf(0 | s);',
      'k',
    ],
    [
      'for (n in 1:N) { if (k[n] < 2) target += log_inv_logit(a); else if (k[n] == 2) target += log1m_inv_logit(a) + log(0.25); else target += log1m_inv_logit(a) + log(0.75) + poisson_lpmf(k[n] - 3 | s); }',
      'for (n in 1:N) log_lik[n] = k[n] < 2 ? log_inv_logit(a) : k[n] == 2 ? log1m_inv_logit(a) + log(0.25) : log1m_inv_logit(a) + log(0.75) + poisson_lpmf(k[n] - 3 | s);',
      'k',
    ],
    [
      'for (n in 1:N) target += log(s) + normal_lpdf(y[n] | a, s);',
      'for (n in 1:N) log_lik[n] = log(s) + normal_lpdf(y[n] | a, s);',
    ],
    [
      'y ~ normal(a + b[1] * x, s) T[-0.5, ];',
      'for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | a + b[1] * x[n], s) - normal_lccdf(-0.5 | a + b[1] * x[n], s);',
    ],
    [
      'for (n in 1:N) y[n] ~ normal(a, s) T[-1, a + 40];',
      'for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | a, s) - log(Phi(40 / s) - Phi((-1 - a) / s));',
    ],
    ['k ~ poisson(s) T[ , 4];', 'for (n in 1:N) log_lik[n] = poisson_lpmf(k[n] | s) - poisson_lcdf(4 | s);', 'k'],
    [
      "for (n in 1:N) { vector[K] lp = log([0.3, 0.7]'); for (j in 1:K) lp[j] += normal_lpdf(y[n] | b[j], s); target += log_sum_exp(lp); }",
      'for (n in 1:N) log_lik[n] = log_mix(0.3, normal_lpdf(y[n] | b[1], s), normal_lpdf(y[n] | b[2], s));',
    ],
    [
      'vector[N] lp; for (n in 1:N) lp[n] = log_mix(0.3, normal_lpdf(y[n] | b[1], s), normal_lpdf(y[n] | b[2], s)); target += sum(lp);',
      'for (n in 1:N) log_lik[n] = log_mix(0.3, normal_lpdf(y[n] | b[1], s), normal_lpdf(y[n] | b[2], s));',
    ],
    [
      'z ~ multi_normal(b, diag_matrix(rep_vector(s, K)));',
      'for (n in 1:N) log_lik[n] = multi_normal_lpdf(z[n] | b, diag_matrix(rep_vector(s, K)));',
      'z',
    ],
    [
      'for (n in 1:N) X[n] ~ multi_normal(b, diag_matrix(rep_vector(s, K)));',
      "for (n in 1:N) log_lik[n] = multi_normal_lpdf(X[n]' | b, diag_matrix(rep_vector(s, K)));",
      'X',
    ],
    [
      'target += normal_lpdf(a | 0, 1) + normal_lpdf(y | a, s) - normal_lccdf(0 | 0, 1);',
      'for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | a, s);',
    ],
  ] as const) {
    it(`equal those that the program computes: ${model}`, async () => {
      const program = `${DATA}\n${PARAMETERS}\nmodel { ${PRIOR} ${model} }\ngenerated quantities { vector[N] log_lik; ${own} }`;
      const { fit, found } = await derived(program);
      for (let n = 1; n <= values.N; n++) {
        const [[actual], [expected]] = [found.column(`log_lik__${outcome}[${n}]`), fit.column(`log_lik[${n}]`)];
        assertClose(actual, expected, `observation ${n}`);
      }
      assert.equal((await found.loo()).observations.length, values.N);
    });
  }

  it('sum the terms that several statements contribute to one observation', async () => {
    const model =
      'for (n in 1:N) { y[n] ~ normal(a, s); target += gamma_lpdf(square(1) * s + 1 | 1, 1); } k ~ poisson(s);';
    const { found } = await derived(`${DATA}\n${PARAMETERS}\nmodel { ${PRIOR} ${model} }`);
    const { observations } = await found.loo();
    assert.deepEqual(
      observations.map(({ name }) => name),
      ['y', 'k'].flatMap((name) => [1, 2, 3, 4].map((n) => `${name}[${n}]`)),
    );
  });

  it('cover only those elements that are outcomes', async () => {
    const { found } = await derived(`${DATA}\n${PARAMETERS}\nmodel { ${PRIOR} y[2:N] ~ normal(a * y[1:(N - 1)], s); }`);
    const { observations } = await found.loo();
    assert.deepEqual(
      observations.map(({ name }) => name),
      ['y[2]', 'y[3]', 'y[4]'],
    );
  });

  it('are computed without other output', async () => {
    const model = await compile(`${DATA}\n${PARAMETERS}\nmodel { ${PRIOR} y ~ normal(a, s); }`);
    const fit = await model.sample({ data, random_seed: 3, num_chains: 2 }).result();
    const loo = await model.loo(fit, data);
    const own = await compile(
      `${DATA}\n${PARAMETERS}\nmodel { ${PRIOR} y ~ normal(a, s); }\ngenerated quantities { vector[N] log_lik; for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | a, s); }`,
    );
    const computed = await own.loo(await own.generate({ fitted_params: fit, data }).result(), data);
    assert.ok(Math.abs(loo.elpd.estimate - computed.elpd.estimate) < 1e-10);
    assert.deepEqual(
      loo.observations.map(({ name }) => name),
      ['y[1]', 'y[2]', 'y[3]', 'y[4]'],
    );
  });

  for (const [model, reason] of [
    ['y - x ~ normal(a, s);', /its outcome is neither a variable nor elements of one/],
    ['y - a ~ normal(0, s);', /its outcome is made of data and of parameters/],
    ['target += -sum(square(y - a));', /it adds an expression of data to the target that is not a density/],
    ['y ~ multi_normal(rep_vector(a, N), identity_matrix(N));', /it is a joint density of all observations/],
    ['1 ~ bernoulli_logit(a); y ~ normal(a, s);', /its outcome is a constant, not an observation/],
    [
      'target += log_mix(0.5, normal_lpdf(y | a, 1), normal_lpdf(y | a, s));',
      /the densities of several observations in one term/,
    ],
    [
      'target += log_mix(0.5, normal_lpdf(y[1] | a, 1), normal_lpdf(y[2] | a, s));',
      /its densities have several outcomes/,
    ],
    [
      'real lp = 0; for (n in 1:N) lp += normal_lpdf(y[n] | a, s); target += lp;',
      /its densities have several outcomes/,
    ],
    ['for (n in 1:N) { if (k[n] == 0) a ~ normal(0, 1); else k[n] ~ poisson(s); }', /its condition depends on data/],
    [
      'for (n in 1:N) { if (k[n] == 0) target += log(s); else { k[n] ~ poisson(s); y[n] ~ normal(a, s); } }',
      /its condition depends on data/,
    ],
    ['target += f(y, a); y ~ normal(a, s);', /what f computes depends on data/],
    ['for (n in 1:N) { if (n == 2) break; y[n] ~ normal(a, s); }', /it changes which statements run/],
    ['a ~ normal(0, 1);', /cannot be derived from this program: no statement has data as its outcome/],
  ] as const) {
    it(`are rejected with the reason for ${model}`, async () => {
      const functions = 'functions { real f(vector y, real a) { return normal_lpdf(y | a, 1); } }';
      const program = await compile(`${functions}${DATA}${PARAMETERS} model { ${model} }`);
      const draws = [{ a: 1, b: [1, 2], s: 1 }];
      await assert.rejects(program.logLikelihood({ fitted_params: draws, data }).result(), (error) => {
        assert.ok(error instanceof CompileError);
        assert.match(error.message, reason);
        return true;
      });
    });
  }

  it('are rejected if an element is the outcome of several terms of one statement', async () => {
    const program = await compile(`${DATA}${PARAMETERS} model { for (n in 1:N) y[c[n]] ~ normal(a, s); }`);
    const run = program.logLikelihood({ fitted_params: [{ a: 1, b: [1, 2], s: 1 }], data });
    await assert.rejects(run.result(), (error) => {
      assert.ok(error instanceof RunError);
      assert.match(
        error.message,
        /Line \d+, y\[c\[n\]\] ~ normal\(a, s\);: an element of y is the outcome of more than one term/,
      );
      return true;
    });
  });

  it('are rejected if parameters determine what an observation is', async () => {
    const program = await compile(`${DATA}${PARAMETERS} model { ${PRIOR} if (a > 0) y ~ normal(a, s); }`);
    const draws = [1, -1].map((a) => ({ a, b: [1, 2], s: 1 }));
    const found = await program.logLikelihood({ fitted_params: draws, data }).result();
    await assert.rejects(found.loo(), /y\[1\] is an outcome only in some draws, because of a condition on parameters/);
  });
});

describe('replicated data derived from a program', () => {
  after(() => close());

  it('have the shape of the outcomes and follow their distribution', async () => {
    const model =
      'y ~ normal(x, 1e-6); z ~ multi_normal(b, diag_matrix(rep_vector(1e-12, K))); k ~ binomial_logit(3, 40 * x);';
    const { fit, found } = await derived(`${DATA}${PARAMETERS} model { ${PRIOR} ${model} }`, 'predict');
    for (let n = 1; n <= values.N; n++) {
      const [y] = found.column(`y_rep[${n}]`);
      assert.ok(y.every((value) => value !== values.x[n - 1] && Math.abs(value - values.x[n - 1]) < 1e-4));
      const [z] = found.column(`z_rep[${n},2]`);
      const [b] = fit.column('b[2]');
      assert.ok(z.every((value, draw) => value !== b[draw] && Math.abs(value - b[draw]) < 1e-4));
      const [k] = found.column(`k_rep[${n}]`);
      assert.ok(k.every((value) => value === (values.x[n - 1] > 0 ? 3 : 0)));
    }
  });

  it('contain copies of elements that are not outcomes', async () => {
    const { found } = await derived(
      `${DATA}${PARAMETERS} model { ${PRIOR} y[2:N] ~ normal(y[1:(N - 1)], 1e-6); }`,
      'predict',
    );
    assert.ok(found.column('y_rep[1]')[0].every((value) => value === values.y[0]));
    assert.ok(found.column('y_rep[3]')[0].every((value) => Math.abs(value - values.y[1]) < 1e-4));
  });

  it('are rejected if a density has no generator', () => {
    const text =
      'data { real y; } parameters { real a; } model { target += log_mix(0.1, normal_lpdf(y | a, 1), cauchy_lpdf(y | a, 1)); }';
    const found = deriveQuantities({ name: 'mix.stan', text, includes: {} }, 'replicated');
    assert.ok(!('text' in found));
    assert.match(found[0].message, /its densities are part of an expression, which does not define how y is drawn/);
    assert.equal(found[0].span.begin.file.name, 'mix.stan');
  });
});
