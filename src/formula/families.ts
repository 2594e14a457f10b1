/** Families of outcomes. */

export const families = ['normal', 'student', 'bernoulli', 'cumulative', 'poisson', 'negbinomial'] as const;

/**
 * The distribution of the outcome. `bernoulli` and `cumulative` have a logit link, `poisson` and `negbinomial` a log link; `cumulative` is for ordered
 * categories.
 */
export type Family = (typeof families)[number];

/** Other names of families: those of brms, rstanarm, Bambi and R. */
const OTHER_NAMES: ReadonlyMap<string, Family> = new Map([
  ['gaussian', 'normal'],
  ['linear', 'normal'],
  ['t', 'student'],
  ['student_t', 'student'],
  ['logistic', 'bernoulli'],
  ['binomial', 'bernoulli'],
  ['ordinal', 'cumulative'],
  ['negative_binomial', 'negbinomial'],
  ['neg_binomial_2', 'negbinomial'],
  ['negativebinomial', 'negbinomial'],
]);

/** The family with a name; undefined for other names. */
export function familyNamed(name: string): Family | undefined {
  const plain = name.toLowerCase().replaceAll('-', '_');
  return families.find((family) => family === plain) ?? OTHER_NAMES.get(plain);
}

/** Whether the linear predictor is on the scale of the outcome. */
export function hasIdentityLink(family: Family): boolean {
  return family === 'normal' || family === 'student';
}
