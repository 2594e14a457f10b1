import { exponential, logarithm } from '../../base/elementary.js';

/** Probabilities of models given the data, from their log evidences and their probabilities before the data, up to a common factor. */
export function modelProbabilities(logEvidences: readonly number[], priors: readonly number[]): readonly number[] {
  const logs = logEvidences.map((value, k) => value + logarithm(priors[k]));
  const greatest = Math.max(...logs);
  const weights = logs.map((value) => exponential(value - greatest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}
