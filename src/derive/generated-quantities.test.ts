import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { LanguageService } from '../editing/language-service.js';
import { close, compile } from '../node/library/index.js';
import { edited } from './program-text.js';

const NAMES = { simulated: ['_rep', '_sim'], logLikelihood: 'log_lik' };

function missingIn(text: string, includes: Readonly<Record<string, string>> = {}) {
  const program = { name: 'model.stan', text, includes };
  const service = new LanguageService();
  const { remarks } = service.update(program);
  assert.deepEqual(
    remarks.filter(({ severity }) => severity === 'error'),
    [],
  );
  const missing = service.missingQuantities(NAMES);
  assert.ok(missing !== undefined);
  return { ...missing, program: edited(program, missing.edits) };
}

const DATA = 'data { int N; int K; array[N] int g; vector[N] x; matrix[N, K] X; vector[N] y; array[N] int k; }';
const PARAMETERS = 'parameters { real a; vector[K] b; real s; }';

/** The missing lines for a model block, without the formatter's indentation. */
function linesFor(model: string): readonly string[] {
  const { lines } = missingIn(`${DATA}\n${PARAMETERS}\nmodel { ${model} }`);
  return lines.split('\n').map((line) => line.trim());
}

describe('generated quantities for predictive checks', () => {
  after(() => close());

  it('simulate all outcomes with one call if possible, and contain the density of each observation', () => {
    assert.deepEqual(linesFor('a ~ normal(0, 1); y ~ normal(a + b[1] * x, exp(s));'), [
      'array[N] real y_rep = normal_rng(a + b[1] * x, exp(s));',
      'vector[N] log_lik;',
      'for (n in 1 : N)',
      'log_lik[n] = normal_lpdf(y[n] | a + b[1] * x[n], exp(s));',
    ]);
  });

  it('use one loop if outcomes are simulated one by one', () => {
    assert.deepEqual(linesFor('k ~ bernoulli_logit(a);'), [
      'array[N] int k_rep;',
      'vector[N] log_lik;',
      'for (n in 1 : N) {',
      'k_rep[n] = bernoulli_logit_rng(a);',
      'log_lik[n] = bernoulli_logit_lpmf(k[n] | a);',
      '}',
    ]);
  });

  it('use one row of a matrix and one level of a group per observation', () => {
    const [last] = linesFor('y ~ normal(X * b + b[g], 1);').slice(-1);
    assert.equal(last, 'log_lik[n] = normal_lpdf(y[n] | X[n] * b + b[g[n]], 1);');
    assert.equal(
      linesFor('k ~ poisson_log_glm(X, a, b);').at(-1),
      'log_lik[n] = poisson_log_lpmf(k[n] | a + X[n] * b);',
    );
  });

  it('contain only the loops and local variables that a density requires', () => {
    assert.deepEqual(
      linesFor(
        'vector[N] mu = a + x; real unused = 1; for (n in 1:N) { real sd = exp(s); b[1] ~ normal(0, 1); y[n] ~ normal(mu[n], sd); }',
      ),
      [
        'array[N] real y_rep;',
        'vector[N] log_lik;',
        '{',
        'vector[N] mu = a + x;',
        'for (n in 1 : N) {',
        'real sd = exp(s);',
        'y_rep[n] = normal_rng(mu[n], sd);',
        'log_lik[n] = normal_lpdf(y[n] | mu[n], sd);',
        '}',
        '}',
      ],
    );
  });

  it('use names of indices that do not occur in the program', () => {
    const { lines } = missingIn('data { int n; vector[n] y; } parameters { real a; } model { y ~ normal(a, 1); }');
    assert.match(lines, /for \(i in 1 : n\)/);
  });

  it('omit quantities that already exist, under any of their names', () => {
    const text = `data { int N; vector[N] y; } parameters { real a; } model { y ~ normal(a, 1); }
generated quantities {
  array[N] real y_sim = normal_rng(rep_vector(a, N), 1);
}
`;
    const { names, program } = missingIn(text);
    assert.deepEqual(names, ['log_lik']);
    assert.match(program.text, /1\);\n {2}vector\[N\] log_lik;\n(.*\n)+\}\n$/);
    assert.deepEqual(missingIn(program.text).names, []);
  });

  it('are inserted in the existing block, also in an included file', () => {
    const { edits, program } = missingIn(
      'data { int N; vector[N] y; } parameters { real a; } model { y ~ normal(a, 1); }\ngenerated quantities {\n#include rest.stan\n}\n',
      { 'rest.stan': 'real twice = 2 * a;\n' },
    );
    assert.equal(edits.length, 1);
    assert.match(program.text, /#include rest\.stan\n {2}array\[N\] real y_rep;/);
  });

  for (const [model, names, reason] of [
    [
      'for (n in 1:N) y[n] ~ normal(a, 1) T[0, ];',
      [],
      /Line 3 does not determine what checks need: its density is truncated\./,
    ],
    ['for (n in 2:N) y[n] ~ normal(a * y[n - 1], 1);', [], /its loops do not visit each element of y exactly once/],
    ['for (n in 1:N) for (j in 1:2) y[n] ~ normal(a, 1);', [], /its loops do not visit each element of y exactly once/],
    ['for (n in 1:N) if (g[n] == 1) y[n] ~ normal(a, 1);', [], /it runs only under a condition/],
    [
      'y ~ normal(a, 1); k ~ poisson_log(a);',
      ['y_rep', 'k_rep'],
      /Line 3 does not determine log_lik: other statements/,
    ],
    ['y ~ multi_normal(rep_vector(a, N), identity_matrix(N));', ['y_rep'], /a joint density of all observations/],
    [
      'for (n in 1:N) target += log_mix(0.5, normal_lupdf(y[n] | a, 1), normal_lupdf(y[n] | s, 1));',
      ['log_lik'],
      /does not determine y_rep: its densities are part of an expression/,
    ],
    ['to_vector(X) ~ normal(a, 1);', [], /its outcome is neither a variable nor an element of one/],
  ] as const) {
    it(`are not guessed for ${model}`, () => {
      const missing = missingIn(`${DATA}\n${PARAMETERS}\nmodel { ${model} }`);
      assert.deepEqual(missing.names, names);
      assert.match(missing.unclear.join('\n'), reason);
    });
  }

  it('are empty for a program without data or with errors', () => {
    assert.equal(missingIn('parameters { real a; } model { a ~ normal(0, 1); }').lines, '');
    const service = new LanguageService();
    service.update({ name: 'model.stan', text: 'parameters { real a }', includes: {} });
    assert.equal(service.missingQuantities(NAMES), undefined);
  });

  const values = {
    N: 4,
    K: 2,
    g: [2, 1, 2, 2],
    x: [0.5, -1, 2, 0.25],
    y: [0.1, -0.4, 1.3, 2],
    k: [0, 2, 1, 3],
    X: [
      [1, 0.5],
      [0.25, -1],
      [2, 1],
      [0, 0.5],
    ],
  };

  for (const model of [
    'target += normal_lpdf(y | a + b[1] * x, exp(s));',
    'target += normal_lpdf(y | -(X * b) + b[g] .* x / 2, exp(0.1 * s));',
    'target += poisson_log_lpmf(k | rep_vector(a, N) + to_vector(g) * b[2]);',
    'target += neg_binomial_2_log_glm_lpmf(k | X, a, b, 1.5);',
    'target += student_t_lpdf(y | 4, cumulative_sum(a * x), pow(exp(x), 0.5));',
    'target += binomial_logit_lpmf(k | 5, s > 0 ? a + x : a - x);',
    "for (i in 1:N) { vector[2] lp = log([0.3, 0.7]'); for (j in 1:2) lp[j] += normal_lpdf(y[i] | b[j], 1); target += log_sum_exp(lp); }",
    'for (n in 1:N) { real mu = a * x[n]; target += multi_normal_lpdf(X[n] | rep_vector(mu, K), identity_matrix(K)); }',
  ]) {
    it(`sum to the log density of ${model}`, async () => {
      const { names, program } = missingIn(`${DATA}\n${PARAMETERS}\nmodel { ${model} }`);
      assert.ok(names.includes('log_lik'));
      const fit = await (await compile(program.text))
        .sample({ data: JSON.stringify(values), random_seed: 3, num_warmup: 20, num_samples: 20 })
        .result();
      const [density] = fit.column('lp__');
      const terms = fit.columns.filter((name) => name.startsWith('log_lik.')).map((name) => fit.column(name)[0]);
      assert.equal(terms.length, values.N);
      density.forEach((value, draw) => {
        const sum = terms.reduce((total, term) => total + term[draw], 0);
        assert.ok(Math.abs(sum - value) < 1e-9 * Math.max(1, Math.abs(value)), `draw ${draw}: ${sum} is not ${value}`);
      });
    });
  }

  it('simulate the expectation of the density', async () => {
    const text = `${DATA} parameters { real a; vector[K] b; } model { a ~ normal(1, 1); b ~ normal(0, 1); y ~ normal(a + X * b, 1e-4); }
generated quantities { vector[N] expected = a + X * b; }`;
    const fit = await (await compile(missingIn(text).program.text))
      .run({
        function: 'stan::services::sample::fixed_param',
        data: JSON.stringify(values),
        random_seed: 1,
        num_samples: 5,
      })
      .result();
    for (let n = 1; n <= values.N; n++) {
      const [simulated, expected] = [fit.column(`y_rep.${n}`)[0], fit.column(`expected.${n}`)[0]];
      simulated.forEach((value, draw) => {
        assert.ok(Math.abs(value - expected[draw]) < 1e-3 && value !== expected[draw]);
      });
    }
  });
});
