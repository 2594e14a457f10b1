/** Names of variables from headings of columns. */
import { isVariableName } from '../analysis/data-block.js';

/** Letters that Unicode does not decompose, and German umlauts. */
const LETTERS: readonly (readonly [letter: RegExp, text: string])[] = [
  [/ä/g, 'ae'],
  [/ö/g, 'oe'],
  [/ü/g, 'ue'],
  [/ß/g, 'ss'],
  [/æ/g, 'ae'],
  [/œ/g, 'oe'],
  [/ø/g, 'o'],
  [/ł/g, 'l'],
  [/đ/g, 'd'],
];

/**
 * Valid and distinct names of Stan variables for headings, by heading. A heading that consists of letters and digits keeps its spelling;
 * `Größe (cm)` becomes `groesse_cm`.
 */
export function variableNames(headings: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const heading of headings) {
    const name = variableName(heading, names.size + 1);
    let free = name;
    for (let k = 2; taken.has(free); k++) free = `${name}_${k}`;
    taken.add(free);
    names.set(heading, free);
  }
  return names;
}

function variableName(heading: string, position: number): string {
  const text = heading.trim();
  let plain = /^[\w .-]*$/.test(text) ? text : text.normalize('NFC').toLowerCase();
  for (const [letter, replacement] of LETTERS) plain = plain.replace(letter, replacement);
  plain = plain
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  if (plain === '') return `x_${position}`;
  const begun = /^[A-Za-z]/.test(plain) ? plain : `x_${plain}`;
  return isVariableName(begun) ? begun : `${begun}_value`;
}
