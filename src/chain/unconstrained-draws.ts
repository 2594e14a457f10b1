/** Evaluates a program at the draws of a fit. */
import { displayName } from '../formats/columns.js';
import type { DensityForm, EngineModel, ModelHost } from './model-host.js';
import { Misfit } from './refusal.js';
import { unconstrainRounded } from './rounding.js';

/** The unconstrained positions of a chain's draws. */
export function positionsOf(
  host: ModelHost,
  model: EngineModel,
  columns: readonly string[],
  rows: Float64Array,
): Float64Array[] {
  const parameters = model.constrainedNames({ transformedParameters: false, generatedQuantities: false });
  const places = parameters.map((name) => columns.indexOf(name));
  const missing = places.indexOf(-1);
  if (missing >= 0) throw new Misfit(`the draws lack the parameter ${displayName(parameters[missing])}`);
  const width = columns.length;
  const draw = new Float64Array(places.length);
  return Array.from({ length: rows.length / width }, (_, row) => {
    for (const [k, place] of places.entries()) draw[k] = rows[row * width + place];
    return unconstrainRounded(
      host,
      () => draw,
      (rounding) => model.unconstrainDraw(draw, rounding),
    );
  });
}

/** The result of `evaluate`, or `otherwise` if the program rejects the point. */
export function unlessRejected<Value>(host: ModelHost, evaluate: () => Value, otherwise: Value): Value {
  try {
    return evaluate();
  } catch (error) {
    if (host.blame(error)?.kind === 'rejection') return otherwise;
    throw error;
  }
}

/** The log density; -∞ if the program rejects the position. */
export function densityAt(host: ModelHost, model: EngineModel, position: Float64Array, form: DensityForm): number {
  return unlessRejected(host, () => model.logDensity(position, form), Number.NEGATIVE_INFINITY);
}
