/**
 * Formats texts as an English list: "a, b and c". Does not use `Intl.ListFormat`, because loading the data of all locales takes 11 ms of
 * processor time.
 */
export function enumeration(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`;
}
