import { logarithm } from '../../base/elementary.js';
import type { Rng } from '../random/rng.js';
import type { Hamiltonian } from './hamiltonian.js';
import type { PhasePoint } from './phase-point.js';

/** A step size, or the reason why none was found. */
export type StepSizeSearch = { readonly stepSize: number } | { readonly problem: string };

/** Target acceptance probability of one leapfrog step, as a logarithm. */
const LOG_TARGET = logarithm(0.8);

/**
 * Doubles or halves the step size until the acceptance probability of a single leapfrog step, with a new momentum each time, crosses 0.8
 * (Hoffman and Gelman 2014, algorithm 4, as in Stan). Returns 0, NaN and step sizes above 1e7 unchanged, and NaN if there are no
 * parameters. Does not change `place`.
 */
export function searchStepSize(hamiltonian: Hamiltonian, place: PhasePoint, initial: number, rng: Rng): StepSizeSearch {
  if (place.position.length === 0) return { stepSize: Number.NaN };
  if (initial === 0 || initial > 1e7 || Number.isNaN(initial)) return { stepSize: initial };

  const { space } = hamiltonian;
  const start = space.acquire(1);
  const next = space.acquire(1);
  space.copyPlace(place, start);
  const acceptable = (stepSize: number) => {
    hamiltonian.refreshMomentum(start, rng);
    space.setStep(stepSize);
    hamiltonian.leapfrog(start, next);
    return start.energy - next.energy;
  };

  let stepSize = initial;
  let problem = '';
  const grow = acceptable(stepSize) > LOG_TARGET;
  while (hamiltonian.error === undefined && problem === '') {
    const logAcceptance = acceptable(stepSize);
    if (grow ? !(logAcceptance > LOG_TARGET) : !(logAcceptance < LOG_TARGET)) break;
    stepSize *= grow ? 2 : 0.5;
    if (stepSize > 1e7) problem = 'Posterior is improper. Please check your model.';
    if (stepSize === 0) {
      problem = 'No acceptably small step size could be found. Perhaps the posterior is not continuous?';
    }
  }
  space.release(start);
  space.release(next);
  if (hamiltonian.error !== undefined) return { problem: hamiltonian.error.message };
  return problem === '' ? { stepSize } : { problem };
}
