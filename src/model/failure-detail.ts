import type { Stretch } from '../wasm/artifact.js';

/** What can be wrong with the value of a variable in data or in initial values. */
const VALUE_CODES = [
  'missing-variable',
  'wrong-size',
  'not-integer',
  'integer-out-of-range',
  'ragged-array',
  'not-a-number',
] as const;

/** The codes of failures at run time: docs/diagnostics.md. */
export const FAILURE_CODES = [
  'data-syntax',
  ...VALUE_CODES,
  'rejection',
  'program-error',
  'out-of-memory',
  'recursion',
  'invalid-input',
  'run-failed',
  'unwritable-file',
] as const;

export type FailureCode = (typeof FAILURE_CODES)[number];

/** A wrong value of a variable. */
export interface ValueFault {
  readonly code: (typeof VALUE_CODES)[number];
  readonly input: 'data' | 'init';
  readonly variable: string;
  /** The declared sizes and those of the value, for `wrong-size`. */
  readonly declared?: readonly number[];
  readonly found?: readonly number[];
}

/** A failure as data, in the names of JSON responses. */
export interface FailureDetail extends Partial<Omit<ValueFault, 'code' | 'input'>> {
  readonly code: FailureCode;
  /** The input that is wrong: the data or the name of another input. */
  readonly input?: string;
  /** The location in the program, or in the text of the data for `data-syntax`. Lines count from 1, and columns of programs from 0. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly end_line?: number;
  readonly end_column?: number;
}

/** The location of a statement; empty if it is unknown. */
export function locationOf(place: Stretch | undefined): Pick<FailureDetail, 'file' | 'line' | 'column'> {
  if (place === undefined || place.begin === null) return {};
  const { column, file, line } = place.begin;
  const { end } = place;
  return { file, line, column, ...(end !== null && { end_line: end.line, end_column: end.column }) };
}
