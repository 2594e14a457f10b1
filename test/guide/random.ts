import { createRng } from '../../src/inference/random/random-stream.js';
import type { Rng } from '../../src/inference/random/rng.js';

/** `count` values by their index from 0. */
export function times<T>(count: number, value: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => value(index));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

export function dot(a: readonly number[], b: readonly number[]): number {
  return sum(a.map((each, i) => each * b[i]));
}

/** Variates by textbook methods, independent of the library's own, for simulating data. */
export class Random {
  readonly #rng: Rng;

  constructor(seed: number) {
    this.#rng = createRng(seed, 1);
  }

  uniform(low = 0, high = 1): number {
    return low + (high - low) * this.#rng.uniform();
  }

  normal(mean = 0, sd = 1): number {
    return mean + sd * this.#rng.normal();
  }

  normals(count: number, mean = 0, sd = 1): number[] {
    return times(count, () => this.normal(mean, sd));
  }

  exponential(rate = 1): number {
    return -Math.log1p(-this.uniform()) / rate;
  }

  weibull(shape: number, scale: number): number {
    return scale * this.exponential() ** (1 / shape);
  }

  bernoulli(probability: number): 0 | 1 {
    return this.uniform() < probability ? 1 : 0;
  }

  bernoulliLogit(logit: number): 0 | 1 {
    return this.bernoulli(1 / (1 + Math.exp(-logit)));
  }

  binomial(trials: number, probability: number): number {
    return sum(times(trials, () => this.bernoulli(probability)));
  }

  /** From 1. */
  categorical(probabilities: readonly number[]): number {
    let rest = this.uniform() * sum(probabilities);
    const found = probabilities.findIndex((each) => {
      rest -= each;
      return rest < 0;
    });
    return found < 0 ? probabilities.length : found + 1;
  }

  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.uniform() * (high - low + 1));
  }

  /** A Poisson variate: counts the arrivals of a Poisson process. */
  poisson(mean: number): number {
    let count = 0;
    for (let time = this.exponential(); time < mean; time += this.exponential()) count++;
    return count;
  }

  /** A gamma variate by the method of Marsaglia and Tsang (2000). */
  gamma(shape: number, rate = 1): number {
    if (shape < 1) return this.gamma(shape + 1, rate) * this.uniform() ** (1 / shape);
    const d = shape - 1 / 3;
    for (;;) {
      const x = this.normal();
      const v = (1 + x / Math.sqrt(9 * d)) ** 3;
      if (v > 0 && Math.log(1 - this.uniform()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return (d * v) / rate;
    }
  }

  dirichlet(alpha: readonly number[]): number[] {
    const parts = alpha.map((each) => this.gamma(each));
    const total = sum(parts);
    return parts.map((each) => each / total);
  }

  /** Multivariate normal variates whose covariance is the lower triangular `factor` times its transpose. */
  correlated(factor: readonly (readonly number[])[]): number[] {
    const z = this.normals(factor.length);
    return factor.map((row) => dot(row, z));
  }

  /** Draws until a value is accepted. */
  until(draw: () => number, wanted: (value: number) => boolean): number {
    for (;;) {
      const value = draw();
      if (wanted(value)) return value;
    }
  }
}
