/** Numbers for people, in one language: with its decimal mark and a true minus sign. Code and files have a decimal point instead. */
export interface Numerals {
  /** At most `digits` significant digits, 4 by default, without trailing zeros: for axes, labels and sentences. */
  readonly short: (value: number, digits?: number) => string;
  /** With a number of decimals; a dash for NaN. */
  readonly fixed: (value: number, decimals: number) => string;
  /** Three significant digits, or all digits before the decimal mark: for columns of tables. A dash for NaN. */
  readonly column: (value: number) => string;
}

/** `decimal` returns the decimal mark of the current language. */
export function numeralsOf(decimal: () => string): Numerals {
  const written = (text: string) => text.replaceAll('-', '−').replace('e+', 'e').replace('.', decimal());
  const notFinite = (value: number, unknown: string) => (Number.isNaN(value) ? unknown : value > 0 ? '∞' : '−∞');
  return {
    short: (value, digits = 4) => {
      if (!Number.isFinite(value)) return notFinite(value, 'NaN');
      const size = Math.abs(value);
      const isUsual = size === 0 || (size >= 1e-4 && size < 1e6);
      if (isUsual) return written(`${Number(value.toPrecision(digits))}`);
      return written(value.toExponential(Math.max(0, digits - 2)).replace(/\.?0+e/, 'e'));
    },
    fixed: (value, decimals) =>
      Number.isFinite(value) ? written(withoutSignOfZero(value.toFixed(decimals))) : notFinite(value, '–'),
    column: (value) => {
      if (!Number.isFinite(value)) return notFinite(value, '–');
      const size = Math.abs(value);
      if (size >= 1000 && size < 1e5) return written(value.toFixed(0));
      return written(size >= 1e5 || (size !== 0 && size < 1e-3) ? value.toExponential(2) : value.toPrecision(3));
    },
  };
}

/** `-0.00` is 0. */
function withoutSignOfZero(text: string): string {
  return Number(text) === 0 ? text.replace('-', '') : text;
}

/** With a decimal point. */
export const ENGLISH_NUMERALS = numeralsOf(() => '.');
