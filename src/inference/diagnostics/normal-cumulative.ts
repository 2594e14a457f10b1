import { exponential } from '../../base/elementary.js';

/** Maximum |z| for the series, whose terms cancel beyond it. */
const LARGEST_CENTRAL = 3;
const FRACTION_TERMS = 200;

/**
 * The standard normal distribution function, with a relative error of about 1e-13. Uses the series of G. Marsaglia, "Evaluating the normal
 * distribution" (Journal of Statistical Software 11, 2004), in the center and Laplace's continued fraction in the tails.
 */
export function normalCumulative(z: number): number {
  if (Math.abs(z) <= LARGEST_CENTRAL) return 0.5 + density(z) * centralSeries(z);
  const tail = density(z) / tailFraction(Math.abs(z));
  return z < 0 ? tail : 1 - tail;
}

function density(z: number): number {
  return exponential(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
}

function centralSeries(z: number): number {
  let sum = z;
  let term = z;
  for (let factor = 3; sum + term !== sum; factor += 2) {
    term *= (z * z) / factor;
    sum += term;
  }
  return sum;
}

/** z + 1/(z + 2/(z + 3/(z + …))). */
function tailFraction(z: number): number {
  let fraction = z;
  for (let k = FRACTION_TERMS; k > 0; k--) fraction = z + k / fraction;
  return fraction;
}
