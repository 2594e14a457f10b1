/**
 * How numbers without JSON notation are written: as strings, which is valid JSON and Stan's own convention; as the literals NaN, Infinity
 * and -Infinity, which Python's parser accepts; or as null.
 */
export type NonFinite = 'string' | 'literal' | 'null';

/** A number as the shortest JSON text that round-trips, including negative zero. */
export function numberText(value: number, nonFinite: NonFinite): string {
  if (Number.isFinite(value)) return value === 0 && Object.is(value, -0) ? '-0' : `${value}`;
  if (nonFinite === 'null') return 'null';
  return nonFinite === 'literal' ? `${value}` : `"${value}"`;
}
