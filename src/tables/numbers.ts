/** Numbers as people write them: decimal commas, thousands separators, percent and currency signs, units. */

export type DecimalMark = '.' | ',';

const PLAIN = /^[+-]?\d+(?:\.\d+)?$/;
const PLAIN_COMMA = /^[+-]?\d+,\d+$/;

/** Digits in groups of three with the same separator (or in groups as in India), then decimals and an exponent. */
const GROUPED: Readonly<Record<DecimalMark, RegExp>> = {
  '.': /^([+-]?)(\d+|[1-9]\d{0,2}([,'’ \u00a0\u202f])\d{3}(?:\3\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3})?(?:\.(\d*))?(e[+-]?\d+)?$/i,
  ',': /^([+-]?)(\d+|[1-9]\d{0,2}([.'’ \u00a0\u202f])\d{3}(?:\3\d{3})*)?(?:,(\d*))?(e[+-]?\d+)?$/i,
};

/** The number that a text without signs of currency denotes; undefined if it is none. */
export function numberOf(text: string, mark: DecimalMark): number | undefined {
  if (PLAIN.test(text) && (mark === '.' || !text.includes('.'))) return Number(text);
  if (mark === ',' && PLAIN_COMMA.test(text)) return Number(text.replace(',', '.'));
  const match = GROUPED[mark].exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', , decimals = '', exponent = ''] = match;
  if (whole === '' && decimals === '') return undefined;
  return Number(`${sign}${whole.replace(/\D/g, '') || '0'}.${decimals || '0'}${exponent}`);
}

const DECIMAL = /^[+-]?(\d+)([.,])(\d+)$/;

/** The decimal mark of a number that no other mark could explain, such as `171,5`; undefined for all other cells. */
export function decimalMarkOf(cell: string): DecimalMark | undefined {
  const match = DECIMAL.exec(cell);
  // Three digits may be a group of an integer.
  if (match === null || (match[3].length === 3 && match[1].length < 4 && !match[1].startsWith('0'))) return undefined;
  return match[2] === '.' ? '.' : ',';
}

/** A cell without its signs, and these: a currency, a percent sign or a unit. */
interface Signed {
  readonly text: string;
  readonly sign: string;
  /** Whether the sign does not change the number. */
  readonly isCurrency: boolean;
}

const CURRENCY = '[$€£¥₹₽₺₩]|US\\$|R\\$|(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|Fr\\.)(?![A-Za-z])|kr|zł|Kč';
const BEFORE = new RegExp(`^([+-]?)\\s*(${CURRENCY})\\s*([+-]?)`);
const AFTER_CURRENCY = new RegExp(`\\s*(${CURRENCY})$`);
/** A percent sign, or a unit of at most eight characters. */
const AFTER = /(\d)\s*(%|[\p{L}°µ][\p{L}°µ²³/*·.\d-]{0,7})$/u;

/** Separates the signs of a cell from its digits; resolves typographic and trailing minus signs and parentheses of accountants. */
export function withoutSigns(cell: string): Signed {
  let text = cell.replace(/[−–](?=[\d.,$€£])/g, '-');
  const negative = /^\((.+)\)$/.exec(text) ?? /^(.*\d)-$/.exec(text);
  if (negative !== null) text = `-${negative[1]}`;
  const before = BEFORE.exec(text);
  if (before !== null)
    return { text: `${before[1]}${before[3]}${text.slice(before[0].length)}`, sign: before[2], isCurrency: true };
  const currency = AFTER_CURRENCY.exec(text);
  if (currency !== null) return { text: text.slice(0, currency.index), sign: currency[1], isCurrency: true };
  const after = AFTER.exec(text);
  if (after === null || /^e\d+$/i.test(after[2])) return { text, sign: '', isCurrency: false };
  return { text: text.slice(0, after.index + 1), sign: after[2], isCurrency: false };
}
