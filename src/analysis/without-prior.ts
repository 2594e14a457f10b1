import { check } from '../check/check.js';
import { FUNCTIONS } from '../functions/table.js';
import { parse } from '../syntax/parse.js';
import { parametersWithoutPrior } from './derived-prior.js';
import { likelihoodStatements } from './likelihood-terms.js';
import type { ProgramText } from './program-text.js';

/** Unbounded parameters without a prior; empty if the likelihood cannot be separated from the prior, or the program has errors. */
export function withoutPrior({ includes, name, text }: ProgramText): readonly string[] {
  const parsed = parse({ name, text }, new Map(Object.entries(includes)));
  if (!('program' in parsed)) return [];
  const found = check(parsed.program, FUNCTIONS);
  if (!('program' in found)) return [];
  const likelihood = likelihoodStatements(found.program, FUNCTIONS);
  if (likelihood.kind === 'unclear') return [];
  return parametersWithoutPrior(found.program, likelihood.statements).map((flat) => flat.name);
}
