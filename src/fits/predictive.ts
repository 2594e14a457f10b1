/** Posterior predictive checks of a fit, computed in parts of some observations. */
import { pool } from '../inference/diagnostics/chains.js';
import {
  type Gathered,
  gather,
  type PredictedObservation,
  type PredictedStatistic,
  predictObservation,
  predictStatistics,
  together,
} from '../inference/validation/predictive.js';
import type { NamedDraws } from './statistics.js';

/** An observation with the name of its simulation, `y_rep[3]`. */
interface NamedObservation extends PredictedObservation {
  readonly name: string;
}

/** Some of the observations, and the partial results for the data sets. */
export interface PredictedPart {
  readonly observations: readonly NamedObservation[];
  readonly simulated: Gathered;
  readonly observed: Gathered | undefined;
}

/** Summarizes the simulations of some observations, with the observed values if known. */
export function predict(columns: readonly NamedDraws[], observed: Float64Array | undefined): PredictedPart {
  return {
    observations: columns.map(({ chains, name }, k) => ({ name, ...predictObservation(chains, observed?.[k]) })),
    simulated: gather(columns.map(({ chains }) => pool(chains))),
    observed: observed && gather(Array.from(observed, (value) => Float64Array.of(value))),
  };
}

export interface PredictiveCheck {
  readonly observations: readonly NamedObservation[];
  readonly statistics: readonly PredictedStatistic[];
}

/** Combines all parts in their order. */
export function concludePredicting(parts: readonly PredictedPart[]): PredictiveCheck {
  const simulated = parts.map((part) => part.simulated).reduce(together);
  const observed = parts.flatMap((part) => part.observed ?? []);
  return {
    observations: parts.flatMap(({ observations }) => observations),
    statistics: predictStatistics(simulated, observed.length === 0 ? undefined : observed.reduce(together)),
  };
}
