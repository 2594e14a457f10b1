import { type Argument, MAX_COUNT } from '../arguments.js';

const count = (name: string, value: number, description: string): Argument => ({
  name,
  type: 'integer',
  default: value,
  minimum: 1,
  maximum: MAX_COUNT,
  description,
});

/** Arguments of automatic differentiation variational inference. */
export const variationalArguments: readonly Argument[] = [
  count('iter', 10000, 'Iterations at most.'),
  count('grad_samples', 1, 'Draws for each gradient.'),
  count('elbo_samples', 100, 'Draws for each value of the ELBO.'),
  count('eval_elbo', 100, 'Iterations between two values of the ELBO.'),
  count('output_samples', 1000, 'Draws of the approximation to save.'),
  {
    name: 'eta',
    type: 'number',
    default: 1,
    exclusiveMinimum: 0,
    description: 'Scale of the steps, where it is not adapted.',
  },
  { name: 'adapt_engaged', type: 'boolean', default: true, description: 'Whether the scale of the steps is adapted.' },
  count('adapt_iterations', 50, 'Iterations for each scale that the adaptation tries.'),
  {
    name: 'tol_rel_obj',
    type: 'number',
    default: 0.01,
    exclusiveMinimum: 0,
    description: 'Converged when the mean or median relative change of the ELBO is smaller.',
  },
];
