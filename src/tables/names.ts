/** Names of variables from headings of columns. */
import { isVariableName } from '../derive/data-block.js';
import { plainLetters } from '../derive/plain-letters.js';

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
  const plain = plainLetters(/^[\w .-]*$/.test(text) ? text : text.toLowerCase())
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  if (plain === '') return `x_${position}`;
  const begun = /^[A-Za-z]/.test(plain) ? plain : `x_${plain}`;
  return isVariableName(begun) ? begun : `${begun}_value`;
}
