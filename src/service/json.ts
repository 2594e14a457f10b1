import { type NonFinite, numberText } from '../messages/numbers.js';

export const nonFiniteStyles: readonly NonFinite[] = ['string', 'literal', 'null'];

/** The style that a query asks for; an unknown one is left for validation to refuse. */
export function nonFiniteStyle(query: unknown, otherwise: NonFinite): NonFinite {
  const asked = typeof query === 'object' && query !== null && 'nonfinite' in query ? query.nonfinite : undefined;
  return nonFiniteStyles.find((style) => style === asked) ?? otherwise;
}

/**
 * The JSON text of a plain value. Finite doubles are read back to the bit, the others have the style given. Members that are
 * undefined are left out; a `Float64Array` is an array.
 */
export function writeJson(value: unknown, style: NonFinite): string {
  if (typeof value === 'number') return numberText(value, style);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (value instanceof Float64Array || Array.isArray(value)) {
    return `[${Array.from(value, (element: unknown) => writeJson(element, style)).join(',')}]`;
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member, style)}`);
  return `{${members.join(',')}}`;
}
