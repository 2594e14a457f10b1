import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';

export interface Example {
  readonly folder: string;
  readonly title: string;
  /** Its topic in a few words. */
  readonly teaches: string;
  /** Arguments that differ from their defaults. */
  readonly settings?: Readonly<Record<string, ArgumentValue>>;
}

/** In order of difficulty. */
export const examples: readonly Example[] = [
  { folder: 'coin', title: 'A coin', teaches: 'One parameter and its posterior' },
  {
    folder: 'line',
    title: 'A line through points',
    teaches: 'Linear regression, with predictive checks and cross-validation',
  },
  {
    folder: 'eight-schools',
    title: 'Eight schools',
    teaches: 'Partial pooling, non-centered',
    settings: { delta: 0.95 },
  },
  { folder: 'eight-schools-centered', title: 'Eight schools, centered', teaches: 'What divergences look like' },
  { folder: 'dose', title: 'Dose and response', teaches: 'Logistic regression of proportions' },
  { folder: 'golf', title: 'Golf putts', teaches: 'A likelihood from geometry' },
  { folder: 'counts', title: 'Counts', teaches: 'Overdispersion, negative binomial' },
  { folder: 'varying-slopes', title: 'Varying slopes', teaches: 'Correlated effects of persons' },
  { folder: 'mixture', title: 'A mixture', teaches: 'Discrete components summed out' },
  { folder: 'change-point', title: 'A change point', teaches: 'A discrete parameter, drawn afterwards' },
  { folder: 'local-level', title: 'A wandering level', teaches: 'State space, Kalman filter' },
  { folder: 'survival', title: 'Survival times', teaches: 'Censoring' },
  { folder: 'item-response', title: 'Item response', teaches: 'Abilities and difficulties' },
  { folder: 'gaussian-process', title: 'A smooth function', teaches: 'Gaussian process' },
  { folder: 'predator-prey', title: 'Predators and prey', teaches: 'An ordinary differential equation' },
];
