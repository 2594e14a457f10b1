/** Numbers as real literals of Stan, rounded to the digits that matter. */

/** Largest integer literal of Stan. */
const LARGEST_INTEGER = 2 ** 31 - 1;

export function literal(value: number): string {
  return Number.isInteger(value) && Math.abs(value) > LARGEST_INTEGER ? value.toExponential() : `${value}`;
}

/** The literal of a number with two significant digits. */
export function numeral(value: number): string {
  return literal(Number(value.toPrecision(2)));
}

/** A value rounded to a decimal position: that of the given significant digit of a width. */
export function roundedTo(value: number, width: number, digit: number): number {
  const step = 10 ** (Math.floor(Math.log10(width)) - digit + 1);
  return Number((Math.round(value / step) * step).toPrecision(12)) || 0;
}
