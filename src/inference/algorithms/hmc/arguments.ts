import type { DualAveragingSettings } from '../../adaptation/dual-averaging.js';
import { type Argument, type ArrayArgument, type ChoiceArgument, MAX_COUNT, type Settings } from '../arguments.js';

/** Arguments of the leapfrog integrator. */
export const integratorArguments: readonly Argument[] = [
  {
    name: 'stepsize',
    type: 'number',
    default: 1,
    exclusiveMinimum: 0,
    description: 'Step size, or the initial value of its search.',
  },
  {
    name: 'stepsize_jitter',
    type: 'number',
    default: 0,
    minimum: 0,
    maximum: 1,
    description:
      'Each transition uses the step size times a uniform draw from 1 - jitter to 1 + jitter; 0 and 1 mean none.',
  },
];

/** Arguments of the No-U-Turn sampler itself. */
export const nutsArguments: readonly Argument[] = [
  {
    name: 'max_depth',
    type: 'integer',
    default: 10,
    minimum: 1,
    maximum: MAX_COUNT,
    description: 'Maximum depth of the trajectory tree: at most 2^max_depth - 1 leapfrog steps.',
  },
];

/** Arguments of Hamiltonian Monte Carlo with trajectories of fixed length. */
export const staticArguments: readonly Argument[] = [
  {
    name: 'int_time',
    type: 'number',
    default: 2 * Math.PI,
    exclusiveMinimum: 0,
    description: 'Integration time of a trajectory: number of leapfrog steps times step size.',
  },
];

export const diagonalMetricArgument: ArrayArgument = {
  name: 'inv_metric',
  type: 'array',
  depth: 1,
  description: 'Initial inverse metric: a variance for each unconstrained parameter; all 1 if absent.',
};

export const denseMetricArgument: ArrayArgument = {
  name: 'inv_metric',
  type: 'array',
  depth: 2,
  description:
    'Initial inverse metric: the covariance matrix of the unconstrained parameters, row by row; the identity if absent.',
};

export const lowRankMetricArgument: ArrayArgument = {
  name: 'inv_metric',
  type: 'array',
  depth: 2,
  description:
    'Initial inverse metric: a row with the diagonal, then one row per direction, an eigenvector of the metric in scaled coordinates times its eigenvalue; the identity if absent.',
};

/** Arguments of warmup, with or without adaptation. */
export const warmupArguments: readonly Argument[] = [
  {
    name: 'num_warmup',
    type: 'integer',
    default: 1000,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'Warmup iterations, in which step size and metric are adapted if the function adapts them.',
  },
  { name: 'save_warmup', type: 'boolean', default: false, description: 'Whether warmup draws are saved as well.' },
];

/** Arguments of the step-size adaptation. */
export const stepSizeAdaptationArguments: readonly Argument[] = [
  {
    name: 'delta',
    type: 'number',
    default: 0.8,
    exclusiveMinimum: 0,
    exclusiveMaximum: 1,
    description:
      'Target mean acceptance statistic of the step-size adaptation; raised in warmup if transitions diverge and the metric is learned from gradients.',
  },
  {
    name: 'gamma',
    type: 'number',
    default: 0.05,
    exclusiveMinimum: 0,
    description: 'Regularization scale of the step-size adaptation.',
  },
  {
    name: 'kappa',
    type: 'number',
    default: 0.75,
    exclusiveMinimum: 0,
    description: 'Relaxation exponent of the step-size adaptation.',
  },
  {
    name: 't0',
    type: 'number',
    default: 10,
    exclusiveMinimum: 0,
    description: 'Iteration offset of the step-size adaptation.',
  },
];

/** The values of `stepSizeAdaptationArguments` for dual averaging. */
export function dualAveragingSettings(settings: Settings): DualAveragingSettings {
  const [delta, gamma, kappa, t0] = ['delta', 'gamma', 'kappa', 't0'].map((name) => settings.number(name));
  return { delta, gamma, kappa, t0 };
}

/** Arguments of the metric adaptation: the schedule of warmup. */
export const windowArguments: readonly Argument[] = [
  {
    name: 'init_buffer',
    type: 'integer',
    default: 75,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'Number of first warmup iterations, which adapt only the step size.',
  },
  {
    name: 'term_buffer',
    type: 'integer',
    default: 50,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'Number of last warmup iterations, which adapt only the step size.',
  },
  {
    name: 'window',
    type: 'integer',
    default: 25,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'Length of the first window of the metric adaptation; each later window is twice as long.',
  },
];

/** Whether coordinates are learned; not in Stan. */
export const reparameterizeArgument: ChoiceArgument = {
  name: 'reparameterize',
  type: 'string',
  choices: ['none', 'auto'],
  default: 'none',
  description:
    'Whether warmup learns partially centered coordinates for parameters whose priors have a location and a scale, such as `theta ~ normal(mu, tau)` (not in Stan). The posterior is the same.',
};

/** Whether parameters are integrated out; not in Stan. */
export const integrateArgument: ChoiceArgument = {
  name: 'integrate',
  type: 'string',
  choices: ['none', 'auto'],
  default: 'none',
  description:
    'Whether parameters that are normally distributed given the others, such as the effects of linear mixed models, are integrated out: only the others are sampled, and these parameters are drawn from their conditional distribution (not in Stan). The posterior is the same.',
};

/** How a diagonal metric is adapted; not in Stan. */
export const metricAdaptationArgument: ChoiceArgument = {
  name: 'adapt_metric',
  type: 'string',
  choices: ['variance', 'fisher'],
  default: 'variance',
  description:
    'Whether the metric is learned from the variances of positions, as in Stan, or from positions and gradients (not in Stan).',
};
