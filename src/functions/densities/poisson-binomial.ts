import { type Builder, scalar } from '../../ir/builder.js';
import {
  add,
  and,
  call2,
  compare,
  div,
  exp,
  get,
  int,
  load,
  log,
  log1p,
  mul,
  neg,
  ONE,
  real,
  select,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { bindOnce, containerOf } from '../broadcast.js';
import { between, finite, require } from '../checks.js';
import type { FunctionEntry } from '../entry.js';
import { rowsOf } from '../row.js';
import { reusable } from '../shapes.js';
import { KEPT, structured } from './multivariate-row.js';

/**
 * The number of successes among independent trials with different probabilities. The recurrence over the trials (Barlow and Heidtmann, IEEE
 * Trans. Reliab. 33, 1984) adds positive numbers only, so neither values nor derivatives lose digits. If the probability underflows, the
 * trials are tilted exponentially: their odds are multiplied by exp(t), so that the mean is y.
 */
const FAMILY = 'counts';
const row = rowsOf(FAMILY);

const TINY = real(1e-250);
/** Bound of the tilt |t|; exp(±LIMIT) is finite and not 0. */
const LIMIT = 700;
/** Number of bisections of that interval. The tilt need not be accurate, because the result is corrected for it. */
const HALVINGS = 24;

/** The weights of a trial in the recurrence: the probabilities of failure and success, divided by `scale`. */
interface Trial {
  readonly failure: Expr;
  readonly success: Expr;
  readonly scale: Expr;
}

type Trials = (i: Expr) => Trial;

/** The number with derivative 0. */
const constant = (x: Expr): Expr => call2('copysign', x, x);

const plain =
  (theta: ContainerValue): Trials =>
  (i) => ({ failure: sub(ONE, theta.flat(i)), success: theta.flat(i), scale: ONE });

/** Trials whose odds are multiplied by the constant `odds`. */
const tilted =
  (theta: ContainerValue, odds: Expr): Trials =>
  (i) => {
    const p = theta.flat(i);
    const success = mul(p, odds);
    const failure = sub(ONE, p);
    const scale = constant(add(failure, success));
    return { failure: div(failure, scale), success: div(success, scale), scale };
  };

/** A row-major matrix with the weight of j ≤ y successes in the first i trials as element (i, j). */
function weightsOf(builder: Builder, trials: Trials, many: Expr, y: Expr): (i: Expr, j: Expr) => Expr {
  const width = builder.bind(add(y, int(1)), 'width');
  const table: Ref = builder.allocate('real', [add(many, int(1)), width], 'weights');
  const place = (i: Expr, j: Expr): Expr => add(mul(i, width), j);
  builder.each(width, (j) => builder.store(table, j, select(compare('eq', j, int(0)), ONE, ZERO)));
  builder.each(many, (i) => {
    const { failure, success } = trials(i);
    const [q, p] = [builder.bind(failure), builder.bind(success)];
    const before = builder.bind(place(i, int(0)));
    const after = builder.bind(add(before, width));
    builder.store(table, after, mul(q, load(table, before)));
    builder.for(int(1), width, (j) =>
      builder.store(
        table,
        add(after, j),
        add(mul(q, load(table, add(before, j))), mul(p, load(table, sub(add(before, j), int(1))))),
      ),
    );
  });
  return (i, j) => load(table, place(i, j));
}

/** The tilt t for which the trials have the mean `target`, without a derivative. */
function tiltOf(builder: Builder, theta: ContainerValue, target: Expr): Expr {
  const [low, high] = ['low', 'high'].map((name) => builder.newLocal('real', name));
  builder.assign(low, real(-LIMIT));
  builder.assign(high, real(LIMIT));
  builder.each(int(HALVINGS), () => {
    const middle = builder.bind(mul(real(0.5), add(get(low), get(high))));
    const odds = builder.bind(exp(middle));
    const mean = builder.sum(theta.sizes[0], (i) => {
      const p = constant(theta.flat(i));
      return div(mul(p, odds), add(sub(ONE, p), mul(p, odds)));
    });
    const isBelow = builder.bind(compare('lt', mean, target));
    builder.if(
      isBelow,
      () => builder.assign(low, middle),
      () => builder.assign(high, middle),
    );
  });
  return builder.bind(mul(real(0.5), add(get(low), get(high))), 'tilt');
}

/**
 * A sum of weights and its logarithm. `sumOf` computes the sum from trials and their tilt. It is computed for the given trials or, if it
 * underflows, for tilted trials with mean `target`. `canBe` is false if the sum is exactly 0.
 */
function logOfSum(
  builder: Builder,
  theta: ContainerValue,
  target: Expr,
  canBe: Expr,
  sumOf: (trials: Trials, tilt: Expr) => Expr,
): { readonly value: Expr; readonly log: Expr } {
  const [value, result] = ['value', 'log_value'].map((name) => builder.newLocal('real', name));
  builder.assign(value, sumOf(plain(theta), ZERO));
  const isSmall = and(canBe, compare('lt', get(value), TINY));
  builder.if(
    builder.bind(isSmall),
    () => {
      const tilt = tiltOf(builder, theta, toReal(target));
      const trials = tilted(theta, builder.bind(exp(tilt)));
      const sum = sumOf(trials, tilt);
      const scale = builder.sum(theta.sizes[0], (i) => log(trials(i).scale));
      builder.assign(result, add(sub(scale, mul(tilt, toReal(target))), log(sum)));
    },
    () => builder.assign(result, log(get(value))),
  );
  return { value: get(value), log: get(result) };
}

function logMass(builder: Builder, theta: ContainerValue, y: Expr): Expr {
  const many = theta.sizes[0];
  return logOfSum(builder, theta, y, int(1), (trials) => weightsOf(builder, trials, many, y)(many, y)).log;
}

/** log P(Y ≤ y) and log P(Y > y). The larger one is computed from the smaller one. */
function logTails(builder: Builder, theta: ContainerValue, y: Expr): { readonly below: Expr; readonly above: Expr } {
  const many = theta.sizes[0];
  const mean = builder.sum(many, (i) => constant(theta.flat(i)));
  const [below, above] = ['below', 'above'].map((name) => builder.newLocal('real', name));
  builder.if(
    builder.bind(compare('lt', toReal(y), mean)),
    () => {
      const { value, log: logValue } = logOfSum(builder, theta, y, int(1), (trials, tilt) => {
        const weight = weightsOf(builder, trials, many, y);
        return builder.sum(add(y, int(1)), (j) => mul(weight(many, j), exp(mul(tilt, toReal(sub(y, j))))));
      });
      builder.assign(below, logValue);
      builder.assign(above, log1p(neg(value)));
    },
    () => {
      // Sums over the trial at which the number of successes first exceeds y.
      const next = builder.bind(add(y, int(1)));
      const { value, log: logValue } = logOfSum(builder, theta, next, compare('lt', y, many), (trials) => {
        const weight = weightsOf(builder, trials, many, y);
        const total = builder.newLocal('real', 'exceeding');
        builder.assign(total, ZERO);
        builder.each(many, (i) => {
          const { success, scale } = trials(i);
          builder.assign(total, add(div(get(total), scale), mul(weight(i, y), success)));
        });
        return get(total);
      });
      builder.assign(above, logValue);
      builder.assign(below, log1p(neg(value)));
    },
  );
  return { below: get(below), above: get(above) };
}

/** Makes the checks in Stan's order and sums over the outcomes. */
function sumOver(
  builder: Builder,
  name: string,
  [outcomes, probabilities]: readonly Value[],
  of: (theta: ContainerValue, y: Expr) => Expr,
): Expr {
  const theta = reusable(builder, probabilities);
  const many = theta.sizes[0];
  const check = (y: Expr): void => {
    const inside = and(compare('ge', y, int(0)), compare('le', y, many));
    builder.check(inside, `${name}: Successes variable is {0}, but must be in the interval [0, {1}]`, [y, many]);
    checkProbabilities(builder, name, theta);
  };
  if (outcomes.kind === 'scalar') {
    const y = bindOnce(builder, outcomes.value);
    check(y);
    return of(theta, y);
  }
  const counts = containerOf(outcomes);
  builder.each(counts.sizes[0], (n) => check(builder.bind(counts.flat(n))));
  return builder.sum(counts.sizes[0], (n) => of(theta, builder.bind(counts.flat(n))));
}

export function checkProbabilities(builder: Builder, name: string, theta: ContainerValue): void {
  for (const requirement of [finite, between(0, 1)]) {
    builder.each(theta.sizes[0], (i) =>
      require(builder, requirement, builder.bind(theta.flat(i)), {
        function: name,
        argument: 'Probability parameters',
        index: i,
      }),
    );
  }
}

const PATTERNS = ['(ints, vector | row_vector | array[] real) => real'];

function distribution(
  name: string,
  computes: string,
  of: (builder: Builder, theta: ContainerValue, y: Expr) => Expr,
  finish: (sum: Expr) => Expr = (sum) => sum,
): FunctionEntry {
  return row(name, computes, PATTERNS, (builder, args) =>
    scalar(finish(sumOver(builder, name, args, (theta, y) => of(builder, theta, y))), args[1].level),
  );
}

export const POISSON_BINOMIAL: readonly FunctionEntry[] = [
  structured(
    FAMILY,
    'poisson_binomial_lpmf',
    { computes: 'Log probability of y successes among trials with the probabilities theta' },
    PATTERNS,
    (builder, args, emit) => {
      const name = 'poisson_binomial_lpmf';
      emit(
        sumOver(builder, name, args, (theta, y) => logMass(builder, theta, y)),
        KEPT,
      );
    },
  ),
  distribution(
    'poisson_binomial_cdf',
    'Probability of at most y successes among trials with the probabilities theta',
    (builder, theta, y) => logTails(builder, theta, y).below,
    exp,
  ),
  distribution(
    'poisson_binomial_lcdf',
    'Log probability of at most y successes among trials with the probabilities theta',
    (builder, theta, y) => logTails(builder, theta, y).below,
  ),
  distribution(
    'poisson_binomial_lccdf',
    'Log probability of more than y successes among trials with the probabilities theta',
    (builder, theta, y) => logTails(builder, theta, y).above,
  ),
];
