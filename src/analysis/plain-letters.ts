/** Letters that Unicode does not decompose, and German umlauts. */
const LETTERS: readonly (readonly [letter: RegExp, text: string])[] = [
  [/ä/g, 'ae'],
  [/ö/g, 'oe'],
  [/ü/g, 'ue'],
  [/ß/g, 'ss'],
  [/Ä/g, 'Ae'],
  [/Ö/g, 'Oe'],
  [/Ü/g, 'Ue'],
  [/æ/g, 'ae'],
  [/œ/g, 'oe'],
  [/ø/g, 'o'],
  [/ł/g, 'l'],
  [/đ/g, 'd'],
];

/** A text with Latin letters without marks: `Größe` becomes `Groesse`. Other characters remain. */
export function plainLetters(text: string): string {
  let plain = text.normalize('NFC');
  for (const [letter, replacement] of LETTERS) plain = plain.replace(letter, replacement);
  return plain.normalize('NFKD').replace(/\p{M}/gu, '');
}
