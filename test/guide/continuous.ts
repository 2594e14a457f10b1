import { times } from './random.js';
import type { Study } from './study.js';

/** The smooth function to estimate. */
const wave = (x: number): number => Math.sin(x);

const marginal: Study = {
  program: 'process-marginal',
  simulate(random) {
    const [x1, x2, sigma] = [times(30, (n) => n / 5), [0.55, 2.5, 4.1], 0.2];
    const y1 = x1.map((x) => random.normal(wave(x), sigma));
    return { data: { N1: 30, N2: 3, x1, y1, x2 }, truth: { sigma, f2: x2.map(wave) } };
  },
};

const relevance: Study = {
  program: 'process-relevance',
  simulate(random) {
    const [N, sigma] = [30, 0.2];
    const x = times(N, () => [random.uniform(-3, 3), random.uniform(-3, 3)]);
    const y = x.map(([first]) => random.normal(wave(first), sigma));
    return { data: { N, D: 2, x, y }, truth: { sigma } };
  },
};

const latent: Study = {
  program: 'process-latent',
  simulate(random) {
    const x = times(30, (n) => n / 5);
    const y = x.map((each) => random.poisson(Math.exp(1 + wave(each))));
    return { data: { N: 30, x, y }, truth: { log_rate: x.map((each) => 1 + wave(each)) } };
  },
};

const outputs: Study = {
  program: 'process-multivariate',
  simulate(random) {
    const [x, sigma] = [times(15, (n) => n / 3), 0.4];
    const f = x.map((each) => [wave(each), wave(each + 1)]);
    const y = f.map((row) => row.map((each) => random.normal(each, sigma)));
    return { data: { N: 15, D: 2, x, y }, truth: { sigma, f } };
  },
};

const directions: Study = {
  program: 'directions-unit-vector',
  simulate(random) {
    const [N, axis, concentration, mu, kappa] = [80, [0, 0.6, 0.8], 6, 1, 3];
    const direction = times(N, () => {
      const u = random.uniform();
      const along = 1 + Math.log(u + (1 - u) * Math.exp(-2 * concentration)) / concentration;
      const turn = random.uniform(0, 2 * Math.PI);
      const [a, b] = [Math.sqrt(1 - along ** 2) * Math.cos(turn), Math.sqrt(1 - along ** 2) * Math.sin(turn)];
      return [a, axis[1] * along + axis[2] * b, axis[2] * along - axis[1] * b];
    });
    const angle = times(N, () =>
      random.until(
        () => random.uniform(-Math.PI, Math.PI),
        (value) => random.bernoulli(Math.exp(kappa * (Math.cos(value - mu) - 1))) === 1,
      ),
    );
    return { data: { N, direction, angle }, truth: { axis, concentration, mu, kappa } };
  },
};

const weibull: Study = {
  program: 'survival-weibull',
  simulate(random) {
    const [N, shape, alpha, beta] = [120, 1.6, -0.5, 0.8];
    const x = random.normals(N);
    const lives = x.map((each) => random.weibull(shape, Math.exp(-(alpha + beta * each) / shape)));
    const time = lives.map((each) => Math.min(each, 2));
    const event = lives.map((each) => (each < 2 ? 1 : 0));
    return { data: { N, time, event, x }, truth: { shape, alpha, beta, survival: Math.exp(-Math.exp(alpha)) } };
  },
};

const proportional: Study = {
  program: 'survival-proportional',
  simulate(random) {
    const beta = [0.8, -0.5];
    const x = times(80, () => random.normals(2));
    const time = x.map(([a, b]) => random.exponential(Math.exp(beta[0] * a + beta[1] * b)));
    return { data: { N: 80, K: 2, x, time }, truth: { beta } };
  },
};

const jacobian: Study = {
  program: 'jacobian-scale',
  simulate(random) {
    const [N, shape, rate] = [60, 2.5, [1, 3]];
    const y = times(N, () => rate.map((each) => random.gamma(shape, each)));
    return { data: { N, y }, truth: { shape, rate } };
  },
};

const custom: Study = {
  program: 'custom-distribution',
  simulate(random) {
    const [N, alpha, slope] = [150, 2.2, 1.2];
    const y = times(N, () => random.uniform() ** (1 / alpha));
    const cut = times(N, () =>
      random.until(
        () => random.uniform(0.25, 1),
        (value) => random.bernoulli((1 + slope * (value - 0.5)) / (1 + slope / 2)) === 1,
      ),
    );
    return { data: { N, y, cut }, truth: { alpha, slope } };
  },
};

const complex: Study = {
  program: 'complex-signal',
  simulate(random) {
    const [N, real, imaginary, sigma] = [32, 1.2, -0.5, 0.4];
    const signal = times(N, (n) => {
      const turn = (2 * Math.PI * (n + 1)) / 8;
      const [c, s] = [Math.cos(turn), Math.sin(turn)];
      return [random.normal(real * c - imaginary * s, sigma), random.normal(real * s + imaginary * c, sigma)];
    });
    const truth = { 'amplitude.real': real, 'amplitude.imag': imaginary, sigma, phase: Math.atan2(imaginary, real) };
    return { data: { N, signal }, truth: { ...truth, peak: 5 } };
  },
};

const tuples: Study = {
  program: 'tuples',
  simulate(random) {
    const points = times(60, () => {
      const x = random.normal(10, 3);
      return { '1': x, '2': random.normal(2 - 0.5 * x, 0.7) };
    });
    return { data: { N: 60, points }, truth: { 'line:1': 2, 'line:2': -0.5, sigma: 0.7 } };
  },
};

const calibration: Study = {
  program: 'simulation-based',
  simulate: () => ({ data: {}, truth: { error: [0, 0] } }),
};

export const continuous: readonly Study[] = [
  ...[marginal, relevance, latent, outputs, directions, weibull, proportional],
  ...[jacobian, custom, complex, tuples, calibration],
];
