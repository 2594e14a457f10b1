import type { Builder } from '../../ir/builder.js';
import { lazyFlat } from '../../ir/builder.js';
import {
  add,
  call1,
  compare,
  exp,
  int,
  lgamma,
  log,
  log1p,
  mul,
  neg,
  real,
  select,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { logSharesOf, logSumExpOf, maximumOf } from '../accumulations.js';
import { bindOnce, containerOf } from '../broadcast.js';
import { finite, nonnegative, positive, positiveFinite, require } from '../checks.js';
import type { FunctionEntry } from '../entry.js';
import { checkMatch, reusable } from '../shapes.js';
import { logGammaShare, plusOne, riseShare, timesLog } from './formulas.js';
import { positionsOf, structured, vectorsOf } from './multivariate-row.js';
import { checkEach, checkSimplex, fromOneTo } from './validation.js';

/** Distributions of categories, of counts by category, and of simplexes. */
const FAMILY = 'categorical distributions';

/** One outcome, or an array of outcomes. */
function outcomes(value: Value): { readonly many: Expr; readonly at: (n: Expr) => Expr; readonly isArray: boolean } {
  if (value.kind === 'scalar') return { many: int(1), at: () => value.value, isArray: false };
  const c = containerOf(value);
  return { many: c.sizes[0], at: c.flat, isArray: true };
}

function checkOutcomes(builder: Builder, name: string, words: string, value: Value, categories: Expr): void {
  if (value.kind === 'scalar') {
    require(builder, fromOneTo(categories), value.value, { function: name, argument: words });
  } else checkEach(builder, name, words, containerOf(value), fromOneTo(categories));
}

const previous = (n: Expr): Expr => sub(n, int(1));

/** The sum over the outcomes, without a loop for a single outcome. */
function sumOver(builder: Builder, value: Value, term: (category: Expr) => Expr): Expr {
  const { many, at, isArray } = outcomes(value);
  return isArray ? builder.sum(many, (n) => term(previous(at(n)))) : term(previous(at(int(0))));
}

function checkTrials(builder: Builder, name: string, counts: ContainerValue, words: string, size: Expr): void {
  checkMatch(builder, name, 'Size of number of trials variable', counts.sizes[0], `rows of ${words} parameter`, size);
  checkEach(builder, name, 'Number of trials variable', counts, nonnegative);
}

/**
 * The logarithm of one element of the softmax, computed from the differences to its log odds, so that no digits are lost if the element is
 * almost 1.
 */
function logShareOf(builder: Builder, odds: ContainerValue, chosen: Expr): Expr {
  const at = bindOnce(builder, chosen);
  const own = bindOnce(builder, odds.flat(at));
  const largest = maximumOf(builder, odds);
  const shift = builder.bind(call1('trunc', sub(largest, own)), 'shift');
  const base = builder.bind(add(own, shift), 'base');
  const share = (k: Expr): Expr => exp(sub(odds.flat(k), base));
  const chosenAt = builder.bind(toReal(at));
  const others = builder.sum(odds.sizes[0], (k) => select(compare('eq', toReal(k), chosenAt), ZERO, share(k)));
  return neg(add(shift, log1p(add(sub(exp(neg(shift)), real(1)), others))));
}

/** log n! - Σ log nₖ! */
function logCoefficient(builder: Builder, counts: ContainerValue): Expr {
  const total = bindOnce(
    builder,
    builder.sum(counts.sizes[0], (k) => toReal(counts.flat(k))),
  );
  return sub(
    lgamma(plusOne(total)),
    builder.sum(counts.sizes[0], (k) => lgamma(plusOne(toReal(counts.flat(k))))),
  );
}

export const CATEGORICAL: readonly FunctionEntry[] = [
  structured(
    FAMILY,
    'categorical_lpmf',
    { computes: 'Log probability of outcomes with the probabilities theta' },
    ['(ints, vector) => real'],
    (builder, [y, theta], emit) => {
      const name = 'categorical_lpmf';
      const probabilities = reusable(builder, theta);
      const size = probabilities.sizes[0];
      const words = y.kind === 'scalar' ? 'Number of categories' : 'element of outcome array';
      checkOutcomes(builder, name, words, y, size);
      checkSimplex(builder, name, 'Probabilities parameter', size, probabilities.flat);
      emit(
        sumOver(builder, y, (k) => log(probabilities.flat(k))),
        theta,
      );
    },
  ),
  structured(
    FAMILY,
    'categorical_logit_lpmf',
    { computes: 'Log probability of outcomes with the log odds beta' },
    ['(ints, vector) => real'],
    (builder, [y, beta], emit, _, dropsConstants) => {
      const name = 'categorical_logit_lpmf';
      const odds = reusable(builder, beta);
      checkOutcomes(builder, name, 'categorical outcome out of support', y, odds.sizes[0]);
      checkEach(builder, name, 'log odds parameter', odds, finite);
      // Terms of a sum only need absolute accuracy, for which one sum of exponentials suffices.
      if (dropsConstants) {
        const normalizer = logSumExpOf(builder, odds);
        const chosen = sumOver(builder, y, (k) => odds.flat(k));
        emit(sub(chosen, mul(toReal(outcomes(y).many), normalizer)), beta);
      } else if (y.kind === 'scalar') emit(logShareOf(builder, odds, previous(y.value)), beta);
      else {
        const share = logSharesOf(builder, odds);
        emit(
          sumOver(builder, y, (k) => share(k)),
          beta,
        );
      }
    },
  ),
  structured(
    FAMILY,
    'multinomial_lpmf',
    { computes: 'Log probability of counts with the probabilities theta' },
    ['(array[] int, vector) => real'],
    (builder, [n, theta], emit) => {
      const name = 'multinomial_lpmf';
      const counts = containerOf(n);
      const probabilities = reusable(builder, theta);
      checkTrials(builder, name, counts, 'probabilities', probabilities.sizes[0]);
      checkSimplex(builder, name, 'Probabilities parameter', probabilities.sizes[0], probabilities.flat);
      emit(logCoefficient(builder, counts));
      emit(
        builder.sum(counts.sizes[0], (k) => timesLog(toReal(counts.flat(k)), probabilities.flat(k))),
        theta,
      );
    },
  ),
  structured(
    FAMILY,
    'multinomial_logit_lpmf',
    { computes: 'Log probability of counts with the log odds gamma' },
    ['(array[] int, vector) => real'],
    (builder, [n, gamma], emit) => {
      const name = 'multinomial_logit_lpmf';
      const counts = containerOf(n);
      const odds = reusable(builder, gamma);
      checkTrials(builder, name, counts, 'log-probabilities', odds.sizes[0]);
      checkEach(builder, name, 'log-probabilities parameter', odds, finite);
      emit(logCoefficient(builder, counts));
      const share = logSharesOf(builder, odds);
      emit(
        builder.sum(counts.sizes[0], (k) => mul(toReal(counts.flat(k)), share(k))),
        gamma,
      );
    },
  ),
  structured(
    FAMILY,
    'dirichlet_lpdf',
    { computes: 'Log of the Dirichlet density of simplexes with prior sample sizes alpha' },
    ['(vectors, vectors) => real'],
    (builder, [theta, alpha], emit) => {
      const name = 'dirichlet_lpdf';
      const simplexes = vectorsOf(reusable(builder, theta));
      const sizes = vectorsOf(reusable(builder, alpha));
      const size = simplexes.size;
      builder.check(
        compare('eq', size, sizes.size),
        `${name}: probabilities has size = {0}, but prior sample sizes has size {1}; and they must be the same size.`,
        [size, sizes.size],
        'error',
      );
      const many = positionsOf(simplexes, sizes);
      const isSingle = simplexes.many === null && sizes.many === null;
      const overPositions = (visit: (n: Expr) => void): void => {
        if (isSingle) visit(int(0));
        else builder.each(many, visit);
      };
      overPositions((n) => {
        checkEach(
          builder,
          name,
          'prior sample sizes',
          lazyVector(alpha, size, (k) => sizes.at(n, k)),
          positive,
        );
        checkSimplex(builder, name, 'probabilities', size, (k) => simplexes.at(n, k));
      });
      overPositions((n) => {
        const total = bindOnce(
          builder,
          builder.sum(size, (k) => sizes.at(n, k)),
        );
        emit(
          sub(
            lgamma(total),
            builder.sum(size, (k) => lgamma(sizes.at(n, k))),
          ),
          alpha,
        );
        emit(
          builder.sum(size, (k) => mul(sub(sizes.at(n, k), real(1)), log(simplexes.at(n, k)))),
          theta,
          alpha,
        );
      });
    },
  ),
  structured(
    FAMILY,
    'dirichlet_multinomial_lpmf',
    { computes: 'Log probability of counts whose probabilities are Dirichlet distributed' },
    ['(array[] int, vector) => real'],
    (builder, [n, alpha], emit) => {
      const name = 'dirichlet_multinomial_lpmf';
      const counts = containerOf(n);
      const sizes = reusable(builder, alpha);
      const count = counts.sizes[0];
      checkTrials(builder, name, counts, 'prior size', sizes.sizes[0]);
      checkEach(builder, name, 'Prior size parameter', sizes, positiveFinite);
      const number = bindOnce(
        builder,
        builder.sum(count, (k) => toReal(counts.flat(k))),
      );
      const none = compare('eq', number, ZERO);
      const some = select(none, real(1), number);
      const atLeastOne = (k: Expr): Expr => select(compare('gt', counts.flat(k), int(0)), counts.flat(k), int(1));
      const ifAny = (k: Expr, value: Expr): Expr => select(compare('gt', counts.flat(k), int(0)), value, ZERO);
      emit(
        sub(
          log(some),
          builder.sum(count, (k) => ifAny(k, log(toReal(atLeastOne(k))))),
        ),
      );
      const logBeta = (size: Expr, n: Expr): Expr => sub(logGammaShare(n), riseShare(size, n));
      const total = bindOnce(
        builder,
        builder.sum(count, (k) => sizes.flat(k)),
      );
      const parts = builder.sum(count, (k) => ifAny(k, logBeta(sizes.flat(k), toReal(atLeastOne(k)))));
      emit(select(none, ZERO, sub(logBeta(total, some), parts)), alpha);
    },
  ),
];

function lazyVector(like: Value, size: Expr, at: (k: Expr) => Expr): ContainerValue {
  return lazyFlat({ kind: 'vector' }, like.level, [size], at);
}
