/** Names and numbers in sentences. */

const MOST_LISTED = 5;

/** The first few names, with their values, which are beyond `limit` and are rounded so that they show it. */
export function listed(concerns: readonly { readonly name: string; readonly value: number }[], limit?: number): string {
  return named(concerns.map(({ name, value }) => ({ name: `${name} (${roundedBeyond(value, limit)})` })));
}

export function named(things: readonly { readonly name: string }[]): string {
  const names = things.slice(0, MOST_LISTED).map(({ name }) => name);
  const more = things.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}

export function percent(count: number, of: number): string {
  return `${rounded((100 * count) / of)} %`;
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
