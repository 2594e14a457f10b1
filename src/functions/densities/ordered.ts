import type { Builder } from '../../ir/builder.js';
import { add, call1, call2, compare, int, neg, or, real, select, sub, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { bindOnce, containerOf } from '../broadcast.js';
import { finite, require } from '../checks.js';
import { checkConsistentSizes } from '../density-plan.js';
import type { FunctionEntry } from '../entry.js';
import { checkMatch, reusable } from '../shapes.js';
import { structured, type Vectors, vectorsOf } from './multivariate-row.js';
import { checkCutPoints, checkEach, checkNotEmpty, fromOneTo } from './validation.js';

/** Distributions of ordered outcomes with cut points on a latent scale. */
const FAMILY = 'ordered distributions';

/**
 * log P(category) of the ordered logistic distribution with location eta: the logarithm of a difference of inverse logits at two cut
 * points.
 */
export function orderedLogistic(category: Expr, eta: Expr, cuts: Expr, cut: (k: Expr) => Expr): Expr {
  const isFirst = compare('eq', category, int(1));
  const isLast = compare('gt', category, cuts);
  const lowAt = select(isFirst, int(0), sub(category, int(2)));
  const highAt = select(isLast, sub(cuts, int(1)), sub(category, int(1)));
  const low = sub(eta, cut(lowAt));
  const high = sub(eta, cut(highAt));
  const aboveLow = select(isFirst, ZERO, call1('log_inv_logit', low));
  const belowHigh = select(isLast, ZERO, neg(call1('log1p_exp', high)));
  const isOuter = or(isFirst, isLast);
  const between = select(isOuter, { kind: 'const', type: 'real', value: -1 }, sub(high, low));
  return add(add(aboveLow, belowHigh), select(isOuter, ZERO, call1('log1m_exp', between)));
}

const INFINITE = real(Number.POSITIVE_INFINITY);

/** log P(category) of the ordered probit distribution: the logarithm of a difference of two normal distribution functions. */
function orderedProbit(category: Expr, eta: Expr, cuts: Expr, cut: (k: Expr) => Expr): Expr {
  const isFirst = compare('eq', category, int(1));
  const isLast = compare('gt', category, cuts);
  const high = sub(cut(select(isLast, sub(cuts, int(1)), sub(category, int(1)))), eta);
  const low = sub(cut(select(isFirst, int(0), sub(category, int(2)))), eta);
  return call2('log_Phi_between', select(isFirst, neg(INFINITE), low), select(isLast, INFINITE, high));
}

interface Row {
  readonly name: string;
  readonly messageName: string;
  readonly computes: string;
  readonly patterns: readonly string[];
  readonly cutWords: readonly [ordered: string, last: string, first: string];
  readonly value: typeof orderedLogistic;
}

function ordered(row: Row): FunctionEntry {
  return structured(FAMILY, row.name, { computes: row.computes }, row.patterns, (builder, [y, lambda, c], emit) => {
    const name = row.messageName;
    const cuts = vectorsOf(reusable(builder, c));
    const categories = add(cuts.size, int(1));
    checkConsistentSizes(builder, name, [
      ['Integers', y],
      ['Locations', lambda],
    ]);
    const count = countOf(y, lambda);
    if (cuts.many !== null) {
      checkMatch(builder, name, 'Length of location variables ', count, 'Number of cutpoint vectors ', cuts.many);
    }
    if (row.messageName === 'ordered_probit') checkNotEmpty(builder, name, 'Cut-points', cuts.size);
    checkLocation(builder, name, lambda);
    checkCategories(builder, name, y, categories);
    checkCuts(builder, name, row.cutWords, cuts);
    const category = (n: Expr): Expr => (y.kind === 'scalar' ? y.value : containerOf(y).flat(n));
    const eta = (n: Expr): Expr => (lambda.kind === 'scalar' ? lambda.value : containerOf(lambda).flat(n));
    const term = (n: Expr): Expr =>
      row.value(bindOnce(builder, category(n)), bindOnce(builder, eta(n)), cuts.size, (k) => cuts.at(n, k));
    builder.each(count, (n) => emit(term(n), lambda, c));
  });
}

function countOf(...values: readonly Value[]): Expr {
  for (const value of values) if (value.kind === 'container') return value.sizes[0];
  return int(1);
}

function checkLocation(builder: Builder, name: string, lambda: Value): void {
  if (lambda.kind === 'scalar')
    require(builder, finite, lambda.value, { function: name, argument: 'Location parameter' });
  else checkEach(builder, name, 'Location parameter', containerOf(lambda), finite);
}

function checkCategories(builder: Builder, name: string, y: Value, categories: Expr): void {
  const words = 'Random variable';
  if (y.kind === 'scalar') require(builder, fromOneTo(categories), y.value, { function: name, argument: words });
  else checkEach(builder, name, words, containerOf(y), fromOneTo(categories));
}

function checkCuts(builder: Builder, name: string, words: Row['cutWords'], cuts: Vectors): void {
  if (cuts.many === null) checkCutPoints(builder, name, words, cuts.size, (k) => cuts.at(int(0), k));
  else builder.each(cuts.many, (n) => checkCutPoints(builder, name, words, cuts.size, (k) => cuts.at(n, k)));
}

export const ORDERED: readonly FunctionEntry[] = [
  ordered({
    name: 'ordered_logistic_lpmf',
    messageName: 'ordered_logistic',
    computes: 'Log probability of ordered outcomes with cut points on the log odds scale',
    patterns: ['(int, real, vector) => real', '(array[] int, vector, vector | array[] vector) => real'],
    cutWords: ['Cut-points', 'Final cut-point', 'First cut-point'],
    value: orderedLogistic,
  }),
  ordered({
    name: 'ordered_probit_lpmf',
    messageName: 'ordered_probit',
    computes: 'Log probability of ordered outcomes with cut points on the normal scale',
    patterns: ['(int, real, vector) => real', '(array[] int, real | vector, vector | array[] vector) => real'],
    cutWords: ['Cut-points', 'Final cut point', 'First cut point'],
    value: orderedProbit,
  }),
];
