/**
 * How numbers without JSON notation are written: as strings, which is Stan's own JSON convention and valid JSON; as the bare tokens NaN,
 * Infinity and -Infinity, which Python reads; or as null.
 */
export type NonFinite = 'string' | 'literal' | 'null';

/** A number as JSON text: the shortest that round-trips, including negative zero. */
export function numberText(value: number, nonFinite: NonFinite): string {
  if (Number.isFinite(value)) return value === 0 && Object.is(value, -0) ? '-0' : `${value}`;
  if (nonFinite === 'null') return 'null';
  return nonFinite === 'literal' ? `${value}` : `"${value}"`;
}

/**
 * Gives message lines, written with non-finite numbers as strings, in another style. No text of a message is such a string by itself,
 * because texts begin with their level or are Stan's sentences.
 */
export function restyleNonFinite(lines: string, nonFinite: NonFinite): string {
  if (nonFinite === 'string' || !/"-?(?:NaN|Infinity)"/.test(lines)) return lines;
  return lines.replace(/([:[,])"(NaN|-?Infinity)"(?=[\],}])/g, nonFinite === 'null' ? '$1null' : '$1$2');
}
