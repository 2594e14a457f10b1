import { mean } from './moments.js';

/**
 * Energy Bayesian fraction of missing information of one chain: the mean squared change of the energy over its variance
 * (M. Betancourt, "Diagnosing Suboptimal Cotangent Disintegrations in Hamiltonian Monte Carlo", arXiv:1604.00695,
 * equation 9). NaN if the energy is constant.
 */
export function energyFraction(energy: Float64Array): number {
  const center = mean(energy);
  let changes = 0;
  let spread = 0;
  for (let k = 0; k < energy.length; k++) {
    spread += (energy[k] - center) ** 2;
    if (k > 0) changes += (energy[k] - energy[k - 1]) ** 2;
  }
  return spread > 0 ? changes / spread : Number.NaN;
}

/** The same fraction for the draws so far, in constant time per draw and constant memory (B. P. Welford, Technometrics 4, 1962). */
export class RunningEnergy {
  private count = 0;
  private mean = 0;
  private spread = 0;
  private changes = 0;
  private last = 0;

  add(energy: number): void {
    if (this.count > 0) this.changes += (energy - this.last) ** 2;
    this.last = energy;
    this.count++;
    const step = energy - this.mean;
    this.mean += step / this.count;
    this.spread += step * (energy - this.mean);
  }

  /** NaN if the energy is constant. */
  get fraction(): number {
    return this.spread > 0 ? this.changes / this.spread : Number.NaN;
  }
}
