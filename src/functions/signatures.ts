import type { Signature } from '../language/signature.js';
import type { Type } from '../language/types.js';
import { arrayOf } from '../language/types.js';

/**
 * A notation for families of signatures. `(array[N] T, int | real) => array[N] T where T = vector | matrix; N = 1..7` denotes the
 * signatures for all values of its variables and all choices of its alternatives. - Types are written as in Stan; `|` separates
 * alternatives of one argument. - `data ` before an argument states that it must not depend on parameters. - `reals` is
 * `real | array[] real | vector | row_vector`, `ints` is `int | array[] int`, `numbers` is both, `vectors` is
 * `vector | row_vector | array[] vector | array[] row_vector`, `matrices` is `vector | row_vector | matrix`, and `complex_matrices` is
 * their complex counterparts. - A capital letter is a variable. Inside `array[…]` it is a number of dimensions, 0 to 7 by default (`N+1` is
 * one more); elsewhere it is one of the types listed after `where`.
 */
export type Pattern = string;

/** The signatures of a function, computed on demand, and their patterns for documentation. */
export interface SignatureSource {
  (): readonly Signature[];
  readonly patterns: readonly Pattern[];
}

/** The signatures of `name` that the patterns describe. */
export function signaturesOf(name: string, patterns: readonly Pattern[]): SignatureSource {
  return Object.assign(() => patterns.flatMap((pattern) => expand(name, pattern)), { patterns });
}

/** The signatures of both sources. */
export function bothOf(first: SignatureSource, second: SignatureSource): SignatureSource {
  return Object.assign(() => [...first(), ...second()], { patterns: [...first.patterns, ...second.patterns] });
}

type ElementKind = Exclude<Type['kind'], 'array' | 'tuple' | 'function'>;

interface Term {
  readonly dimensions: { readonly variable: string | null; readonly plus: number };
  readonly element: string;
}

type Choice = number | Term;
type Assignment = ReadonlyMap<string, Choice>;

const DEFAULT_DEPTHS = Array.from({ length: 8 }, (_, n) => n);

const ABBREVIATIONS: Readonly<Record<string, string>> = {
  reals: 'real | array[] real | vector | row_vector',
  ints: 'int | array[] int',
  numbers: 'int | array[] int | real | array[] real | vector | row_vector',
  vectors: 'vector | row_vector | array[] vector | array[] row_vector',
  matrices: 'vector | row_vector | matrix',
  complex_matrices: 'complex_vector | complex_row_vector | complex_matrix',
};

const ELEMENTS: ReadonlyMap<string, Type> = new Map(
  (
    [
      'void',
      'int',
      'real',
      'complex',
      'vector',
      'row_vector',
      'matrix',
      'complex_vector',
      'complex_row_vector',
      'complex_matrix',
    ] as const satisfies readonly ElementKind[]
  ).map((kind) => [kind, { kind }]),
);

function expand(name: string, pattern: Pattern): Signature[] {
  const [head, where = ''] = pattern.split(' where ');
  const arrow = head.lastIndexOf('=>');
  const parameterText = head.slice(0, arrow).trim().slice(1, -1);
  const parts = splitOutsideBrackets(parameterText);
  const parameters = parts.map((part) => alternatives(part.replace(/^data /, '')));
  const [result] = alternatives(head.slice(arrow + 2));
  const out: Signature[] = [];
  for (const assignment of assignments(head, where)) {
    for (const choice of product(parameters)) {
      out.push({
        name,
        parameters: choice.map((term, k) => ({
          type: typeOf(term, assignment),
          level: parts[k].startsWith('data ') ? 'data' : 'autodiff',
        })),
        result: typeOf(result, assignment),
      });
    }
  }
  return out;
}

function splitOutsideBrackets(text: string): string[] {
  if (text.trim() === '') return [];
  return text.split(/,(?![^[]*\])/).map((part) => part.trim());
}

function alternatives(text: string): Term[] {
  return text.split('|').flatMap((part) => {
    const word = part.trim();
    const abbreviation = ABBREVIATIONS[word];
    return abbreviation === undefined ? [parseTerm(word)] : alternatives(abbreviation);
  });
}

function parseTerm(text: string): Term {
  const array = /^array\[([^\]]*)\]\s*(.+)$/.exec(text);
  if (array === null) return { dimensions: { variable: null, plus: 0 }, element: text };
  const [, dimensions, element] = array;
  const variable = /^([A-Z])(?:\+(\d))?$/.exec(dimensions);
  if (variable === null) return { dimensions: { variable: null, plus: dimensions.length + 1 }, element };
  return { dimensions: { variable: variable[1], plus: Number(variable[2] ?? 0) }, element };
}

