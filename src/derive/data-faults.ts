/** Checks data against the data block: types, sizes and bounds of all variables, without compiling the program. */
import { type Statement, write } from '../base/statement.js';
import { spanText } from '../source/span.js';
import type { Constraint, Expression, Program, SizedType } from '../syntax/ast.js';
import { evaluate, type Values } from './data-arithmetic.js';

/** Data in the structure of JSON, with numbers in place of strings such as "NaN". */
export type DataValue =
  | null
  | boolean
  | string
  | number
  | Float64Array
  | readonly DataValue[]
  | { readonly [name: string]: DataValue };

export type DataValues = { readonly [name: string]: DataValue };

export interface DataFault {
  /** The data variable. */
  readonly name: string;
  readonly message: string;
  /** The message, for translation. */
  readonly statement: Fault;
}

type Fault = Statement<keyof typeof DATA_SENTENCES>;

const FOUND =
  '{found, select, list {a list} object {an object} number {a single number} text {the text {value}} other {{value}}}';

/** The sentences of faults in English. `at` is a variable or one of its elements. */
export const DATA_SENTENCES = {
  notAnObject: '{at} must be an object with the members "1", "2", ….',
  noMember: '{at} has no member "{member}".',
  notAList: `{at} is ${FOUND}, but the program declares a list.`,
  otherSize:
    '{at} has {count, plural, one {{count} element} other {{count} elements}}, but the program declares {declared}.',
  notANumber: `{at} is ${FOUND}, but the program declares a number.`,
  notAnInt: `{at} is ${FOUND}, but the program declares an integer.`,
  notInteger: '{at} is not an integer, but the program declares it as int.',
  tooLow: '{at} is {value}, but must be at least {limit}.',
  tooHigh: '{at} is {value}, but must be at most {limit}.',
} as const;

/**
 * At most one fault per variable, in the order of the data block. Missing variables are not reported. Sizes and bounds
 * are checked only if they are arithmetic expressions of data.
 */
export function dataFaults(program: Program, data: DataValues): readonly DataFault[] {
  const values: Values = (name) => (Object.hasOwn(data, name) ? numbersIn(data[name] ?? null) : undefined);
  const faults: DataFault[] = [];
  for (const statement of program.data?.statements ?? []) {
    if (statement.kind !== 'declaration') continue;
    for (const { name } of statement.variables) {
      const value = Object.hasOwn(data, name.name) ? data[name.name] : undefined;
      if (value === undefined) continue;
      const fault = faultOf(value, statement.type, name.name, values);
      if (fault !== undefined)
        faults.push({ name: name.name, message: write(DATA_SENTENCES, [fault]), statement: fault });
    }
  }
  return faults;
}

/** The first fault of a value. `path` is its name in the program, such as `y[2, 1]`. */
function faultOf(value: DataValue, type: SizedType, path: string, values: Values): Fault | undefined {
  switch (type.kind) {
    case 'tuple': {
      if (!isObject(value)) return { key: 'notAnObject', values: { at: path } };
      for (const [slot, element] of type.elements.entries()) {
        const key = `${slot + 1}`;
        const member = Object.hasOwn(value, key) ? value[key] : undefined;
        if (member === undefined) return { key: 'noMember', values: { at: path, member: key } };
        const fault = faultOf(member, element, `${path}.${key}`, values);
        if (fault !== undefined) return fault;
      }
      return undefined;
    }
    case 'array':
      return faultInList(value, type.sizes, path, [], values, (element, at) =>
        faultOf(element, type.element, at, values),
      );
    case 'vector':
    case 'row_vector':
    case 'matrix': {
      const sizes = 'rows' in type ? [type.rows, type.columns] : [type.size];
      const check = (element: DataValue, at: string) => faultOfNumber(element, 'real', type.constraint, at, values);
      return faultInList(value, sizes, path, [], values, check);
    }
    case 'int':
    case 'real':
      return faultOfNumber(value, type.kind, type.constraint, path, values);
    default:
      return undefined;
  }
}

/** The first fault in nested lists; `check` returns the fault of an innermost element at a path. */
function faultInList(
  value: DataValue,
  [size, ...others]: readonly Expression[],
  path: string,
  indices: readonly number[],
  values: Values,
  check: (element: DataValue, at: string) => Fault | undefined,
): Fault | undefined {
  const at = indices.length === 0 ? path : `${path}[${indices.join(', ')}]`;
  if (size === undefined) return check(value, at);
  const elements: readonly DataValue[] | Float64Array | undefined = isList(value) ? value : undefined;
  if (elements === undefined) return { key: 'notAList', values: { at, ...foundIn(value) } };
  const declared = evaluate(size, values);
  if (declared !== undefined && Number.isInteger(declared) && declared >= 0 && declared !== elements.length) {
    const named = size.kind === 'int' ? '' : ` (${spanText(size.span)})`;
    return { key: 'otherSize', values: { at, count: elements.length, declared: `${declared}${named}` } };
  }
  for (const [k, element] of elements.entries()) {
    const fault = faultInList(element, others, path, [...indices, k + 1], values, check);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isObject(value: DataValue): value is DataValues {
  return typeof value === 'object' && value !== null && !isList(value);
}

function isList(value: DataValue): value is readonly DataValue[] | Float64Array {
  return value instanceof Float64Array || Array.isArray(value);
}

function faultOfNumber(
  value: DataValue,
  kind: 'int' | 'real',
  constraint: Constraint,
  at: string,
  values: Values,
): Fault | undefined {
  const number = numberOf(value);
  if (number === undefined)
    return { key: kind === 'int' ? 'notAnInt' : 'notANumber', values: { at, ...foundIn(value) } };
  if (kind === 'int' && !Number.isInteger(number)) return { key: 'notInteger', values: { at } };
  const lower = 'lower' in constraint ? evaluate(constraint.lower, values) : undefined;
  const upper = 'upper' in constraint ? evaluate(constraint.upper, values) : undefined;
  if (lower !== undefined && number < lower) return { key: 'tooLow', values: { at, value: number, limit: lower } };
  if (upper !== undefined && number > upper) return { key: 'tooHigh', values: { at, value: number, limit: upper } };
  return undefined;
}

function numberOf(value: DataValue): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function numbersIn(value: DataValue): ReturnType<Values> {
  if (value instanceof Float64Array) return [...value];
  if (!Array.isArray(value)) return numberOf(value);
  const numbers = value.map(numberOf);
  return numbers.every((number) => number !== undefined) ? numbers : undefined;
}

/** The type of a value, and its text if that is short. */
function foundIn(value: DataValue): { readonly found: string; readonly value: string } {
  if (isList(value)) return { found: 'list', value: '' };
  if (typeof value === 'string') return { found: 'text', value: JSON.stringify(value) };
  if (typeof value === 'number') return { found: 'number', value: `${value}` };
  return isObject(value) ? { found: 'object', value: '' } : { found: 'other', value: `${value}` };
}
