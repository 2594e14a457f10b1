import { type Argument, countArgument } from '../arguments.js';

/** Arguments of automatic differentiation variational inference. */
export const variationalArguments: readonly Argument[] = [
  countArgument('iter', 10000, 'Maximum number of iterations.'),
  countArgument('grad_samples', 1, 'Draws per gradient.'),
  countArgument('elbo_samples', 100, 'Draws per evaluation of the ELBO.'),
  countArgument('eval_elbo', 100, 'Iterations between evaluations of the ELBO.'),
  countArgument('output_samples', 1000, 'Number of saved draws from the approximation.'),
  {
    name: 'eta',
    type: 'number',
    default: 1,
    exclusiveMinimum: 0,
    description: 'Scale of the steps, if it is not adapted.',
  },
  { name: 'adapt_engaged', type: 'boolean', default: true, description: 'Whether the scale of the steps is adapted.' },
  countArgument('adapt_iterations', 50, 'Iterations per scale that the adaptation tries.'),
  {
    name: 'tol_rel_obj',
    type: 'number',
    default: 0.01,
    exclusiveMinimum: 0,
    description: 'Convergence tolerance for the mean or median relative change of the ELBO.',
  },
];
