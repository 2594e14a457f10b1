import { Builder, type Names } from '../../ir/builder.js';
import { add, apply, div, load, log, mul, real, sqrt, square, sub, ZERO } from '../../ir/expressions.js';
import type { Block, Expr, IntegratedParameter, Ref } from '../../ir/nodes.js';
import { NotQuadratic, quadraticTerms } from './quadratic-terms.js';

/**
 * Statements that compute the conditional distribution of parameters given the others. Element j has the mean `linear[j]` / `precision[j]`.
 */
export interface Conditional {
  readonly statements: Block;
  readonly parameters: readonly (IntegratedParameter & { readonly linear: Ref; readonly precision: Ref })[];
}

/**
 * The conditional distribution of parameters given the others, if the log density is, as a function of these parameters, the log density of
 * independent normal distributions:
 *
 *     log p(θ, φ) = c(φ) + Σ_j (b_j(φ) θ_j - A_j(φ) θ_j² / 2).
 *
 * Throws `NotQuadratic` otherwise.
 */
export function conditionalOf(
  names: Names,
  logDensity: Block,
  integrated: readonly IntegratedParameter[],
): Conditional {
  const builder = new Builder(names);
  const sums = new Map<Ref, { readonly linear: Ref; readonly precision: Ref }>();
  const squared = new Set<Ref>();
  const start = builder.capture(() => {
    for (const { name, size, values } of integrated) {
      sums.set(values, {
        linear: builder.allocate('real', [size], `${name}_linear`, 'zero'),
        precision: builder.allocate('real', [size], `${name}_precision`, 'zero'),
      });
    }
  });
  const sumsOf = (of: Ref) => {
    const found = sums.get(of);
    if (found === undefined) throw new Error('integrate: an element belongs to a parameter');
    return found;
  };
  const roots = new Map(integrated.map(({ size, values }) => [values, size]));
  const terms = quadraticTerms(names, logDensity, roots, {
    linear: (inner, { index, of }, coefficient) => addTo(inner, sumsOf(of).linear, index, coefficient),
    square: (inner, [{ index, of }, other], coefficient, areSame) => {
      const joined = integrated.find(({ values }) => other.of !== of && (values === of || values === other.of));
      if (joined !== undefined) throw new NotQuadratic(`it depends on ${joined.name}, which is integrated out`);
      if (!areSame) throw new NotQuadratic('its elements depend on one another, given the other parameters');
      squared.add(of);
      addTo(inner, sumsOf(of).precision, index, mul(real(-2), coefficient));
    },
  });
  if (integrated.some(({ values }) => !squared.has(values))) throw new NotQuadratic('it has no normal distribution');
  const parameters = integrated.map((parameter) => ({ ...parameter, ...sumsOf(parameter.values) }));
  return { statements: [...start, ...terms], parameters };
}

function addTo(builder: Builder, ref: Ref, index: Expr, value: Expr): void {
  const at = builder.bind(index, 'at');
  builder.store(ref, at, add(load(ref, at), value));
}

/**
 * The marginal log density of the other parameters, up to a constant: the log density at the conditional mean, minus half the logarithm of
 * the determinant of the conditional precision. The derivative of the log density with respect to the mean is 0, so that the mean is detached.
 * Source: Lai, Domke & Sheldon, Hamiltonian Monte Carlo inference of marginalized linear mixed-effects models (2024).
 */
export function marginalDensity(names: Names, logDensity: Block, { parameters, statements }: Conditional): Block {
  const builder = new Builder(names);
  const means = builder.capture(() => {
    for (const { linear, precision, size, values } of parameters) {
      builder.allocateRef(values, [size]);
      builder.each(size, (j) => {
        builder.store(values, j, apply('detached', 'real', div(load(linear, j), load(precision, j))));
        builder.target(mul(real(-0.5), log(load(precision, j))));
      });
    }
  });
  return [...statements, ...means, ...logDensity];
}

/**
 * Draws of the parameters from their conditional distribution, before a block that reads them. The only element of `excess` becomes the
 * log density of the program at the draw minus the marginal log density.
 */
export function withDraws(names: Names, block: Block, { parameters, statements }: Conditional, excess: Ref): Block {
  const builder = new Builder(names);
  const draws = builder.capture(() => {
    const sum = builder.newLocal('real', 'excess');
    builder.assign(sum, ZERO);
    for (const { drawn, linear, precision, size } of parameters) {
      builder.allocateRef(drawn, [size]);
      builder.each(size, (j) => {
        const z = builder.bind(builder.kernelResult('real', 'rng_normal', [{ kind: 'random_state' }]), 'z');
        const scale = builder.bind(load(precision, j), 'scale');
        builder.store(drawn, j, add(div(load(linear, j), scale), div(z, sqrt(scale))));
        builder.assign(sum, add({ kind: 'get', type: 'real', local: sum }, mul(real(0.5), sub(log(scale), square(z)))));
      });
    }
    builder.store(excess, { kind: 'const', type: 'int', value: 0 }, { kind: 'get', type: 'real', local: sum });
  });
  return [...statements, ...draws, ...block];
}
