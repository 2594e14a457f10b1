/** A number as C++ streams print it, by default with six significant digits: the format of Stan's messages. */
export function streamText(value: number, digits = 6): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa, exponentText] = value.toExponential(digits - 1).split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < digits) return trimZeros(value.toFixed(digits - 1 - exponent));
  const sign = exponent < 0 ? '-' : '+';
  return `${trimZeros(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function trimZeros(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}

/** A number in scientific notation as C++ streams print it, the exponent of two digits at least. */
export function scientificText(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return streamText(value);
  const [mantissa, exponent] = value.toExponential(decimals).split('e');
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

/** A number with `decimals` decimals, as C++ streams print it. */
export function fixedText(value: number, decimals: number): string {
  return Number.isFinite(value) ? value.toFixed(decimals) : streamText(value);
}
