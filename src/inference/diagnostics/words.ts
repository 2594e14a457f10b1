/** Formatting of names and numbers in sentences. */
import { type Named, named } from '../../base/statement.js';

export function namesOf(things: readonly { readonly name: string }[]): Named {
  return named(things.map(({ name }) => name));
}

/** An enumeration of names with their values. The values violate `limit` and are rounded such that they still do. */
export function listed(things: readonly { readonly name: string; readonly value: number }[], limit?: number): Named {
  return named(things.map(({ name, value }) => `${name} (${roundedBeyond(value, limit)})`));
}

export function percent(count: number, of: number): string {
  return rounded((100 * count) / of);
}

/** Rounds to three significant digits, or to more if needed to differ from the limit: for the limit 1.01, 1.0104 is printed as "1.0104". */
export function roundedBeyond(value: number, limit: number | undefined): string {
  let digits = 3;
  while (digits < 17 && value !== limit && Number(value.toPrecision(digits)) === limit) digits++;
  return `${Number(value.toPrecision(digits))}`;
}

/** Rounds to three significant digits, without an exponent for numbers of moderate size. */
export function rounded(value: number): string {
  return `${Number(value.toPrecision(3))}`;
}
