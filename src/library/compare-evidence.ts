import type { LogEvidence } from '../studies/evidence.js';
import { compareEvidence as compareFits, type EvidenceComparison } from '../studies/evidence-comparison.js';
import { RequestError } from './errors.js';

/**
 * Bayes factors and probabilities of several models of the same data, from the result of `Model.logEvidence` for each
 * model, by name. `priors` are the models' probabilities before the data, up to a common factor; equal by default.
 * Throws `RequestError` for fewer than two models, if their outcomes differ in names or values, and for priors that are
 * not positive.
 */
export function compareEvidence(
  models: Readonly<Record<string, LogEvidence>>,
  priors: Readonly<Record<string, number>> = {},
): EvidenceComparison {
  const problems = Object.entries(priors).flatMap(([name, prior]) => {
    const field = `priors.${name}`;
    if (!Object.hasOwn(models, name)) return [{ field, message: 'is not the name of a model' }];
    return prior > 0 && Number.isFinite(prior) ? [] : [{ field, message: 'must be positive' }];
  });
  if (problems.length > 0) throw new RequestError(problems);
  return compareFits(
    Object.entries(models).map(([name, evidence]) => ({ ...evidence, name, prior: priors[name] ?? 1 })),
  );
}
