import type { Rng } from '../../../src/inference/random/rng.js';

/** A program, and data simulated from known values of its parameters without the program itself. */
export interface Recovery {
  readonly name: string;
  readonly program: string;
  readonly simulate: (rng: Rng) => Simulated;
}

export interface Simulated {
  readonly data: object;
  /** By constrained name; parameters that are not named are not compared. */
  readonly truth: Readonly<Record<string, number>>;
}

type Slope = (t: number, y: readonly number[]) => readonly number[];

/** States at each time by the classical Runge–Kutta method with short, fixed steps. */
export function solve(slope: Slope, initial: readonly number[], times: readonly number[], length = 1e-3): number[][] {
  let y = [...initial];
  let t = 0;
  const along = (k: readonly number[], h: number): number[] => y.map((value, i) => value + h * k[i]);
  return times.map((end) => {
    const steps = Math.max(1, Math.ceil((end - t) / length));
    const h = (end - t) / steps;
    for (let step = 0; step < steps; step++, t += h) {
      const a = slope(t, y);
      const b = slope(t + h / 2, along(a, h / 2));
      const c = slope(t + h / 2, along(b, h / 2));
      const d = slope(t + h, along(c, h));
      y = y.map((value, i) => value + (h / 6) * (a[i] + 2 * b[i] + 2 * c[i] + d[i]));
    }
    t = end;
    return y;
  });
}

export function repeat<T>(count: number, of: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => of(i));
}

export function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** A Poisson variate: counts the arrivals at unit rate before the mean. */
export function poisson(rng: Rng, mean: number): number {
  let count = -1;
  for (let at = 0; at < mean; count++) at -= Math.log(1 - rng.uniform());
  return Math.max(0, count);
}

export function bernoulli(rng: Rng, probability: number): number {
  return rng.uniform() < probability ? 1 : 0;
}
