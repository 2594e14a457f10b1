/** Rounding errors of draws that were read from text. */
import type { StanJson } from '../formats/stan-json.js';
import type { ModelHost } from './model-host.js';

/** Fewest digits that values are assumed to have: a value such as 0.5 may be exact. CmdStan writes at least 6 by default. */
const FEWEST_DIGITS = 6;

/**
 * A bound on the relative rounding errors of values that were rounded to the same number of significant digits: half a unit of the last
 * place of the longest value, at least the rounding error of doubles.
 */
export function roundingOf(values: Iterable<number>): number {
  let digits = FEWEST_DIGITS;
  for (const value of values) {
    const [mantissa] = value.toExponential().split('e');
    if (Number.isFinite(value)) digits = Math.max(digits, mantissa.replace(/[-.]/g, '').length);
  }
  return Math.max(0.5 * 10 ** (1 - digits), Number.EPSILON);
}

/** The numbers in a JSON value. */
export function* numbersIn(value: StanJson): Generator<number> {
  if (typeof value === 'number') yield value;
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* numbersIn(each);
}

/**
 * The result of `unconstrain`. If the values violate a constraint, for example because a simplex with few digits does not sum to 1, the
 * violation is corrected if it follows from their rounding. Throws the error of the first attempt otherwise.
 */
export function unconstrainRounded(
  host: ModelHost,
  values: () => Iterable<number>,
  unconstrain: (rounding?: number) => Float64Array,
): Float64Array {
  try {
    return unconstrain();
  } catch (error) {
    if (host.blame(error) === undefined) throw error;
    try {
      return unconstrain(roundingOf(values()));
    } catch (second) {
      if (host.blame(second) === undefined) throw second;
      throw error;
    }
  }
}
