/** Least magnitude for which JavaScript and C++ agree on decimal or scientific notation. */
const LEAST_DECIMAL = 1e-4;

/** A number as printed by C++ streams, by default with six significant digits: the format of Stan's messages. */
export function streamText(value: number, digits = 6): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  if (Math.abs(value) >= LEAST_DECIMAL) {
    const text = value.toPrecision(digits);
    if (!text.includes('e')) return trimZeros(text);
  }
  const [mantissa, exponentText] = value.toExponential(digits - 1).split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < digits) return trimZeros(value.toFixed(digits - 1 - exponent));
  const sign = exponent < 0 ? '-' : '+';
  return `${trimZeros(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Removes trailing zeros of a fraction. */
function trimZeros(decimal: string): string {
  if (!decimal.includes('.')) return decimal;
  let end = decimal.length;
  while (decimal[end - 1] === '0') end -= 1;
  if (decimal[end - 1] === '.') end -= 1;
  return decimal.slice(0, end);
}

/** A number in scientific notation as printed by C++ streams, with an exponent of at least two digits. */
export function scientificText(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return streamText(value);
  const [mantissa, exponent] = value.toExponential(decimals).split('e');
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

/** A number with `decimals` decimals, as printed by C++ streams. */
export function fixedText(value: number, decimals: number): string {
  return Number.isFinite(value) ? value.toFixed(decimals) : streamText(value);
}
