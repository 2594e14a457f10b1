import { add, and, call2, compare, mul, not, or, real, select, toReal, ZERO } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import { elementwise, type SizeMismatch } from './broadcast.js';
import { between, nonnegative, positive, type Requirement, require } from './checks.js';
import type { FunctionEntry } from './entry.js';
import { rowsOf } from './row.js';

const row = rowsOf('quantile functions');

const NAME = 'student_t_qf';
const CONTAINER = 'array[] real | vector | row_vector';
const ONE_CONTAINER = [
  '(real, real, real, real) => real',
  `(${CONTAINER}, reals, reals, reals) => vector`,
  `(real, ${CONTAINER}, reals, reals) => vector`,
  `(real, real, ${CONTAINER}, reals) => vector`,
  `(real, real, real, ${CONTAINER}) => vector`,
];

const mismatch: SizeMismatch = (first, other, axis) => ({
  template: `${NAME}: sizes of arguments are {0} and {1}; and they must be the same size.`,
  values: [first.sizes[axis], other.sizes[axis]],
});

/** The quantile is -∞ for p = 0 and ∞ for p = 1, whatever the other arguments are, and has no derivatives there. */
function atEnds(p: Expr, inside: (p: Expr) => Expr): Expr {
  const [isLow, isHigh] = [compare('eq', p, ZERO), compare('eq', p, real(1))];
  const infinite = select(isLow, real(Number.NEGATIVE_INFINITY), real(Number.POSITIVE_INFINITY));
  const isEnd = or(isLow, isHigh);
  return select(isEnd, infinite, inside(select(isEnd, real(0.5), p)));
}

export const QUANTILES: readonly FunctionEntry[] = [
  row(
    NAME,
    {
      computes: "The Student's t quantile of probability p, with nu degrees of freedom, location mu and scale sigma",
      domain: '0 ≤ p ≤ 1, nu > 0, sigma > 0',
      source: "Newton's method for the incomplete beta function; Abramowitz and Stegun, 26.7.5",
    },
    ONE_CONTAINER,
    (builder, args, call) =>
      elementwise(
        builder,
        call.result,
        args,
        (...given) => {
          const [p, nu, mu, sigma] = given.map(toReal);
          const check = (requirement: Requirement, argument: string, k: number): void =>
            require(builder, requirement, given[k], { function: NAME, argument });
          check(nonnegative, 'Degrees of freedom parameter', 1);
          check(positive, 'Scale parameter', 3);
          check(between(0, 1), 'Probability parameter', 0);
          const inner = [0, 0.5, 1].map((place) => not(compare('eq', p, real(place)))).reduce(and);
          const isZero = compare('eq', nu, ZERO);
          builder.check(not(and(isZero, inner)), 'inv_inc_beta: a is 0, but must be positive!');
          const freedom = select(isZero, real(1), nu);
          return atEnds(p, (inside) => add(mu, mul(sigma, call2('student_t_quantile', inside, freedom))));
        },
        { costly: true, mismatch },
      ),
  ),
];
