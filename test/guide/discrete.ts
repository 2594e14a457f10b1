import { times } from './random.js';
import type { Study } from './study.js';

const normals: Study = {
  program: 'mixture-normal',
  simulate(random) {
    const [N, theta, mu, sigma] = [200, [0.3, 0.7], [-2, 1.5], [0.6, 1]];
    const y = times(N, () => {
      const k = random.categorical(theta) - 1;
      return random.normal(mu[k], sigma[k]);
    });
    return { data: { K: 2, N, y }, truth: { theta, mu, sigma } };
  },
};

const zeros: Study = {
  program: 'mixture-zeros',
  simulate(random) {
    const [N, theta, lambda] = [150, [0.25, 0.4], [3, 2]];
    const inflated = times(N, () => (random.bernoulli(theta[0]) ? 0 : random.poisson(lambda[0])));
    const hurdle = times(N, () =>
      random.bernoulli(theta[1])
        ? 0
        : random.until(
            () => random.poisson(lambda[1]),
            (count) => count > 0,
          ),
    );
    return { data: { N, inflated, hurdle }, truth: { theta, lambda } };
  },
};

const changePoint: Study = {
  program: 'latent-change-point',
  simulate(random) {
    const [T, early, late, change] = [80, 3.5, 1.2, 36];
    const D = times(T, (t) => random.poisson(t + 1 < change ? early : late));
    return { data: { T, D }, truth: { early, late, change } };
  },
};

const recapture: Study = {
  program: 'latent-capture-recapture',
  simulate(random) {
    const [I, T, phi, p] = [150, 5, [0.8, 0.6, 0.7], [0.6, 0.5, 0.7]];
    const y = times(I, () => {
      let alive = true;
      return times(T, (t) => {
        if (t > 0) alive = alive && random.bernoulli(phi[t - 1] ?? 0.5) === 1;
        return alive ? random.bernoulli(p[t - 1] ?? 0.5) : 0;
      });
    });
    const named = (name: string, values: readonly number[], from: number): [string, number][] =>
      values.map((value, k) => [`${name}.${k + from}`, value]);
    return { data: { T, I, y }, truth: Object.fromEntries([...named('phi', phi, 1), ...named('p', p, 2)]) };
  },
};

const raters: Study = {
  program: 'latent-raters',
  simulate(random) {
    const [I, J, prevalence] = [80, 4, [0.5, 0.3, 0.2]];
    const skill = [0.9, 0.8, 0.7, 0.85];
    const theta = skill.map((right) => times(3, (k) => times(3, (c) => (c === k ? right : (1 - right) / 2))));
    const ratings = times(I, (i) => {
      const category = random.categorical(prevalence) - 1;
      return theta.map((rows, j) => ({ i: i + 1, j: j + 1, y: random.categorical(rows[category]) }));
    }).flat();
    const data = {
      K: 3,
      I,
      J,
      N: ratings.length,
      ii: ratings.map(({ i }) => i),
      jj: ratings.map(({ j }) => j),
      y: ratings.map(({ y }) => y),
    };
    return { data, truth: { prevalence, theta } };
  },
};

const abundance: Study = {
  program: 'occupancy',
  simulate(random) {
    const [R, T, lambda, p] = [40, 4, 5, 0.5];
    const y = times(R, () => {
      const n = random.poisson(lambda);
      return times(T, () => random.binomial(n, p));
    });
    return { data: { R, T, most: 25, y }, truth: { lambda, p } };
  },
};

const softMeans: Study = {
  program: 'clustering-soft-means',
  simulate(random) {
    const [across, up] = [
      [-2, 1.5],
      [1, -2],
    ];
    const y = times(90, (n) => [random.normal(across[n % 2]), random.normal(up[n % 2])]);
    return { data: { N: 90, K: 2, y }, truth: { across, up } };
  },
};

/** Word probabilities of the topics, for documents with one topic each and for documents that mix topics. */
const phi = [
  [0.4, 0.3, 0.1, 0.1, 0.1],
  [0.05, 0.05, 0.1, 0.3, 0.5],
];

