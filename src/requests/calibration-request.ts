/** Limits of the number of simulations in a calibration, and the number of chains that divide them. */
export const FEWEST_SIMULATIONS = 10;
export const MOST_SIMULATIONS = 10_000;
export const USUAL_SIMULATIONS = 100;

/** Number of simulations per chain, unless this results in too many chains. */
const SIMULATIONS_OF_CHAIN = 16;
const MOST_CHAINS = 32;

/** The number of chains among which simulations are divided. Results do not depend on it. */
export function calibrationChains(simulations: number): number {
  return Math.min(MOST_CHAINS, Math.ceil(simulations / SIMULATIONS_OF_CHAIN));
}

/** Fields of a sampler that a calibration sets itself or does not support. */
export const NOT_CALIBRATED: readonly string[] = ['chain', 'num_chains', 'save', 'continue', 'warm_start', 'until'];

/** The errors in a request for a calibration: fields among `excluded`, and a number of simulations out of range. */
export function calibrationProblems(
  fields: object,
  simulations: unknown,
  excluded = NOT_CALIBRATED,
): { readonly field: string; readonly message: string }[] {
  const found = excluded
    .filter((field) => field in fields)
    .map((field) => ({ field, message: 'cannot be combined with simulations' }));
  if (!isSimulationCount(simulations)) {
    const message = `must be an integer from ${FEWEST_SIMULATIONS} to ${MOST_SIMULATIONS}`;
    found.push({ field: 'simulations', message });
  }
  return found;
}

export function isSimulationCount(simulations: unknown): simulations is number {
  const isCount = typeof simulations === 'number' && Number.isInteger(simulations);
  return isCount && simulations >= FEWEST_SIMULATIONS && simulations <= MOST_SIMULATIONS;
}
