import { mean } from './moments.js';

/**
 * Energy Bayesian fraction of missing information of one chain: the mean squared change of the energy over its variance
 * (M. Betancourt, "Diagnosing Suboptimal Cotangent Disintegrations in Hamiltonian Monte Carlo", arXiv:1604.00695,
 * equation 9). NaN where the energy does not vary.
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
