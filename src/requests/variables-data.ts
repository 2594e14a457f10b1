import { type JsonData, Real, type StanJson } from '../formats/stan-json.js';
import type { Variables } from './variables.js';

/** Converts variables to the form that the data reader returns, without writing and reading JSON text. */
export function variablesData(variables: Variables): JsonData {
  return membersOf(variables);
}

function membersOf(value: object): JsonData {
  const members: { [name: string]: StanJson } = Object.create(null);
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members[name] = jsonOf(member);
  }
  return members;
}

function jsonOf(value: unknown): StanJson {
  if (typeof value === 'number') return isWrittenAsInteger(value) ? value : new Real(value);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (value instanceof Float64Array || value instanceof Float32Array || value instanceof Int32Array) {
    return numbersOf(value);
  }
  if (!Array.isArray(value)) return membersOf(value);
  return value.every((element) => typeof element === 'number') ? numbersOf(value) : value.map(jsonOf);
}

/** Integers become plain numbers, which may be assigned to an `int`, unless one of the values is a real. */
function numbersOf(values: Float64Array | Float32Array | Int32Array | readonly number[]): StanJson {
  if (values.every(isWrittenAsInteger)) return Array.isArray(values) ? values : Array.from(values);
  return values instanceof Float64Array ? values : Float64Array.from(values);
}

/** Whether the number has neither a point nor an exponent as JSON text. */
function isWrittenAsInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 1e21;
}
