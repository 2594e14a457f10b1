/** Programs without some observations, derived from a program. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { close, compile, type Model } from '../node/library/index.js';
import { deriveQuantities } from './derived-quantities.js';

const DATA = `data { int N; int K; int J; array[N] int g; vector[N] x; matrix[N, K] X; vector[N] y; array[N] int k; array[N] vector[K] z; }`;
const PARAMETERS = 'parameters { real a; vector[K] b; vector[J] u; real<lower=0> s; }';
const PRIOR = 'a ~ normal(0, 1); b ~ normal(0, 1); s ~ normal(0, 1);';

const rows = {
  g: [2, 1, 2, 3, 3],
  x: [0.5, -1, 2, 0.25, 0.1],
  y: [0.1, -0.4, 1.3, 2, 0.3],
  k: [0, 2, 1, 3, 0],
  X: [
    [1, 0.5],
    [0.25, -1],
    [2, 1],
    [0, 0.5],
    [3, 0.25],
  ],
  z: [
    [0.3, 1],
    [2, -1],
    [0.4, 0.6],
    [1, 1],
    [0.2, 0.1],
  ],
};
const N = rows.y.length;

/** The data without rows, counted from 1. */
function dataWithout(...held: readonly number[]) {
  const left = Object.entries(rows).map(([name, values]) => [
    name,
    [...values].filter((_, row) => !held.includes(row + 1)),
  ]);
  return { N: N - held.length, K: 2, J: 3, ...Object.fromEntries(left) };
}

const POINT = Float64Array.of(0.3, -0.7, 0.4, 0.2, -0.1, 0.5, -0.2);
const KERNEL = { jacobian: true };

function heldOut(program: string): Promise<Model> {
  const derived = deriveQuantities({ name: 'string', text: program, includes: {} }, 'held_out');
  assert.ok('text' in derived, JSON.stringify(derived));
  return compile(derived.text);
}

describe('a program without some observations', () => {
  after(() => close());

  for (const [model, outcome = 'y'] of [
    ['y ~ normal(a + b[1] * x, s);'],
    ['target += normal_lpdf(y | X * b, s);'],
    ['target += normal_lupdf(y | a + u[g], exp(x));'],
    ['y ~ std_normal();'],
    ['y[1:N] ~ normal(a, s);'],
    ['head(y, N) ~ normal(b[1] * x, s);'],
    ['y ~ normal_id_glm(X, a, b, s);'],
    ['k ~ poisson_log_glm(X, a + u[g], b);', 'k'],
    ['k ~ poisson_log(a + X * b);', 'k'],
    ['for (n in 1:N) y[n] ~ student_t(4, a + u[g[n]], s);'],
    ['u ~ normal(0, s); y ~ normal(u[g], s);'],
    ['vector[N] mu = a + x; for (n in 1:N) { mu[n] += u[g[n]]; y[n] ~ student_t(4, mu[n], s); } u ~ normal(0, s);'],
    ['for (n in 1:N) if (g[n] == 1) y[n] ~ normal(a, s); else target += cauchy_lpdf(y[n] | a, s);'],
    ['for (n in 1:N) target += log_mix(inv_logit(a), normal_lpdf(y[n] | b[1], s), normal_lpdf(y[n] | b[2], s));'],
    [
      'vector[N] lp; for (n in 1:N) lp[n] = log_mix(0.3, normal_lpdf(y[n] | b[1], s), normal_lpdf(y[n] | b[2], s)); target += sum(lp);',
    ],
    ['z ~ multi_normal(b, diag_matrix(rep_vector(s, K)));', 'z'],
    ['for (n in 1:N) X[n] ~ multi_normal(b, diag_matrix(rep_vector(s, K)));', 'X'],
    ['target += normal_lpdf(a | 0, 1) + normal_lpdf(y | a, s) - normal_lccdf(0 | 0, 1) - log(s);'],
    [
      'for (n in 1:N) { if (k[n] == 0) target += log_inv_logit(a); else target += log1m_inv_logit(a) + poisson_lpmf(k[n] | s) - poisson_lccdf(0 | s); }',
      'k',
    ],
    [
      'for (n in 1:N) { if (k[n] == 0) 1 ~ bernoulli_logit(a); else { 0 ~ bernoulli_logit(a); k[n] ~ poisson(s) T[1, ]; } }',
      'k',
    ],
    ['for (n in 1:N) { (k[n] == 0) ~ bernoulli_logit(a); if (k[n] > 0) k[n] ~ poisson(s) T[1, ]; }', 'k'],
    ['y ~ normal(a, s) T[-1, 40];'],
    ['profile("likelihood") { y ~ normal(a, s); } y ~ cauchy(x, s);'],
  ] as const) {
    it(`has the density of the program on the other rows: ${model}`, async () => {
      const program = `${DATA}\n${PARAMETERS}\nmodel { ${PRIOR} ${model} }`;
      const [whole, left] = await Promise.all([compile(program), heldOut(program)]);
      for (const held of [[], [1], [2, 5], [1, 2, 3, 4, 5]]) {
        const others = { [`held_out_size__${outcome}`]: held.length, [`held_out__${outcome}`]: held };
        const expected = await whole.on(dataWithout(...held));
        const found = await left.on({ ...dataWithout(), ...others });
        for (const propto of [false, true]) {
          const form = { ...KERNEL, propto };
          const [value, other] = [expected.logDensity(POINT, form), found.logDensity(POINT, form)];
          const what = `${propto ? 'without' : 'with'} constants, without ${held.join()}`;
          assert.ok(Math.abs(value - other) <= 1e-12 * Math.max(1, Math.abs(value)), `${what}: ${other}, not ${value}`);
          const [one, two] = [expected, found].map((each) => each.gradient(POINT, form).gradient);
          one.forEach((partial, place) => {
            const tolerance = 1e-12 * Math.max(1, Math.abs(partial));
            assert.ok(
              Math.abs(partial - two[place]) <= tolerance,
              `${what}, partial ${place}: ${two[place]}, not ${partial}`,
            );
          });
        }
      }
    });
  }
});
