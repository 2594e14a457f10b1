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

/**
 * Converts message lines from non-finite numbers as strings to another style. No text of a message equals such a string, because texts
 * begin with their level or are Stan's sentences.
 */
export function restyleNonFinite(lines: string, nonFinite: NonFinite): string {
  if (nonFinite === 'string' || !/"-?(?:NaN|Infinity)"/.test(lines)) return lines;
  return lines.replace(/([:[,])"(NaN|-?Infinity)"(?=[\],}])/g, nonFinite === 'null' ? '$1null' : '$1$2');
}
