import type { Builder } from '../../ir/builder.js';
import { lazyFlat, levelOf, scalar } from '../../ir/builder.js';
import {
  add,
  call1,
  call2,
  compare,
  exp,
  int,
  lgamma,
  load,
  log,
  mul,
  neg,
  ONE,
  real,
  select,
  square,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { VECTOR } from '../../language/types.js';
import { bindOnce, containerOf } from '../broadcast.js';
import { between, betweenAnd, finite, nonnegative, positiveFinite, require } from '../checks.js';
import { addTerms, valueOfTerms } from '../density.js';
import { type Argument, type DensityRow, ints, reals, type Term } from '../density-row.js';
import type { FunctionEntry } from '../entry.js';
import { matrixTimesVector, multiplyMatrices } from '../linear-algebra/products.js';
import { checkMatch, reusable } from '../shapes.js';
import { signaturesOf } from '../signatures.js';
import { MINUS_HALF_LOG_TWO_PI, plusOne, standardized, timesLog } from './formulas.js';
import { structured } from './multivariate-row.js';
import { orderedLogistic } from './ordered.js';
import { checkCutPoints, checkEach, fromOneTo } from './validation.js';

/**
 * Regressions whose linear predictor is a matrix times a vector: one product, and one loop over the instances. The design may also be a row
 * vector shared by all instances, or a vector with one attribute per instance.
 */
const FAMILY = 'generalized linear models';

const CONSISTENT =
  '; a function was called with arguments of different scalar, array, vector, or matrix types, and they were not consistently sized;  all arguments must be scalars or multidimensional values of the same shape.';

export function checkSize(builder: Builder, name: string, words: string, value: Value, expected: Expr): void {
  if (value.kind !== 'container' || value.sizes[0] === expected) return;
  builder.check(
    compare('eq', value.sizes[0], expected),
    `${name}: ${words} has dimension = {0}, expecting dimension = {1}${CONSISTENT}`,
    [value.sizes[0], expected],
    'error',
  );
}

/** The number of instances: the rows of the design, or the number of outcomes if the design is one row. */
function instancesOf(design: ContainerValue, y: Value): Expr {
  if (design.type.kind !== 'row_vector') return design.sizes[0];
  return y.kind === 'container' ? y.sizes[0] : int(1);
}

function attributesOf(design: ContainerValue): Expr {
  return design.type.kind === 'vector' ? int(1) : design.sizes[design.sizes.length - 1];
}

/** x beta: a vector, or a scalar if the design is one row. */
function predictor(builder: Builder, design: ContainerValue, beta: Value): Value {
  if (design.type.kind === 'matrix') return matrixTimesVector(builder, design, beta);
  const weights = containerOf(beta);
  if (design.type.kind === 'vector') {
    const weight = builder.bind(weights.flat(int(0)));
    return lazyFlat(VECTOR, levelOf([design, beta]), design.sizes, (n) => mul(design.flat(n), weight), design.costly);
  }
  const product = builder.sum(design.sizes[0], (k) => mul(design.flat(k), weights.flat(k)));
  return scalar(bindOnce(builder, product), levelOf([design, beta]));
}

interface Use {
  /** Whether constants are dropped. The sum then only needs absolute accuracy, so faster terms are used. */
  readonly dropsConstants: boolean;
}

interface Row {
  readonly computes: string;
  readonly patterns: readonly string[];
  /** The arguments before the design, and those after the weights. */
  readonly outcomes: readonly Argument[];
  readonly others?: readonly Argument[];
  /** Whether Stan checks weights and intercepts before the outcomes. */
  readonly checksWeights?: boolean;
  readonly terms: (outcomes: readonly Expr[], eta: Expr, others: readonly Expr[], use: Use) => readonly Term[];
}

function regression(name: string, row: Row): FunctionEntry {
  const { outcomes, others = [] } = row;
  const first = outcomes.length;
  const density = (use: Use): DensityRow => ({
    computes: row.computes,
    arguments: [...outcomes, reals('Matrix of independent variables'), reals('Intercept'), ...others],
    terms: (...args) => row.terms(args.slice(0, first), add(args[first], args[first + 1]), args.slice(first + 2), use),
    sizesAreChecked: true,
  });
  const addTo: NonNullable<FunctionEntry['addTo']> = (builder, args, sink, call) => {
    const design = reusable(builder, args[first]);
    const [alpha, beta] = [args[first + 1], args[first + 2]];
    const scales = args.slice(first + 3);
    const instances = instancesOf(design, args[0]);
    for (const [k, { sizeWords, words }] of outcomes.entries()) {
      checkSize(builder, name, sizeWords ?? words, args[k], instances);
    }
    checkSize(builder, name, 'Weight vector', beta, attributesOf(design));
    for (const [k, { sizeWords, words }] of others.entries()) {
      checkSize(builder, name, sizeWords ?? words, scales[k], instances);
    }
    checkSize(builder, name, 'Vector of intercepts', alpha, instances);
    if (row.checksWeights === true) {
      checkEach(builder, name, 'Weight vector', containerOf(beta), finite);
      if (alpha.kind === 'scalar') require(builder, finite, alpha.value, { function: name, argument: 'Intercept' });
      else checkEach(builder, name, 'Intercept', containerOf(alpha), finite);
    }
    for (const [k, { words, requirements }] of outcomes.entries()) {
      const value = args[k];
      if (value.kind !== 'scalar' || requirements.some(({ reads }) => reads !== undefined)) continue;
      for (const each of requirements) require(builder, each, value.value, { function: name, argument: words });
    }
    const eta = predictor(builder, design, beta);
    const repeated = args.slice(0, first).map((value) => forEach(value, eta, instances));
    addTerms(
      builder,
      name,
      density({ dropsConstants: call.dropConstants }),
      [...repeated, eta, alpha, ...scales],
      sink,
      call.dropConstants,
    );
  };
  return {
    name,
    family: FAMILY,
    documentation: { computes: row.computes },
    signatures: signaturesOf(name, row.patterns),
    addTo,
    build: (builder, args, call) =>
      valueOfTerms(builder, args, (sink) => addTo(builder, args, sink, call), call.dropConstants),
  };
}

/** Repeats a single outcome for every row of the design. */
function forEach(value: Value, eta: Value, instances: Expr): Value {
  if (value.kind !== 'scalar' || eta.kind !== 'container') return value;
  return {
    ...lazyFlat(VECTOR, value.level, [instances], () => value.value),
    type: value.type.kind === 'int' ? INTS : VECTOR,
  };
}

const INTS = { kind: 'array', element: { kind: 'int' } } as const;

/** x beta + alpha for every instance and class, and the classes of the outcomes. */
function classes(
  builder: Builder,
  name: string,
  [y, x, alpha, beta]: readonly Value[],
  emit: (value: Expr, ...of: readonly Value[]) => void,
): void {
  const design = reusable(builder, x);
  const weights = containerOf(beta);
  const intercepts = reusable(builder, alpha);
  const instances = instancesOf(design, y);
  const [attributes, categories] = weights.sizes;
  checkSize(builder, name, 'Vector of dependent variables', y, instances);
  checkSize(builder, name, 'Intercept vector', alpha, categories);
  checkMatch(builder, name, 'x.cols()', attributesOf(design), 'beta.rows()', attributes);
  const words = 'categorical outcome out of support';
  if (y.kind === 'scalar') require(builder, fromOneTo(categories), y.value, { function: name, argument: words });
  else checkEach(builder, name, words, containerOf(y), fromOneTo(categories));
  const isMatrix = design.type.kind === 'matrix';
  const asMatrix: ContainerValue = isMatrix
    ? design
    : { ...builder.materialize(design), type: { kind: 'matrix' }, sizes: [int(1), design.sizes[0]] };
  const product = multiplyMatrices(builder, asMatrix, beta);
  const outcome = (n: Expr): Expr => (y.kind === 'scalar' ? y.value : containerOf(y).flat(n));
  const linear = (n: Expr, k: Expr): Expr => add(product.at(isMatrix ? n : int(0), k), intercepts.flat(k));
  const rows = isMatrix ? instances : int(1);
  const { shift, total } = sumOfExponentials(builder, rows, categories, linear);
  const normalizer = (n: Expr): Expr => add(load(shift, n), log(load(total, n)));
  if (!isMatrix) emit(neg(mul(toReal(instances), normalizer(int(0)))), x, alpha, beta);
  builder.each(instances, (n) => {
    const chosen = linear(n, bindOnce(builder, sub(outcome(n), int(1))));
    emit(isMatrix ? sub(chosen, normalizer(n)) : chosen, x, alpha, beta);
  });
}

/**
 * Per row, a constant shift near the largest linear predictor, and the sum over the classes of exp(predictor - shift). Inner loops run over
 * the rows, because memory is contiguous along them.
 */
function sumOfExponentials(
  builder: Builder,
  rows: Expr,
  categories: Expr,
  linear: (n: Expr, k: Expr) => Expr,
): { readonly shift: Ref; readonly total: Ref } {
  const shift = builder.allocate('real', [rows], 'shift');
  const total = builder.allocate('real', [rows], 'total');
  const whole = (n: Expr, k: Expr): Expr => call1('trunc', linear(n, k));
  builder.each(rows, (n) => builder.store(shift, n, whole(n, int(0))));
  builder.for(int(1), categories, (k) =>
    builder.each(rows, (n) => {
      const value = builder.bind(whole(n, k));
      const largest = builder.bind(load(shift, n));
      builder.store(shift, n, select(compare('gt', value, largest), value, largest));
    }),
  );
  builder.each(rows, (n) => builder.store(total, n, ZERO));
  builder.each(categories, (k) =>
    builder.each(rows, (n) => builder.store(total, n, add(load(total, n), exp(sub(linear(n, k), load(shift, n)))))),
  );
  return { shift, total };
}

/** a log p + b log(1 - p) for p = inv_logit(odds), computed from the smaller of p and 1 - p. */
function logOfShares(a: Expr, b: Expr, odds: Expr): Expr {
  const isPositive = compare('gt', odds, ZERO);
  const nearest = select(isPositive, neg(mul(b, odds)), mul(a, odds));
  return sub(nearest, mul(add(a, b), call1('log1p_exp', select(isPositive, neg(odds), odds))));
}

const COUNTS = [
  '(ints, matrix, real | vector, vector) => real',
  '(array[] int, row_vector, real | vector, vector) => real',
];

const precision: Argument = {
  kind: 'reals',
  words: 'Precision parameter',
  sizeWords: 'Vector of precision parameters',
  requirements: [positiveFinite],
};
const dependent = 'Vector of dependent variables';

export const REGRESSIONS: readonly FunctionEntry[] = [
  regression('normal_id_glm_lpdf', {
    computes: 'Log of the normal density of y with location alpha + x beta and scale sigma',
    patterns: ['(real | vector, matrix | row_vector | vector, real | vector, vector, real | vector) => real'],
    outcomes: [reals(dependent)],
    others: [
      {
        kind: 'reals',
        words: 'Scale vector',
        sizeWords: 'Vector of scale parameters',
        requirements: [positiveFinite],
      },
    ],
    terms: ([y], eta, [sigma]) => [
      MINUS_HALF_LOG_TWO_PI,
      neg(log(sigma)),
      mul(real(-0.5), square(standardized(y, eta, sigma))),
    ],
  }),
  regression('bernoulli_logit_glm_lpmf', {
    computes: 'Log probability of outcomes with log odds alpha + x beta',
    patterns: COUNTS,
    outcomes: [ints(dependent, between(0, 1))],
    terms: ([y], eta) => [neg(call1('log1p_exp', mul(sub(ONE, mul(real(2), toReal(y))), eta)))],
  }),
  regression('poisson_log_glm_lpmf', {
    computes: 'Log probability of counts with log rate alpha + x beta',
    patterns: COUNTS,
    outcomes: [ints(dependent, nonnegative)],
    terms: ([y], eta) => [neg(lgamma(plusOne(toReal(y)))), sub(mul(toReal(y), eta), exp(eta))],
  }),
  regression('neg_binomial_2_log_glm_lpmf', {
    computes: 'Log probability of counts with log mean alpha + x beta and precision phi',
    patterns: [
      '(ints, matrix, real | vector, vector, real) => real',
      '(array[] int, row_vector, real | vector, vector, real) => real',
    ],
    outcomes: [{ ...ints('Failures variables', nonnegative), sizeWords: dependent }],
    others: [precision],
    checksWeights: true,
    terms: ([y], eta, [phi], { dropsConstants }) => {
      const count = toReal(y);
      const logPhi = log(phi);
      const odds = sub(eta, logPhi);
      const quick = [timesLog(phi, phi), neg(mul(add(y, phi), add(logPhi, call1('log1p_exp', odds)))), mul(count, eta)];
      return [
        neg(lgamma(plusOne(count))),
        ...(dropsConstants ? quick : [logOfShares(count, phi, odds)]),
        call2('lgamma_rise', phi, count),
      ];
    },
  }),
  regression('binomial_logit_glm_lpmf', {
    computes: 'Log probability of successes among trials with log odds alpha + x beta',
    patterns: [
      '(array[] int, array[] int, matrix | row_vector, real | vector, vector) => real',
      '(array[] int, int, matrix, real, vector) => real',
      '(int, ints, matrix, real, vector) => real',
      '(int, int, matrix, vector, vector) => real',
    ],
    outcomes: [ints('Successes variable', betweenAnd(0, 1)), ints('Population size parameter', nonnegative)],
    terms: ([n, N], eta, _, { dropsConstants }) => [
      call2('lchoose', N, n),
      dropsConstants
        ? sub(mul(toReal(n), eta), mul(toReal(N), call1('log1p_exp', eta)))
        : logOfShares(toReal(n), toReal(sub(N, n)), eta),
    ],
  }),
  structured(
    FAMILY,
    'categorical_logit_glm_lpmf',
    { computes: 'Log probability of outcomes with log odds alpha + x beta' },
    ['(ints, matrix | row_vector, vector, matrix) => real'],
    (builder, args, emit) => classes(builder, 'categorical_logit_glm_lpmf', args, emit),
  ),
  structured(
    FAMILY,
    'ordered_logistic_glm_lpmf',
    { computes: 'Log probability of ordered outcomes with location x beta and cut points c' },
    ['(ints, matrix | row_vector, vector, vector) => real'],
    (builder, [y, x, beta, c], emit) => {
      const name = 'ordered_logistic_glm_lpmf';
      const design = reusable(builder, x);
      const cuts = reusable(builder, c);
      const instances = instancesOf(design, y);
      const categories = fromOneTo(add(cuts.sizes[0], int(1)));
      checkSize(builder, name, dependent, y, instances);
      checkSize(builder, name, 'Weight vector', beta, attributesOf(design));
      if (y.kind === 'scalar') require(builder, categories, y.value, { function: name, argument: dependent });
      else checkEach(builder, name, dependent, containerOf(y), categories);
      const words = ['Cut-points', 'Final cut-point', 'First cut-point'] as const;
      checkCutPoints(builder, name, words, cuts.sizes[0], cuts.flat);
      const eta = predictor(builder, design, beta);
      const outcome = (n: Expr): Expr => (y.kind === 'scalar' ? y.value : containerOf(y).flat(n));
      const location = (n: Expr): Expr => (eta.kind === 'scalar' ? eta.value : containerOf(eta).flat(n));
      builder.each(instances, (n) =>
        emit(
          orderedLogistic(bindOnce(builder, outcome(n)), bindOnce(builder, location(n)), cuts.sizes[0], cuts.flat),
          x,
          beta,
          c,
        ),
      );
    },
  ),
];
