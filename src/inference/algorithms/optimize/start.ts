import { initialize } from '../../initialize.js';
import type { Tolerances } from '../../optimization/quasi-newton.js';
import type { LogDensity } from '../../target.js';
import { type Chain, failed, type Outcome } from '../algorithm.js';
import type { Settings } from '../arguments.js';

/** The density that an optimizer maximizes: with the Jacobians of the transforms or, by default, without them. */
export function densityOf({ target }: Chain, settings: Settings): LogDensity {
  return settings.flag('jacobian') ? target : target.withoutJacobian;
}

/** A starting point, or the outcome of the run if there is no valid one. */
export function startingPoint(chain: Chain, settings: Settings): Float64Array | Outcome {
  const { clock, initial, rng, sink, target } = chain;
  const radius = settings.number('init_radius');
  const density = target.withoutJacobian;
  const start = initialize({ density, initial, radius, rng, sink, clock, reportTiming: false });
  if (!('problem' in start)) return start.position;
  return failed(chain, start.problem);
}

/** The convergence tolerances from the arguments. */
export function tolerancesOf(settings: Settings, iterations: number): Tolerances {
  return {
    objective: settings.number('tol_obj'),
    relativeObjective: settings.number('tol_rel_obj'),
    gradient: settings.number('tol_grad'),
    relativeGradient: settings.number('tol_rel_grad'),
    parameters: settings.number('tol_param'),
    iterations,
  };
}
