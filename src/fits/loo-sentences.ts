import { NAMES } from '../base/statement.js';

/** The English sentences about cross-validation. */
export const LOO_SENTENCES = {
  looGood: 'All Pareto k are at most {limit}: the estimates are reliable.',
  looHigh: `Pareto k is above {limit} for {count} of {all} observations, ${NAMES}: without them the posterior would differ too much, so the estimates are too optimistic. Check these observations, use a model that allows for them, or refit without each of them.`,
  looUnknown: `Pareto k cannot be estimated for {count} of {all} observations, ${NAMES}: there are too few draws, or too many are equal.`,
} as const;
