/**
 * A real as printed by C++ streams: `precision` significant digits, without trailing zeros, and with an exponent of at least two digits.
 */
export function streamReal(value: number, negative = value < 0 || Object.is(value, -0), precision = 6): string {
  if (Number.isNaN(value)) return negative ? '-nan' : 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return negative ? '-0' : '0';
  const [mantissa, exponentText] = value.toExponential(precision - 1).split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < precision) return dropZeros(value.toFixed(precision - 1 - exponent));
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${dropZeros(mantissa)}e${exponent < 0 ? '-' : '+'}${digits}`;
}

/** A real with six decimals, as written by `std::to_string` in C++. */
export function fixedReal(value: number): string {
  if (!Number.isFinite(value)) return streamReal(value);
  return Math.abs(value) < 1e21 ? value.toFixed(6) : `${BigInt(value)}.000000`;
}

function dropZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
