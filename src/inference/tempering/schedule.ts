import { exponential, logarithm } from '../../base/elementary.js';

/**
 * Inverse temperatures from 0 to 1 at which neighbors overlap equally if the reference and the posterior are normal distributions whose
 * variances have this ratio.
 */
export function normalSchedule(levels: number, ratio: number): number[] {
  const last = levels - 1;
  if (ratio === 1) return Array.from({ length: levels }, (_, k) => k / last);
  return Array.from({ length: levels }, (_, k) =>
    k === last ? 1 : (exponential((k / last) * logarithm(ratio)) - 1) / (ratio - 1),
  );
}

/** The communication barrier up to each inverse temperature: sums of the rejection rates of swaps. */
export function barriers(rejections: readonly number[]): number[] {
  const sums = [0];
  for (const rejection of rejections) sums.push(sums[sums.length - 1] + rejection);
  return sums;
}

/** Rejection rate that is assumed for neighbors that are never rejected, so that the barrier increases strictly. */
const LEAST_REJECTION = 1e-3;

/**
 * Inverse temperatures from 0 to 1 at which all swaps are rejected at the same rate, from rejection rates at the inverse temperatures `betas`
 * (Syed, Bouchard-Côté, Deligiannidis and Doucet, 2022, section 5), by linear interpolation of the communication barrier.
 */
export function equalSchedule(betas: readonly number[], rejections: readonly number[], levels: number): number[] {
  const sums = barriers(rejections.map((rejection) => Math.max(rejection, LEAST_REJECTION)));
  const total = sums[sums.length - 1];
  let k = 0;
  return Array.from({ length: levels }, (_, level) => {
    if (level === 0) return 0;
    if (level === levels - 1) return 1;
    const sum = (total * level) / (levels - 1);
    while (k < sums.length - 2 && sums[k + 1] < sum) k++;
    return betas[k] + ((betas[k + 1] - betas[k]) * (sum - sums[k])) / (sums[k + 1] - sums[k]);
  });
}
