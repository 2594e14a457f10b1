/** A number as C++ streams print it by default, with six significant digits: what Stan's messages contain. */
export function streamText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits, exponentText] = value.toExponential(5).split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return trimZeros(value.toFixed(5 - exponent));
  const sign = exponent < 0 ? '-' : '+';
  return `${trimZeros(digits)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function trimZeros(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}
