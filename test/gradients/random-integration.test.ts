/**
 * Random regressions with several containers of effects: the density after some have been integrated out must agree with that of the program.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Choices, checkJointDensity, modelOf } from './integrated.js';

const PROGRAMS = 24;

/** Each term of the location has its own parameters and statements; outcomes follow in one of several forms. */
function programOf(random: Choices): string {
  const terms: {
    readonly parameters: string;
    readonly transformed: string;
    readonly model: string;
    readonly value: string;
  }[] = [
    {
      parameters: 'vector[K] b;',
      transformed: '',
      model: random.of(
        'b ~ normal(0, 2);',
        'for (k in 1:K) b[k] ~ normal(0.3 * k, tau);',
        'b[1] ~ normal(1, 3); b[2:K] ~ normal(0, 1.5);',
        'target += normal_lpdf(b | mu, 2);',
      ),
      value: random.of('X * b', '(X * b)', '-(X * b)', '2 * (X * b)'),
    },
    {
      parameters: 'vector[J] u;',
      transformed: '',
      model: 'u ~ normal(0, tau);',
      value: random.of('u[g]', 'u[g] .* x'),
    },
    {
      parameters: 'vector[J] z;',
      transformed: 'vector[J] w = tau * z;',
      model: 'z ~ std_normal();',
      value: random.of('w[g]', 'S * w', 'w[g] .* x'),
    },
    {
      parameters: 'vector[K] c;',
      transformed: '',
      model: 'c ~ normal(mu, omega);',
      value: random.of('c[h]', 'x .* c[h]'),
    },
  ];
  const chosen = terms.filter(() => random.fraction() < 0.6);
  const [only] = terms;
  const used = chosen.length === 0 ? [only] : chosen;
  const location = used.map(({ value }) => value).join(' + ');
  const scale = random.of('sigma', 'sigma', 'sigma * s', 'scales');
  const outcome = random.of(
    `y ~ normal(mu + ${location}, ${scale});`,
    `vector[N] eta = ${location}; eta += mu; target += normal_lpdf(y | eta, ${scale});`,
    `vector[N] eta = rep_vector(0, N); for (n in 1:N) eta[n] += x[n] * mu; eta += ${location}; y ~ normal(eta, ${scale});`,
    `vector[N] eta = ${location}; for (n in 1:N) if (x[n] > 0) y[n] ~ normal(eta[n] + mu, sigma); else y[n] ~ normal(eta[n], 2);`,
    `if (N > 1) { vector[N] eta = mu + ${location}; target += normal_id_glm_lpdf(y | X, eta, d, sigma); }`,
  );
  const list = (key: 'parameters' | 'transformed' | 'model'): string => used.map((term) => term[key]).join(' ');
  const prior = random.of(
    'mu ~ normal(0, 5);',
    'lprior += normal_lpdf(mu | 1, 3); lprior += normal_lpdf(d | 0, 1);',
    'mu ~ cauchy(0, 1);',
  );
  return `data {
      int N; int K; int J; matrix[N, K] X; matrix[N, J] S; array[N] int<lower=1, upper=J> g; array[N] int<lower=1, upper=K> h;
      vector[N] x; vector[N] y; vector<lower=0>[N] s;
    }
    parameters { ${list('parameters')} real mu; vector[K] d; real<lower=0> tau; real<lower=0> omega; real<lower=0> sigma; vector<lower=0>[N] scales; }
    transformed parameters { ${list('transformed')} real lprior = 0; ${random.of('', 'lprior += normal_lpdf(d | 0, 2);')} }
    model {
      tau ~ normal(0, 1); omega ~ normal(0, 1); sigma ~ normal(0, 1); scales ~ exponential(1); d ~ normal(0, 1);
      { ${prior.replaceAll('lprior', 'own').replace('own', 'real own = 0; own')} ${prior.includes('lprior') ? 'target += own;' : ''} }
      ${list('model')}
      target += lprior;
      { ${outcome} }
    }`;
}

function dataOf(random: Choices): string {
  const [N, K, J] = [6 + random.below(5), 2 + random.below(6), 2 + random.below(5)];
  const value = (): number => Math.round(400 * random.fraction() - 200) / 100;
  const many = <T>(count: number, make: () => T): readonly T[] => Array.from({ length: count }, make);
  return JSON.stringify({
    N,
    K,
    J,
    X: many(N, () => many(K, value)),
    S: many(N, () => many(J, value)),
    g: many(N, () => 1 + random.below(J)),
    h: many(N, () => 1 + random.below(K)),
    x: many(N, value),
    y: many(N, value),
    s: many(N, () => 0.5 + random.fraction()),
  });
}

describe('random regressions', () => {
  for (let seed = 1; seed <= PROGRAMS; seed++) {
    const random = new Choices(7919 * seed);
    const program = programOf(random);
    const data = dataOf(random);
    it(`have the density of the program: ${seed}`, () => {
      const written = modelOf({ program, data }, {});
      const marginal = modelOf({ program, data }, { integrates: true });
      assert.notDeepEqual(marginal.integration?.integrated, [], program);
      const positions = [0, 1].map(() =>
        Float64Array.from({ length: marginal.dimension }, () => 2 * random.fraction() - 1),
      );
      checkJointDensity(written, marginal, positions);
    });
  }
});
