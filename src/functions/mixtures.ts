import type { Builder } from '../ir/builder.js';
import { levelOf, scalar } from '../ir/builder.js';
import { add, call2, compare, exp, get, log, log1p, neg, real, select, sub, ZERO } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { rankOf } from '../language/types.js';
import { bindOnce, containerOf, scalarOf } from './broadcast.js';
import { between, finite, notNan, require } from './checks.js';
import { checkConsistentSizes } from './density-plan.js';
import type { FunctionEntry } from './entry.js';
import { signaturesOf } from './signatures.js';

/** The log density of a mixture. */
const NAME = 'log_mix';

/** Two components: log(θ e^λ₁ + (1 - θ) e^λ₂). */
function ofTwo(builder: Builder, [theta, first, second]: readonly Expr[]): Expr {
  require(builder, notNan, first, { function: NAME, argument: 'lambda1' });
  require(builder, notNan, second, { function: NAME, argument: 'lambda2' });
  require(builder, between(0, 1), theta, { function: NAME, argument: 'theta' });
  return call2('log_sum_exp', add(log(theta), first), add(log1p(neg(theta)), second));
}

/** log Σ exp(log θₖ + λₖ), shifted by the largest λₖ + log θₖ. */
function ofMany(builder: Builder, theta: ContainerValue, lambda: (k: Expr) => Expr): Expr {
  const size = theta.sizes[0];
  const largest = builder.newLocal('real', 'largest');
  builder.assign(largest, real(Number.NEGATIVE_INFINITY));
  builder.each(size, (k) => {
    const term = bindOnce(builder, add(log(theta.flat(k)), lambda(k)));
    builder.assign(largest, select(compare('gt', term, get(largest)), term, get(largest)));
  });
  const shift = select(compare('gt', get(largest), real(Number.NEGATIVE_INFINITY)), get(largest), ZERO);
  const total = builder.sum(size, (k) => exp(sub(add(log(theta.flat(k)), lambda(k)), shift)));
  return add(shift, log(total));
}

function mixture(builder: Builder, args: readonly Value[]): Expr {
  const theta = builder.materialize(containerOf(args[0]));
  const lambda = builder.materialize(containerOf(args[1]));
  const isArray = rankOf(lambda.type) === 2;
  const checkVector = (words: string, requirement: typeof finite, size: Expr, at: (k: Expr) => Expr): void =>
    builder.each(size, (k) => require(builder, requirement, at(k), { function: NAME, argument: words, index: k }));
  checkVector('theta', between(0, 1), theta.sizes[0], (k) => theta.flat(k));
  checkVector('theta', finite, theta.sizes[0], (k) => theta.flat(k));
  if (!isArray) {
    checkConsistentSizes(builder, NAME, [
      ['theta', theta],
      ['lambda', lambda],
    ]);
    checkVector('lambda', finite, lambda.sizes[0], (k) => lambda.flat(k));
    return ofMany(builder, theta, (k) => lambda.flat(k));
  }
  const total = builder.newLocal('real', 'total');
  builder.assign(total, ZERO);
  builder.check(
    compare('eq', theta.sizes[0], lambda.sizes[1]),
    `${NAME}: theta has size = {0}, but lambda has size {1}; and they must be the same size.`,
    [theta.sizes[0], lambda.sizes[1]],
    'error',
  );
  builder.each(lambda.sizes[0], (n) => {
    checkVector('lambda', notNan, lambda.sizes[1], (k) => lambda.at(n, k));
    checkVector('lambda', finite, lambda.sizes[1], (k) => lambda.at(n, k));
    builder.assign(
      total,
      add(
        get(total),
        ofMany(builder, theta, (k) => lambda.at(n, k)),
      ),
    );
  });
  return get(total);
}

export const LOG_MIX: FunctionEntry = {
  name: NAME,
  family: 'mixtures',
  documentation: {
    computes: 'Log of the mixture of two or more densities, from their logarithms and mixing proportions',
  },
  signatures: signaturesOf(NAME, [
    '(real, real, real) => real',
    '(vector | row_vector | array[] real, vector | row_vector | array[] real | array[] vector | array[] row_vector) => real',
  ]),
  build: (builder, args) =>
    scalar(args.length === 3 ? ofTwo(builder, args.map(scalarOf)) : mixture(builder, args), levelOf(args)),
};
