import { Builder, type Names } from '../../ir/builder.js';
import { add, apply, div, get, int, mul, real, sqrt, square, sub, ZERO } from '../../ir/expressions.js';
import type { Block, IntegratedParameter, Ref } from '../../ir/nodes.js';
import type { BlockFacts } from './block-facts.js';
import { Precision } from './precision.js';
import { quadraticTerms } from './quadratic-terms.js';
import { Solver } from './solver.js';

/** Statements that compute the conditional distribution of parameters given the others. */
export interface Conditional {
  readonly statements: Block;
  readonly parameters: readonly IntegratedParameter[];
  readonly precision: Precision;
}

/**
 * The conditional distribution of parameters θ given the others, φ, if the log density is, as a function of θ, that of a normal distribution
 * whose precision matrix is block-diagonal with a border:
 *
 *     log p(θ, φ) = c(φ) + b(φ)'θ - θ'A(φ)θ / 2.
 *
 * Throws `NotQuadratic` otherwise.
 */
export function conditionalOf(
  names: Names,
  logDensity: BlockFacts,
  parameters: readonly IntegratedParameter[],
): Conditional {
  const roots = new Map(
    parameters.map(({ blocks, form, size, values }) => [
      values,
      { size, width: form === 'blocks' && blocks !== null ? blocks.width : null },
    ]),
  );
  let precision = new Precision(names, parameters);
  const terms = quadraticTerms(names, logDensity, roots, () => {
    precision = new Precision(names, parameters);
    return precision.sink;
  });
  precision.check();
  return { statements: [...precision.start(), ...terms], parameters, precision };
}

/**
 * The marginal log density of the other parameters, up to a constant: the log density at the conditional mean, minus half the logarithm of
 * the determinant of the conditional precision. The derivative of the log density with respect to the mean is 0, so that the mean is detached.
 * Source: Lai, Domke & Sheldon, Hamiltonian Monte Carlo inference of marginalized linear mixed-effects models (2024).
 */
export function marginalDensity(names: Names, logDensity: Block, conditional: Conditional): Block {
  const builder = new Builder(names);
  const { parameters, precision, statements } = conditional;
  const means = builder.capture(() => {
    for (const { size, values } of parameters) builder.allocateRef(values, [size]);
    const solver = new Solver(builder, precision, {
      factored: (logarithm) => builder.target(mul(real(-0.5), logarithm)),
      scaled: div,
      solved: ({ parameter: { values } }, j, value) => builder.store(values, j, apply('detached', 'real', value)),
    });
    solver.solve();
  });
  return [...statements, ...means, ...logDensity];
}

/**
 * Draws of the parameters from their conditional distribution, after the statements that compute it. The only element of `excess` becomes the
 * log density of the program at the draw minus the marginal log density.
 */
export function drawsOf(names: Names, conditional: Conditional, excess: Ref): Block {
  const builder = new Builder(names);
  const { parameters, precision } = conditional;
  return builder.capture(() => {
    const sum = builder.newLocal('real', 'excess');
    builder.assign(sum, ZERO);
    for (const { drawn, size } of parameters) builder.allocateRef(drawn, [size]);
    const solver = new Solver(builder, precision, {
      factored: (logarithm) => builder.assign(sum, add(get(sum), mul(real(0.5), logarithm))),
      scaled: (value, pivot) => {
        const z = builder.bind(builder.kernelResult('real', 'rng_normal', [{ kind: 'random_state' }]), 'z');
        builder.assign(sum, sub(get(sum), mul(real(0.5), square(z))));
        return add(div(value, pivot), div(z, sqrt(pivot)));
      },
      solved: ({ parameter: { drawn } }, j, value) => builder.store(drawn, j, value),
    });
    solver.solve();
    builder.store(excess, int(0), get(sum));
  });
}
