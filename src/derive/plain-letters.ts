/** Letters that Unicode does not decompose, and German umlauts. */
const LETTERS: readonly (readonly [letter: string, text: string])[] = [
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
  ['ß', 'ss'],
  ['Ä', 'Ae'],
  ['Ö', 'Oe'],
  ['Ü', 'Ue'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
];

/** A text with Latin letters without marks: `Größe` becomes `Groesse`. Other characters remain. */
export function plainLetters(text: string): string {
  let plain = text.normalize('NFC');
  for (const [letter, replacement] of LETTERS) plain = plain.replaceAll(letter, replacement);
  return plain.normalize('NFKD').replace(/\p{M}/gu, '');
}
