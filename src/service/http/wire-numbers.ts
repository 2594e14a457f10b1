import type { Static } from 'typebox';
import { nonFiniteNumber } from '../../formats/stan-json.js';
import type { NumberArray } from '../schemas/evaluations.js';

/** The numbers of a request, in which non-finite ones may be strings. */
export function readNumbers(values: Static<typeof NumberArray>): number[] {
  return values.map((value) => (typeof value === 'number' ? value : (nonFiniteNumber(value) ?? Number.NaN)));
}
