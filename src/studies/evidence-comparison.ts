/** Comparison of models by their log evidences, which requires that they predict the same outcomes. */

import { type Statement, write } from '../base/statement.js';
import { differenceOfOutcomes, requireComparable } from '../fits/comparison.js';
import { modelProbabilities } from '../inference/evidence/model-probabilities.js';
import type { LogEvidence } from './evidence.js';
import { EVIDENCE_CAUTIONS } from './evidence-sentences.js';

/** A fit with its name in the comparison. */
export interface FitWithEvidence extends Pick<LogEvidence, 'logEvidence' | 'standardError' | 'observed' | 'ok'> {
  readonly name: string;
  /** Probability of the model before the data, up to a common factor; 1 by default. */
  readonly prior?: number;
}

/** A model compared with the one that has the greatest evidence. */
export interface EvidenceCompared {
  readonly name: string;
  readonly logEvidence: number;
  readonly standardError: number;
  /** `logEvidence` minus that of the best model: the logarithm of the Bayes factor in favor of this model. */
  readonly logBayesFactor: number;
  /** Monte Carlo standard error of `logBayesFactor`; 0 for the best model. */
  readonly bayesFactorError: number;
  /** Probability of the model before the data. */
  readonly prior: number;
  /** Probability of the model given the data. */
  readonly posterior: number;
}

export interface EvidenceComparison {
  /** Models, the one with the greatest evidence first. */
  readonly models: readonly EvidenceCompared[];
  /** Cautions about the reliability of the numbers, one sentence each. */
  readonly cautions: readonly string[];
  /** The cautions as data, for translation. */
  readonly statements: readonly Statement[];
}

/** Bayes factors and probabilities of models. Priors must be finite and positive. Throws `IncomparableFits`. */
export function compareEvidence(fits: readonly FitWithEvidence[]): EvidenceComparison {
  requireComparable(fits, (first, other) => differenceOfOutcomes(first, other, true));
  const ranked = fits.toSorted((a, b) => b.logEvidence - a.logEvidence);
  const [best] = ranked;
  const prior = ranked.map((fit) => fit.prior ?? 1);
  const total = prior.reduce((sum, value) => sum + value, 0);
  const posterior = modelProbabilities(
    ranked.map(({ logEvidence }) => logEvidence),
    prior,
  );
  const models = ranked.map(({ logEvidence, name, standardError }, k) => ({
    name,
    logEvidence,
    standardError,
    logBayesFactor: logEvidence - best.logEvidence,
    bayesFactorError: k === 0 ? 0 : Math.hypot(standardError, best.standardError),
    prior: prior[k] / total,
    posterior: posterior[k],
  }));
  const statements = [
    ...caution(
      'evidenceDoubtful',
      ranked.filter(({ ok }) => !ok),
    ),
    ...caution(
      'evidenceUnmatched',
      ranked.filter(({ observed }) => observed.length === 0),
    ),
  ];
  return { models, statements, cautions: statements.map((each) => write(EVIDENCE_CAUTIONS, [each])) };
}

function caution(
  key: keyof typeof EVIDENCE_CAUTIONS,
  fits: readonly FitWithEvidence[],
): Statement<keyof typeof EVIDENCE_CAUTIONS>[] {
  return fits.length === 0 ? [] : [{ key, values: { names: fits.map(({ name }) => name).join(', ') } }];
}
