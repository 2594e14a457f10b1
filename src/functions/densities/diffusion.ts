import type { Builder } from '../../ir/builder.js';
import { add, compare, div, int, log, mul, real, square, sub, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { applyOp } from '../../ir/ops.js';
import type { Value } from '../../ir/value.js';
import { scalarOf } from '../broadcast.js';
import { above, below, between, finite, nonnegative, positive, positiveFinite, type Requirement } from '../checks.js';
import { addTerms, valueOfTerms } from '../density.js';
import { type Argument, type DensityRow, keptFor, reals } from '../density-row.js';
import type { DensityEntry, Sink } from '../entry.js';
import { signaturesOf } from '../signatures.js';
import { half } from './formulas.js';

/** First passage times of a diffusion between two barriers, as models of choices and response times. */
const FAMILY = 'diffusion models';
const PASSAGE = 'First passage of a diffusion at the upper of two barriers';

type Checks = NonNullable<DensityRow['checks']>;

const ARGUMENTS: readonly Argument[] = [
  reals('Random variable'),
  reals('Boundary separation'),
  reals('Nondecision time'),
  reals('A-priori bias'),
  reals('Drift rate'),
  reals('Inter-trial variability in drift rate'),
  reals('Inter-trial variability in A-priori bias'),
  reals('Inter-trial variability in Nondecision time'),
];
const [Y, A, T0, W, V, SV, SW, ST0] = ARGUMENTS.keys();

const afterOnset: Requirement = {
  holds: (y, others) => compare('gt', y, others[T0]),
  must: '',
  text: 'Random variable  = {0}, but must be greater than nondecision time = {1}',
  values: (others) => [others[T0]],
  reads: [T0],
};

/**
 * Requires that starting points do not reach a barrier: half their range must be less than `room`, the distance from their center to the
 * barrier.
 */
function rangeBelow(room: (w: Expr) => Expr, words: string): Requirement {
  return {
    holds: (sw, others) => compare('gt', sub(room(others[W]), half(sw)), ZERO),
    must: '',
    text: `Inter-trial variability in A-priori bias  = {0}, but must be smaller than 2*(${words}) = {1}`,
    values: (others) => [mul(real(2), room(others[W]))],
    reads: [W],
  };
}

const BASE: Checks = [
  [Y, positiveFinite],
  [A, positiveFinite],
  [V, finite],
  [W, below(1)],
  [W, above(0)],
  [T0, nonnegative],
  [T0, finite],
];
const SPREAD: Checks = [
  [SV, nonnegative],
  [SV, finite],
];
const ONSET: Checks = [[Y, afterOnset]];
const FULL: Checks = [
  ...BASE,
  ...SPREAD,
  [SW, between(0, 1)],
  [ST0, nonnegative],
  [ST0, finite],
  ...ONSET,
  [SW, rangeBelow((w) => w, 'A-priori bias')],
  [SW, rangeBelow((w) => sub(real(1), w), '1-A-priori bias')],
];

/** The density without variability between trials, as in Stan's older implementation. */
const SIMPLE: DensityRow = {
  computes: PASSAGE,
  arguments: ARGUMENTS.slice(0, 5),
  checks: [[Y, positive], [A, positiveFinite], [T0, positiveFinite], [W, between(0, 1)], [V, finite], ...ONSET],
  terms: (y, alpha, tau, beta, delta) => {
    const elapsed = sub(y, tau);
    const distance = sub(real(1), beta);
    const drift = sub(mul(mul(delta, alpha), distance), half(mul(square(delta), elapsed)));
    const passage = applyOp('first_passage', int(0), div(elapsed, square(alpha)), distance);
    return [keptFor(sub(add(drift, passage), mul(real(2), log(alpha))), y, alpha, tau, beta, delta)];
  },
};

const VARYING_DRIFT: DensityRow = {
  computes: PASSAGE,
  arguments: ARGUMENTS.slice(0, 6),
  messageName: 'wiener5_lpdf',
  checks: [...BASE, ...SPREAD, ...ONSET],
  terms: (y, a, t0, w, v, sv) => [
    keptFor(applyOp('wiener_density', int(0), sub(y, t0), a, v, w, sv), y, a, t0, w, v, sv),
  ],
};

function fullDensity(error: Expr | null): DensityRow {
  return {
    computes: PASSAGE,
    arguments: ARGUMENTS,
    checks: FULL,
    terms: (...args) => [keptFor(applyOp('wiener_full', int(0), ...args, error ?? real(1e-4)), ...args)],
  };
}

function distribution(name: string, count: number, isUpper: boolean, error: Expr | null): DensityRow {
  const isFull = count === 8;
  return {
    computes: PASSAGE,
    arguments: ARGUMENTS.slice(0, count),
    checks: isFull ? FULL : [...BASE, ...ONSET],
    messageName: isFull ? name : isUpper ? 'wiener4_lccdf' : 'wiener4_lcdf',
    terms: (...args) => {
      const all = ARGUMENTS.map((_, k) => (k < count ? args[k] : ZERO));
      return [
        keptFor(
          applyOp('wiener_full_distribution', int(0), ...all, real(isUpper ? 1 : 0), error ?? real(1e-8)),
          ...args,
        ),
      ];
    },
  };
}

/** Selects a row by the number of arguments, which may be followed by the relative error of derivatives. */
function byCount(
  name: string,
  computes: string,
  patterns: readonly string[],
  counts: readonly number[],
  rowOf: (count: number, error: Expr | null) => DensityRow,
): DensityEntry {
  const addTo = (
    builder: Builder,
    args: readonly Value[],
    sink: Sink,
    call: { readonly dropConstants: boolean },
  ): void => {
    const hasError = !counts.includes(args.length);
    const numbers = hasError ? args.slice(0, -1) : args;
    const error = hasError ? scalarOf(args[args.length - 1]) : null;
    addTerms(builder, name, rowOf(numbers.length, error), numbers, sink, call.dropConstants);
  };
  return {
    name,
    family: FAMILY,
    documentation: { computes, source: 'Henrich et al., Behavior Research Methods, 2023' },
    signatures: signaturesOf(name, patterns),
    addTo,
    build: (builder, args, call) =>
      valueOfTerms(builder, args, (sink) => addTo(builder, args, sink, call), call.dropConstants),
  };
}

/** Signatures with `count` scalars or `count` vectors, with and without the relative error. */
function withError(count: number): string[] {
  return ['real', 'vector'].flatMap((type) => {
    const list = Array.from({ length: count }, () => type).join(', ');
    return [`(${list}) => real`, `(${list}, data real) => real`];
  });
}

const UNNORMALISED = [...withError(5), ...withError(8)];

function tail(name: string, computes: string, isUpper: boolean): DensityEntry {
  return byCount(name, computes, UNNORMALISED, [5, 8], (count, error) => distribution(name, count, isUpper, error));
}

export const DIFFUSION: readonly DensityEntry[] = [
  byCount(
    'wiener_lpdf',
    'Log density of the time y at which the upper barrier is reached, given boundary separation, nondecision time, starting point and drift, and the variability of drift, starting point and nondecision time between trials; the last argument is the relative tolerance of derivatives',
    ['(reals, reals, reals, reals, reals) => real', ...withError(6), ...withError(8)],
    [5, 6, 8],
    (count, error) => (count === 5 ? SIMPLE : count === 6 ? VARYING_DRIFT : fullDensity(error)),
  ),
  tail('wiener_lcdf_unnorm', 'Log probability of reaching the upper barrier before y', false),
  tail('wiener_lccdf_unnorm', 'Log probability of reaching the upper barrier after y', true),
];
