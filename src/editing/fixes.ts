/**
 * Fixes of an error at its location. A fix is offered only if the program then has no errors, or has its first error
 * later.
 */
import { check } from '../check/check.js';
import { edited, type ProgramText } from '../derive/program-text.js';
import type { FunctionSignatures } from '../language/overloads.js';
import type { Diagnostic } from '../source/diagnostic.js';
import type { Program } from '../syntax/ast.js';
import { parse } from '../syntax/parse.js';
import type { Fix } from './fix.js';
import { redeclarations } from './redeclaring.js';
import { divisions, misspellings, semanticFixes, syntaxFixes } from './usual-errors.js';

/** Fixes of an error or a warning from the analysis of a program. `tree`: the parsed program, if it can be parsed. */
export function fixesOf(
  found: Diagnostic,
  source: ProgramText,
  tree: Program | undefined,
  functions: FunctionSignatures,
): readonly Fix[] {
  if (found.severity === 'warning') return tree === undefined ? [] : divisions(found, tree);
  const candidates =
    tree === undefined
      ? syntaxFixes(found)
      : [...semanticFixes(found), ...misspellings(found, functions), ...redeclarations(found, tree)];
  return candidates.filter(({ edits }) => isFixed(found, edited(source, edits), functions));
}

/** Whether a program has no error up to the location of an earlier error. */
function isFixed({ kind, span: { begin } }: Diagnostic, changed: ProgramText, functions: FunctionSignatures): boolean {
  const parsed = parse({ name: changed.name, text: changed.text }, new Map(Object.entries(changed.includes)));
  if ('program' in parsed && kind !== 'semantic') return true;
  const next = 'program' in parsed ? check(parsed.program, functions) : parsed;
  if ('program' in next) return true;
  const error = next.diagnostics.find(({ severity }) => severity === 'error');
  return error !== undefined && error.span.begin.file.name === begin.file.name && isLater(error.span.begin, begin);
}

interface Offset {
  readonly file: { readonly text: string };
  readonly offset: number;
}

/**
 * Whether a location is closer to the end of its file than an earlier location was to the end of the earlier version of
 * the file.
 */
function isLater(now: Offset, before: Offset): boolean {
  return now.file.text.length - now.offset < before.file.text.length - before.offset;
}
