/** Offsets: summands of the linear predictor without coefficients. */
import type { Predictor } from './coding.js';

export interface DesignOffset {
  readonly predictor: Predictor;
  /** Whether the summand is the logarithm of the predictor. */
  readonly isLog: boolean;
}

export function offsetText({ isLog, predictor: { name } }: DesignOffset): string {
  return isLog ? `log(${name})` : name;
}

/** The exponential of the sum of the offsets as text. */
export function exponentialText(offsets: readonly DesignOffset[]): string {
  return offsets.map(({ isLog, predictor: { name } }) => (isLog ? name : `exp(${name})`)).join(' .* ');
}

/** The sum of the offsets in each row. */
export function shiftsOf(offsets: readonly DesignOffset[], rows: number): Float64Array {
  const shifts = new Float64Array(rows);
  for (const { isLog, predictor } of offsets)
    for (let row = 0; row < rows; row++) shifts[row] += isLog ? Math.log(predictor.values[row]) : predictor.values[row];
  return shifts;
}
