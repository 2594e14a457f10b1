/** Dates as people write them: 2024-03-01, 01.03.2024, 03/01/2024, 1 March 2024, March 1, 2024; with or without a time. */

const DAY = 86_400_000;

const TIME = String.raw`(?:[T,\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([ap])?\.?(?:m\.?)?\s*(Z|UTC|(?:GMT|UTC)?[+-]\d{1,2}(?::?\d{2})?|GMT)?)?$`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${TIME}`, 'i');
const YEAR_LAST = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})${TIME}`, 'i');
const DAY_NAMED = new RegExp(
  String.raw`^(\d{1,2})(?:st|nd|rd|th|er|\.)?[\s-]*(?:de\s+)?(\p{L}{3,})\.?[\s,-]*(?:de\s+)?(\d{4}|\d{2})${TIME}`,
  'iu',
);
const MONTH_NAMED = new RegExp(String.raw`^(\p{L}{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})${TIME}`, 'iu');
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so)\p{L}{0,8}\.?,?\s+(?=[\p{L}\d])/iu;

/** Beginnings of the names of the months in English, German, French and Spanish, without accents. */
const MONTHS: readonly RegExp[] = [
  /^(?:ja[nen]|ene)/,
  /^(?:f[ebv]|feb)/,
  /^(?:mar|mae|maerz|mrz)/,
  /^(?:apr|avr|abr)/,
  /^(?:ma[iy])/,
  /^(?:jun|juin)/,
  /^(?:jul|juil)/,
  /^(?:aug|aou|ago)/,
  /^(?:sep)/,
  /^(?:o[ck]t)/,
  /^(?:nov)/,
  /^(?:de[zc])/,
];

/** A date, with the other one that it denotes if its day and its month are exchanged. */
export interface DateReading {
  /** Days since 1970-01-01; undefined if the order of day and month makes it invalid. */
  readonly dayFirst: number | undefined;
  readonly monthFirst: number | undefined;
}

/** The date of a cell; undefined if it is none. */
export function dateOf(cell: string): DateReading | undefined {
  if (cell.length < 6 || cell.length > 40 || !/\d/.test(cell)) return undefined;
  const text = /^\p{L}/u.test(cell) ? cell.replace(WEEKDAY, '') : cell;
  const iso = YEAR_FIRST.exec(text);
  if (iso !== null) return same(daysOf(iso[1], iso[3], iso[4], iso.slice(5)));
  const last = YEAR_LAST.exec(text);
  if (last !== null) {
    const [, first, separator, second, year, ...time] = last;
    const dayFirst = daysOf(year, second, first, time);
    const monthFirst = separator === '.' ? dayFirst : daysOf(year, first, second, time);
    return dayFirst === undefined && monthFirst === undefined ? undefined : { dayFirst, monthFirst };
  }
  const day = DAY_NAMED.exec(text);
  if (day !== null) return same(daysOf(day[3], monthOf(day[2]), day[1], day.slice(4)));
  const month = MONTH_NAMED.exec(text);
  return month === null ? undefined : same(daysOf(month[3], monthOf(month[1]), month[2], month.slice(4)));
}

/** A date as `2024-03-01`. */
export function dateText(days: number): string {
  return new Date(days * DAY).toISOString().slice(0, 10);
}

function same(days: number | undefined): DateReading | undefined {
  return days === undefined ? undefined : { dayFirst: days, monthFirst: days };
}

function monthOf(name: string): string {
  const plain = name.toLowerCase().replace('ä', 'ae').normalize('NFKD').replace(/\p{M}/gu, '');
  return `${MONTHS.findIndex((pattern) => pattern.test(plain)) + 1}`;
}

/** Two digits are a year from 1970 to 2069. */
function fullYear(year: string): number {
  if (year.length > 2) return Number(year);
  return Number(year) + (Number(year) < 70 ? 2000 : 1900);
}

function daysOf(year: string, month: string, day: string, time: readonly (string | undefined)[]): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(fullYear(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const [hours = '0', minutes = '0', seconds = '0', half, zone] = time;
  const offset = half === undefined ? 0 : (half.toLowerCase() === 'p' ? 12 : 0) - (Number(hours) === 12 ? 12 : 0);
  const clock = (Number(hours) + offset) * 60 + Number(minutes) - zoneMinutes(zone);
  return (date.getTime() + clock * 60_000 + Number(seconds) * 1000) / DAY;
}

/** Minutes east of Greenwich. */
function zoneMinutes(zone: string | undefined): number {
  const [, sign, hours, minutes = '0'] = /([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(zone ?? '') ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
