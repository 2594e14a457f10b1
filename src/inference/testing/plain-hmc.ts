import type { Rng } from '../random/rng.js';
import type { SlowPhaseSpace, SlowPoint } from './slow-phase-space.js';

/**
 * The slow twin of `StaticHmcSampler`: makes one transition from a point whose momentum has been drawn. The end of a number of leapfrog
 * steps is accepted with probability min(1, exp(energy at the start - energy at the end)); a path that leaves the support is rejected.
 */
export function plainTransition(
  space: SlowPhaseSpace,
  start: SlowPoint,
  stepSize: number,
  steps: number,
  rng: Rng,
): { readonly point: SlowPoint; readonly acceptStatistic: number; readonly energy: number } {
  const path = [start];
  for (let step = 0; step < steps; step++) path.push(space.leapfrog(path[step], stepSize));
  const isInside = path.every((point) => space.energy(point) < Infinity);
  const end = path[steps];
  const probability = isInside ? Math.min(1, Math.exp(space.energy(start) - space.energy(end))) : 0;
  const point = probability === 1 || rng.uniform() <= probability ? end : start;
  return { point, acceptStatistic: probability, energy: space.energy(point) };
}
