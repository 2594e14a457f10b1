/** Names and numbers in sentences. */
import { type Named, named } from '../../sentences/statement.js';

export function namesOf(things: readonly { readonly name: string }[]): Named {
  return named(things.map(({ name }) => name));
}

/** Names with their values, which are beyond `limit` and are rounded so that they show it. */
export function listed(things: readonly { readonly name: string; readonly value: number }[], limit?: number): Named {
  return named(things.map(({ name, value }) => `${name} (${roundedBeyond(value, limit)})`));
}

export function percent(count: number, of: number): string {
  return rounded((100 * count) / of);
}

/** Three significant digits, or more if needed to differ from the limit: beside the limit 1.01, 1.0104 is printed as "1.0104". */
export function roundedBeyond(value: number, limit: number | undefined): string {
  let digits = 3;
  while (digits < 17 && value !== limit && Number(value.toPrecision(digits)) === limit) digits++;
  return `${Number(value.toPrecision(digits))}`;
}

/** Three significant digits, without an exponent for numbers of ordinary size. */
export function rounded(value: number): string {
  return `${Number(value.toPrecision(3))}`;
}
