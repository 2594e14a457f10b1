import { type Argument, MAX_COUNT } from './arguments.js';

/** Arguments of the No-U-Turn sampler itself. */
export const nutsArguments: readonly Argument[] = [
  {
    name: 'stepsize',
    type: 'number',
    default: 1,
    exclusiveMinimum: 0,
    description: 'Step size to start the search with.',
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
  {
    name: 'max_depth',
    type: 'integer',
    default: 10,
    minimum: 1,
    maximum: MAX_COUNT,
    description: 'A trajectory has at most 2^max_depth - 1 leapfrog steps.',
  },
];

/** Arguments of warmup: how long it is, and how step size and metric are learnt in it. */
export const adaptationArguments: readonly Argument[] = [
  {
    name: 'num_warmup',
    type: 'integer',
    default: 1000,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'Warmup iterations, in which step size and metric are adapted.',
  },
  { name: 'save_warmup', type: 'boolean', default: false, description: 'Whether warmup draws are saved as well.' },
  {
    name: 'delta',
    type: 'number',
    default: 0.8,
    exclusiveMinimum: 0,
    exclusiveMaximum: 1,
    description: 'Target mean acceptance statistic of the step-size adaptation.',
  },
  {
    name: 'gamma',
    type: 'number',
    default: 0.05,
    exclusiveMinimum: 0,
    description: 'Regularisation scale of the step-size adaptation.',
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
  {
    name: 'init_buffer',
    type: 'integer',
    default: 75,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'First warmup iterations, which adapt the step size only.',
  },
  {
    name: 'term_buffer',
    type: 'integer',
    default: 50,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'Last warmup iterations, which adapt the step size only.',
  },
  {
    name: 'window',
    type: 'integer',
    default: 25,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'Length of the first window of the metric adaptation; each further one is twice as long.',
  },
];