function assignments(head: string, where: string): Assignment[] {
  const choices = new Map<string, readonly Choice[]>();
  for (const [, variable] of head.matchAll(/array\[([A-Z])/g)) choices.set(variable, DEFAULT_DEPTHS);
  for (const definition of where.split(';').filter((part) => part.trim() !== '')) {
    const [variable, values] = definition.split('=').map((part) => part.trim());
    const range = /^(\d)\.\.(\d)$/.exec(values);
    choices.set(variable, range === null ? alternatives(values) : depths(Number(range[1]), Number(range[2])));
  }
  const variables = [...choices.keys()];
  return product([...choices.values()]).map((values) => new Map(values.map((value, i) => [variables[i], value])));
}

function depths(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function product<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])), [[]]);
}

function typeOf(term: Term, assignment: Assignment): Type {
  const { variable, plus } = term.dimensions;
  const depth = variable === null ? 0 : assignment.get(variable);
  if (typeof depth !== 'number') throw new Error(`No number of dimensions for ${variable}`);
  const named = assignment.get(term.element);
  if (typeof named === 'object') return arrayOf(typeOf(named, assignment), depth + plus);
  const tuple = /^tuple\((.*)\)$/.exec(term.element);
  if (tuple !== null) {
    const elements = splitOutsideBrackets(tuple[1]).map((text) => typeOf(parseTerm(text), assignment));
    return arrayOf({ kind: 'tuple', elements }, depth + plus);
  }
  const element = ELEMENTS.get(term.element);
  if (element === undefined) throw new Error(`Unknown type ${term.element} in a signature pattern`);
  return arrayOf(element, depth + plus);
}

/** Elementwise over one argument of any shape; ints are promoted to reals. */
export const UNARY: readonly Pattern[] = [
  '(array[N] int) => array[N] real',
  '(array[N] T) => array[N] T where T = real | matrices',
];

/** Elementwise over two arguments of the same shape, or a scalar and any shape; reals only. */
export const BINARY_REAL: readonly Pattern[] = [
  '(real, real) => real',
  '(array[N] real, array[N] real) => array[N] real where N = 1..8',
  '(array[N] real, real) => array[N] real where N = 1..8',
  '(real, array[N] real) => array[N] real where N = 1..8',
  '(array[N] T, array[N] T) => array[N] T where T = matrices',
  '(array[N] T, real) => array[N] T where T = matrices',
  '(real, array[N] T) => array[N] T where T = matrices',
];

/** Elementwise over two arguments of the same shape, or a scalar and any shape; ints are promoted to reals. */
export const BINARY: readonly Pattern[] = [
  '(real | int, real | int) => real',
  '(array[N] T, array[N] T) => array[N] real where T = int | real; N = 1..8',
  '(array[N] T, int | real) => array[N] real where T = int | real; N = 1..8',
  '(int | real, array[N] T) => array[N] real where T = int | real; N = 1..8',
  '(array[N] T, array[N] T) => array[N] T where T = matrices',
  '(array[N] T, int | real) => array[N] T where T = matrices',
  '(int | real, array[N] T) => array[N] T where T = matrices',
];

/** Elementwise over an integer order and a real argument: scalar with any shape, or int arrays of the same shape. */
export const INT_THEN_REAL: readonly Pattern[] = [
  '(int, array[N] real) => array[N] real where N = 0..8',
  '(array[N] int, real) => array[N] real where N = 1..7',
  '(array[N] int, array[N] real) => array[N] real where N = 1..8',
  '(int, array[N] T) => array[N] T where T = matrices',
  '(array[N+1] int, array[N] T) => array[N] T where T = vector | row_vector',
  '(array[N+2] int, array[N] matrix) => array[N] matrix',
];

/** Like `INT_THEN_REAL` with the arguments exchanged. */
export const REAL_THEN_INT: readonly Pattern[] = [
  '(array[N] real, int) => array[N] real where N = 0..8',
  '(real, array[N] int) => array[N] real where N = 1..7',
  '(array[N] real, array[N] int) => array[N] real where N = 1..8',
  '(array[N] T, int) => array[N] T where T = matrices',
  '(array[N] T, array[N+1] int) => array[N] T where T = vector | row_vector',
  '(array[N] matrix, array[N+2] int) => array[N] matrix',
];

/** Elementwise over two ints with an int result. */
export const INT_AND_INT: readonly Pattern[] = [
  '(int, array[N] int) => array[N] int',
  '(array[N] int, int) => array[N] int where N = 1..7',
  '(array[N] int, array[N] int) => array[N] int where N = 1..7',
];
