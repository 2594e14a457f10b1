/** Comparison of results of `leapfrog evidence --format json`. */
import { printData, printProblem } from '../../node/standard-streams.js';
import { compareEvidence, type EvidenceCompared, type FitWithEvidence } from '../../studies/evidence-comparison.js';
import { CommandError } from '../errors.js';
import { modelTable } from '../tables/tables.js';

export function isEvidence(value: unknown): value is Omit<FitWithEvidence, 'name' | 'prior'> {
  if (typeof value !== 'object' || value === null || !('logEvidence' in value) || !('standardError' in value))
    return false;
  const { logEvidence, standardError } = value;
  const others = 'observed' in value && Array.isArray(value.observed) && 'ok' in value && typeof value.ok === 'boolean';
  return others && typeof logEvidence === 'number' && typeof standardError === 'number';
}

/** Probabilities in a list. */
export function readPriors(text: string, count: number): readonly number[] {
  const priors = text.split(',').map((each) => (each.trim() === '' ? Number.NaN : Number(each)));
  if (priors.length === count && priors.every((prior) => prior > 0 && Number.isFinite(prior))) return priors;
  throw new CommandError(`error: --prior must be ${count} positive numbers, separated by commas, one per model`);
}

export function printEvidenceComparison(fits: readonly FitWithEvidence[], format: string, digits: number): void {
  const { cautions, models } = compareEvidence(fits);
  for (const caution of cautions) printProblem(`note: ${caution}\n`);
  printData(modelTable(HEADINGS, models, cells, { digits, format }));
}

const HEADINGS = ['log_evidence', 'se', 'log_bayes_factor', 'se_diff', 'prior', 'posterior'];

function cells(compared: EvidenceCompared, text: (value: number) => string): string[] {
  const { bayesFactorError, logBayesFactor, logEvidence, name, posterior, prior, standardError } = compared;
  return [name, ...[logEvidence, standardError, logBayesFactor, bayesFactorError, prior, posterior].map(text)];
}
