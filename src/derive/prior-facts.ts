import { check } from '../check/check.js';
import { FUNCTIONS } from '../functions/table.js';
import { parse } from '../syntax/parse.js';
import { parametersWithoutPrior } from './derived-prior.js';
import { likelihoodStatements } from './likelihood-terms.js';
import type { ProgramText } from './program-text.js';
import { type SuggestedPrior, suggestedPriors } from './suggested-priors.js';

/** What a program states about its prior and its likelihood. */
export interface PriorFacts {
  /** Unbounded parameters without a prior. */
  readonly withoutPrior: readonly string[];
  /** Statements that give some of these a prior. */
  readonly suggested: readonly SuggestedPrior[];
  /** Whether no statement conditions on data, so that draws represent the prior. */
  readonly isPrior: boolean;
}

const UNKNOWN: PriorFacts = { withoutPrior: [], suggested: [], isPrior: false };

/** Nothing is known if the likelihood cannot be separated from the prior, or if the program has errors. */
export function priorFacts({ includes, name, text }: ProgramText): PriorFacts {
  const parsed = parse({ name, text }, new Map(Object.entries(includes)));
  if (!('program' in parsed)) return UNKNOWN;
  const found = check(parsed.program, FUNCTIONS);
  if (!('program' in found)) return UNKNOWN;
  const likelihood = likelihoodStatements(found.program, FUNCTIONS);
  if (likelihood.kind === 'unclear') return UNKNOWN;
  const withoutPrior = parametersWithoutPrior(found.program, likelihood.statements).map((flat) => flat.name);
  return {
    withoutPrior,
    suggested: suggestedPriors(found.program, withoutPrior),
    isPrior: likelihood.statements.length === 0,
  };
}
