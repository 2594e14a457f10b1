/** Values as JSON text. */
import { type NonFinite, numberText } from './numbers.js';

/**
 * The JSON text of a plain value. Finite doubles round-trip exactly; non-finite ones are written in the given style. Undefined members are
 * omitted; typed arrays are written as arrays.
 */
export function writeJson(value: unknown, style: NonFinite): string {
  if (typeof value === 'number') return numberText(value, style);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value) || isNumbers(value)) {
    return `[${Array.from(value, (element: unknown) => writeJson(element, style)).join(',')}]`;
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member, style)}`);
  return `{${members.join(',')}}`;
}

function isNumbers(value: object): value is Float64Array | Float32Array | Int32Array {
  return value instanceof Float64Array || value instanceof Float32Array || value instanceof Int32Array;
}
