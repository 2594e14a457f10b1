import { message } from '../../source/diagnostic.js';
import { describeSpan } from '../../source/render.js';
import type { Span } from '../../source/span.js';

/** Texts of the pedantic warnings, in stanc's words. */

const BOUNDS_REASONS = (density: string) =>
  `(a) Except when there are logical or physical constraints, it is very unusual for you to be sure that a parameter will fall inside a specified range, and (b) The infinite gradient induced by a ${density} can cause difficulties for Stan's sampling algorithm. As a consequence, we recommend soft constraints rather than hard constraints; for example,`;

export const uninitialized = message(
  'uninitialized-variable',
  (name: string) => `The variable ${name} may not have been assigned a value before its first use.`,
);

export const unscaled = message(
  'unscaled-constant',
  (number: string) =>
    `Argument ${number} suggests there may be parameters that are not unit scale; consider rescaling with a multiplier, see: https://mc-stan.org/docs/stan-users-guide/efficiency-tuning.html#standardizing-predictors`,
);

export const severalTildes = message(
  'several-tildes',
  (name: string) => `The parameter ${name} is on the left-hand side of more than one tilde statement.`,
);

export const nonlinearTilde = message(
  'nonlinear-tilde',
  () =>
    'Left-hand side of distribution statement (~) may contain a non-linear transform of a parameter or local variable. If it does, you need to include a target += statement with the log absolute determinant of the Jacobian of the transform. You could also consider defining a transformed parameter and using jacobian += in the transformed parameters block.',
);

export const hardConstraint = message(
  'hard-constraint',
  (name: string) =>
    `Your Stan program has a parameter ${name} with a lower and upper bound in its declaration. These hard constraints are not recommended, for two reasons: ${BOUNDS_REASONS('hard constraint')} instead of constraining an elasticity parameter to fall between 0, and 1, leave it unconstrained and give it a normal(0.5,0.5) prior distribution.`,
);

export const senselessBounds = message(
  'senseless-bounds',
  (name: string) =>
    `Parameter ${name} has constraints that don't make sense. The lower bound should be strictly less than the upper bound.`,
);

export const unusedParameter = message(
  'unused-parameter',
  (name: string) => `The parameter ${name} was declared but was not used in the density calculation.`,
);

export const noPrior = message(
  'no-prior',
  (name: string) =>
    `The parameter ${name} has no priors. This means either no prior is provided, or the prior(s) depend on data variables. In the later case, this may be a false positive.`,
);

export const severalPriors = message(
  'several-priors',
  (name: string, count: number) => `The parameter ${name} has ${count} priors.`,
);

export const dependentFlow = message(
  'dependent-flow',
  (parameters: readonly string[]) => `A control flow statement depends on parameter(s): ${parameters.join(', ')}.`,
);

export const dependentFlowInside = message(
  'dependent-flow',
  (name: string, argument: string, given: Span, parameters: readonly string[]) =>
    `A control flow statement inside function ${name} depends on argument ${argument}. At ${describeSpan(given)}, the value of ${argument} depends on parameter(s): ${parameters.join(', ')}.`,
);

export const argumentConstraint = message(
  'argument-constraint',
  (distribution: string, name: string, role: string, position: number, demand: string) =>
    `A ${distribution} distribution is given parameter ${name} as ${role} (argument ${position}), but ${name} was not constrained to be ${demand}.`,
);

export const argumentValue = message(
  'argument-constraint',
  (distribution: string, value: string, role: string, position: number, demand: string) =>
    `A ${distribution} distribution is given value ${value} as ${role} (argument ${position}), but ${role} is not ${demand}.`,
);

export const variateConstraint = message(
  'variate-constraint',
  (name: string, distribution: string, demand: string) =>
    `Parameter ${name} is given a ${distribution} distribution, which has ${demand} support, but ${name} was not constrained to be ${demand}.`,
);

export const variateValue = message(
  'variate-constraint',
  (value: string, distribution: string, demand: string) =>
    `Value ${value} is given a ${distribution} distribution, which has ${demand} support, but ${value} is not ${demand}.`,
);

export const uniform = message(
  'uniform-prior',
  (name: string) =>
    `Parameter ${name} is given a uniform distribution. The uniform distribution is not recommended, for two reasons: ${BOUNDS_REASONS('uniform density')} instead of giving an elasticity parameter a uniform(0,1) distribution, try normal(0.5,0.5).`,
);

export const correlation = message(
  'lkj-corr-prior',
  () =>
    'It is suggested to reparameterize your model to replace lkj_corr with lkj_corr_cholesky, the Cholesky factor variant. lkj_corr tends to run slower, consume more memory, and has higher risk of numerical errors.',
);

export const gamma = message(
  'vague-gamma-prior',
  () =>
    'There is a gamma or inverse-gamma distribution with parameters that are equal to each other and set to values less than 1. This is mathematically acceptable and can make sense in some problems, but typically we see this model used as an attempt to assign a noninformative prior distribution. In fact, priors such as inverse-gamma(.001,.001) can be very strong, as explained by Gelman (2006). Instead we recommend something like a normal(0,1) or student_t(4,0,1), with parameter constrained to be positive.',
);
