import { type Argument, MAX_COUNT } from '../arguments.js';

/** Arguments of every optimizer. */
export const optimizeArguments: readonly Argument[] = [
  {
    name: 'iter',
    type: 'integer',
    default: 2000,
    minimum: 1,
    maximum: MAX_COUNT,
    description: 'Maximum number of iterations.',
  },
  { name: 'save_iterations', type: 'boolean', default: false, description: 'Whether every iteration is saved.' },
  {
    name: 'jacobian',
    type: 'boolean',
    default: false,
    description:
      'Whether the density includes the Jacobians of the constraining transforms. If so, the mode is that of the unconstrained parameters, otherwise that of the constrained ones.',
  },
];

/** Arguments of the line search and tests of convergence of quasi-Newton methods. */
export const quasiNewtonArguments: readonly Argument[] = [
  {
    name: 'init_alpha',
    type: 'number',
    default: 0.001,
    exclusiveMinimum: 0,
    description: 'Step of the line search in the first iteration.',
  },
  {
    name: 'tol_obj',
    type: 'number',
    default: 1e-12,
    minimum: 0,
    description: 'Convergence tolerance for the change of the objective.',
  },
  {
    name: 'tol_rel_obj',
    type: 'number',
    default: 10000,
    minimum: 0,
    description: 'Convergence tolerance for the relative change of the objective, in units of the machine precision.',
  },
  {
    name: 'tol_grad',
    type: 'number',
    default: 1e-8,
    minimum: 0,
    description: 'Convergence tolerance for the norm of the gradient.',
  },
  {
    name: 'tol_rel_grad',
    type: 'number',
    default: 1e7,
    minimum: 0,
    description:
      'Convergence tolerance for the decrease that the gradient predicts, relative to the objective, in units of the machine precision.',
  },
  {
    name: 'tol_param',
    type: 'number',
    default: 1e-8,
    minimum: 0,
    description: 'Convergence tolerance for the change of the parameters.',
  },
];

/** The memory of L-BFGS. */
export const historyArgument: Argument = {
  name: 'history_size',
  type: 'integer',
  default: 5,
  minimum: 1,
  maximum: MAX_COUNT,
  description: 'Number of updates that L-BFGS stores.',
};
