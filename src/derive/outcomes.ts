import { check } from '../check/check.js';
import { FUNCTIONS } from '../functions/table.js';
import { parse } from '../syntax/parse.js';
import { likelihoodTerms } from './likelihood-terms.js';
import { isUnclear } from './observed.js';
import type { ProgramText } from './program-text.js';

/**
 * The data variables that are outcomes of a program's likelihood; undefined if they cannot be derived or if the program
 * has errors.
 */
export function outcomesOf({ includes, name, text }: ProgramText): readonly string[] | undefined {
  const parsed = parse({ name, text }, new Map(Object.entries(includes)));
  if (!('program' in parsed)) return undefined;
  const found = check(parsed.program, FUNCTIONS);
  if (!('program' in found)) return undefined;
  const terms = likelihoodTerms(found.program, FUNCTIONS);
  return isUnclear(terms) ? undefined : [...new Set(terms.map(({ variable }) => variable))];
}