const naiveBayes: Study = {
  program: 'clustering-naive-bayes',
  simulate(random) {
    const [M, theta, words] = [40, [0.4, 0.6], 12];
    const z = times(M, () => random.categorical(theta));
    const doc = times(M * words, (n) => 1 + Math.floor(n / words));
    const w = doc.map((m) => random.categorical(phi[z[m - 1] - 1]));
    const w_new = times(6, () => random.categorical(phi[1]));
    const data = { K: 2, V: 5, M, N: w.length, z, w, doc, N_new: w_new.length, w_new };
    return { data, truth: { theta, phi } };
  },
};

const topics: Study = {
  program: 'clustering-lda',
  simulate(random) {
    const [M, words, alpha] = [10, 40, [0.5, 0.5]];
    const beta = [
      [20, 15, 5, 5, 5],
      [2, 2, 5, 15, 25],
    ];
    const theta = times(M, () => random.dirichlet(alpha));
    const doc = times(M * words, (n) => 1 + Math.floor(n / words));
    const w = doc.map((m) => random.categorical(phi[random.categorical(theta[m - 1]) - 1]));
    return { data: { K: 2, V: 5, M, N: w.length, w, doc, alpha, beta }, truth: { theta, phi } };
  },
};

const items: Study = {
  program: 'item-response',
  simulate(random) {
    const [J, K, mu_beta, sigma_beta, sigma_gamma] = [60, 12, 0.3, 0.8, 0.4];
    const alpha = random.normals(J);
    const beta = random.normals(K, 0, sigma_beta);
    const gamma = times(K, () => Math.exp(random.normal(0, sigma_gamma)));
    const pairs = times(J * K, (n) => [n % J, Math.floor(n / J)]);
    const y = pairs.map(([j, k]) => random.bernoulliLogit(gamma[k] * (alpha[j] - beta[k] - mu_beta)));
    const data = { J, K, N: y.length, jj: pairs.map(([j]) => j + 1), kk: pairs.map(([, k]) => k + 1), y };
    return { data, truth: { mu_beta, alpha, beta, gamma, sigma_beta, sigma_gamma } };
  },
};

const contests: Study = {
  program: 'ranking',
  simulate(random) {
    const [K, N, strengths] = [8, 200, [1.5, 1, 0.7, 0.1, -0.2, -0.6, -1, -1.5]];
    const pairs = times(N, () => {
      const first = random.integer(1, K);
      return [first, ((first - 1 + random.integer(1, K - 1)) % K) + 1];
    });
    const y = pairs.map(([a, b]) => random.bernoulliLogit(strengths[a - 1] - strengths[b - 1]));
    const data = { K, N, player1: pairs.map(([a]) => a), player0: pairs.map(([, b]) => b), y };
    return { data, truth: { alpha: strengths } };
  },
};

const shares: Study = {
  program: 'proportions',
  simulate(random) {
    const [J, share, concentration] = [40, [0.5, 0.3, 0.2], 8];
    const y = times(J, () => {
      const own = random.dirichlet(share.map((each) => each * concentration));
      const drawn = times(30, () => random.categorical(own));
      return times(3, (k) => drawn.filter((each) => each === k + 1).length);
    });
    return { data: { J, K: 3, y }, truth: { share, concentration } };
  },
};

const cells: Study = {
  program: 'multi-indexing',
  simulate(random) {
    const [R, C, N, mu, sigma] = [3, 4, 150, 1, 0.5];
    const [row, column] = [
      [0, 1.5, -0.5],
      [0, 0.3, -1, 2],
    ];
    const table = row.map((a) => column.map((b) => mu + a + b));
    const cell = times(N, () => [random.integer(1, R), random.integer(1, C)]);
    const y = cell.map(([r, c]) => random.normal(table[r - 1][c - 1], sigma));
    return { data: { R, C, N, cell, y }, truth: { mu, table, sigma, ends: [table[0], table[2]] } };
  },
};

export const discrete: readonly Study[] = [
  ...[normals, zeros, changePoint, recapture, raters, abundance],
  ...[softMeans, naiveBayes, topics, items, contests, shares, cells],
];
