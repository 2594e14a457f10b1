import type { Term } from './outline.js';

/** Formats a computed number like stanc: reals have 15 digits if these determine the number, otherwise 17, and always a point. */
export function numberOf(value: number, isInt: boolean): string {
  if (isInt) return String(value === 0 ? 0 : value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  const short = inDigits(value, 15);
  const text = Number(short) === value ? short : inDigits(value, 17);
  return /^-?\d+$/.test(text) ? `${text}.` : text;
}

/** The form `%.<digits>g` of C. */
function inDigits(value: number, digits: number): string {
  const [mantissa, exponentText] = value.toExponential(digits - 1).split('e');
  const exponent = Number(exponentText);
  const trimmed = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  if (exponent >= -4 && exponent < digits) return trimmed(value.toFixed(Math.max(0, digits - 1 - exponent)));
  const sign = exponent < 0 ? '-' : '+';
  return `${trimmed(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

export interface NumberTerm {
  readonly value: number;
  /** The form in which warnings show it. */
  readonly text: string;
}

/** The value of a term that is a number, with signs and promotions. */
export function asNumber(term: Term): NumberTerm | undefined {
  switch (term.kind) {
    case 'promoted':
      return asNumber(term.inner);
    case 'int':
    case 'real':
      return { value: Number(term.text), text: term.text };
    case 'call': {
      if (term.callee.kind !== 'library' || term.callee.name !== '-x') return undefined;
      const number = asNumber(term.arguments[0]);
      return number && { value: -number.value, text: `-${number.text}` };
    }
    default:
      return undefined;
  }
}
