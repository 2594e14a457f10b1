/** Formats numbers for tables of the page. */

/** Three significant digits; for large numbers, all digits before the decimal point. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? '∞' : '−∞';
  const size = Math.abs(value);
  if (size >= 1000 && size < 1e5) return signed(value.toFixed(0));
  return signed(size >= 1e5 || (value !== 0 && size < 1e-3) ? value.toExponential(2) : value.toPrecision(3));
}

/** With `digits` decimals. */
export function fixedText(value: number, digits: number): string {
  return Number.isFinite(value) ? signed(value.toFixed(digits)) : numberText(value);
}

function signed(text: string): string {
  return text.replace('-', '−').replace('e+', 'e');
}
