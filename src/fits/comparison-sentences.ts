/** The English sentence about a fit with unreliable estimates. */
export const RELIABILITY_SENTENCES = {
  unreliableFit:
    '{name}: Pareto k is above {limit} for {count} of {all} observations, so {count, plural, one {its estimate is} other {their estimates are}} not reliable. See the cross-validation of this fit.',
} as const;

/** The English sentences about refused comparisons. */
export const COMPARISON_SENTENCES = {
  fewFits: 'A comparison requires at least two fits.',
  otherCount:
    '{first} has {known, plural, one {1 observation} other {{known} observations}}, and {other} has {observed}. A comparison requires the same observations.',
  otherOutcomes:
    '{first} predicts {known}, and {other} predicts {observed}. A comparison requires the same outcomes: the same data with the same names.',
  otherElements:
    'Observation {place} is {known} in {first}, and {observed} in {other}. A comparison requires the same observations in the same order.',
  otherSizes:
    '{variable} has {known, plural, one {1 number} other {{known} numbers}} in {first}, and {observed} in {other}. A comparison requires the same observations.',
  otherValues:
    'Number {place} of {variable} is {known} in {first}, and {observed} in {other}. A comparison requires the same values of the outcomes in the same order.',
} as const;
