/** Values of a program's variables, as JavaScript values. */
import { writeJson } from '../formats/json.js';

/** A value of Stan's JSON data format. Numbers may be NaN or infinite, and arrays may be typed. */
export type StanValue =
  | number
  | string
  | Float64Array
  | Float32Array
  | Int32Array
  | readonly StanValue[]
  | { readonly [name: string]: StanValue };

/** Values of variables by name. */
export type Variables = Readonly<Record<string, StanValue>>;

/** Values as a JSON array for the data reader. */
export function valuesText(values: readonly StanValue[]): string {
  return writeJson(values, 'string');
}

/** Variables, or a list of them, as JSON text for the data reader. */
export function variablesText(variables: Variables | readonly Variables[]): string {
  return writeJson(variables, 'string');
}
