/** Problems with data, with their locations in the JSON text. */

import type { RunError } from 'leapfrog';
import type { ProgramInfo, VariableInfo } from '#engine/analyze.js';
import { variableOf } from '#engine/formats/columns.js';
import { t } from '../words/messages.js';
import type { Place } from './member-places.js';
import type { Places, Scanned } from './scanning-data.js';

export interface DataProblem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Offsets in the text. */
  readonly from: number;
  readonly to: number;
}

/** Syntax errors, followed by variables that are missing or that the data block does not declare. */
export function dataProblems(
  text: string,
  scanned: Scanned,
  inputs: ProgramInfo['inputs'] | undefined,
): readonly DataProblem[] {
  if ('unreadable' in scanned) {
    const { from, to, unreadable } = scanned;
    return [{ severity: 'error', message: unreadable, from, to }];
  }
  if (inputs === undefined) return [];
  const { places } = scanned;
  const open = text.indexOf('{');
  const missing = Object.keys(inputs).filter((name) => !places.has(name));
  const unknown = [...places.keys()].filter((name) => !Object.hasOwn(inputs, name));
  return [
    ...missing.map((name): DataProblem => {
      const message = t('data.missing', { name, type: wordsFor(inputs[name]) });
      return { severity: 'error', message, from: Math.max(0, open), to: Math.max(0, open) + 1 };
    }),
    ...unknown.map((name): DataProblem => {
      const { from, to } = places.get(name) ?? { from: 0, to: text.length };
      return {
        severity: 'warning',
        message: t('data.unknown', { name }),
        from,
        to,
      };
    }),
  ];
}

/** The engine's error about data. */
export type DataError = Pick<RunError, 'detail' | 'message'>;

/** The data variable whose value is wrong, or the first one in the message of a failed check. */
export function wrongVariable({ detail, message }: DataError, names: readonly string[]): string | undefined {
  const { variable } = detail;
  return variable === undefined
    ? names.find((name) => new RegExp(`\\b${name}\\b`).test(message))
    : variableOf(variable);
}

/** The engine's error about the data, at a variable or at the beginning of the text. */
export function problemAt(text: string, places: Places, error: DataError, name: string | undefined): DataProblem {
  return problemOf(text, name === undefined ? undefined : places.get(name), inWords(error, name));
}

/** A problem at a location of the text, or at its beginning. */
export function problemOf(text: string, place: Place | undefined, message: string): DataProblem {
  const open = Math.max(0, text.indexOf('{'));
  return { severity: 'error', message, from: place?.from ?? open, to: place?.to ?? open + 1 };
}

/** The engine's error about a variable's size or type in the page's terms; other messages unchanged. */
function inWords({ detail, message }: DataError, name: string | undefined): string {
  if (name === undefined) return message;
  const { code, declared, found } = detail;
  if (declared !== undefined && found !== undefined) {
    const isList = found.length === 1 && declared.length === 1;
    return t('data.sizesDiffer', {
      name,
      found: sizeWords(found),
      declared: isList ? String(declared[0]) : sizeWords(declared),
    });
  }
  return code === 'not-integer' ? t('data.notInteger', { name }) : message;
}

function sizeWords(sizes: readonly number[]): string {
  if (sizes.length === 0) return t('data.singleValue');
  if (sizes.length > 1) return t('data.size', { sizes: sizes.join(' × ') });
  return t('data.elements', { count: Number(sizes[0]) });
}

/** The type of a variable as text, `an array of integers`. */
function wordsFor({ type, dimensions }: VariableInfo): string {
  if (typeof type !== 'string') return t('data.tuple');
  if (dimensions === 0) return t('data.scalar', { type });
  return dimensions === 1 ? t('data.list', { type }) : t('data.array', { type, dimensions });
}
