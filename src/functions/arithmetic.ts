import type { Builder } from '../ir/builder.js';
import { levelOf, scalar } from '../ir/builder.js';
import { add, div, mul, neg, sub } from '../ir/exact.js';
import { and, compare, int, not, or, real } from '../ir/expressions.js';
import { INT_MIN } from '../ir/integers.js';
import type { Expr } from '../ir/nodes.js';
import type { SizeMismatch } from './broadcast.js';
import { binaryMismatch, elementwise, scalarOf } from './broadcast.js';
import type { FunctionEntry } from './entry.js';
import { signaturesOf } from './signatures.js';

/** The elementwise operators; products and solutions of matrices are in `linear-algebra`. */
type Formula = (x: Expr, y: Expr, builder: Builder) => Expr;

const SCALING = [
  '(S, S) => S where S = int | real',
  '(real, T) => T where T = matrices',
  '(T, real) => T where T = matrices',
];

const PAIRED = [...SCALING, '(T, T) => T where T = matrices'];

function operator(
  name: string,
  computes: string,
  formula: Formula,
  options: { readonly patterns?: readonly string[]; readonly isSum?: boolean; readonly costly?: boolean } = {},
): FunctionEntry {
  const { patterns = PAIRED, isSum = false, costly } = options;
  return {
    name,
    family: 'arithmetic',
    documentation: { computes },
    signatures: signaturesOf(name, patterns),
    build: (builder, args, call) =>
      elementwise(builder, call.result, args, (x, y) => formula(x, y, builder), {
        mismatch: mismatchOf(name, isSum),
        ...(costly === undefined ? {} : { costly }),
      }),
  };
}

/** The size error of a sum or difference. With parameters, Stan's names differ: `add: a (3, 1) and b (2, 1) must match in size`. */
function mismatchOf(name: string, isSum: boolean): SizeMismatch {
  return (first, other, axis) => {
    const hasOwnNames = isSum && levelOf([first, other]) === 'autodiff';
    return (hasOwnNames ? binaryMismatch(name, 'a', 'b') : binaryMismatch(name, 'm1', 'm2'))(first, other, axis);
  };
}

function quotient(name: string): Formula {
  return (x, y, builder) => (x.type === 'int' && y.type === 'int' ? intQuotient(builder, name, x, y) : div(x, y));
}

function intQuotient(builder: Builder, name: string, x: Expr, y: Expr): Expr {
  builder.check(compare('ne', y, int(0)), `${name}: denominator is {0}`, [y]);
  const fits = or(compare('ne', y, int(-1)), compare('ne', x, int(INT_MIN)));
  builder.check(fits, `${name}: the quotient of {0} and {1} is not an int`, [x, y]);
  return { kind: 'apply', type: 'int', op: 'div_int', args: [x, y] };
}

function remainder(x: Expr, y: Expr, builder: Builder): Expr {
  builder.check(compare('ne', y, int(0)), 'modulus: divisor is {0}', [y]);
  return { kind: 'apply', type: 'int', op: 'rem_int', args: [x, y] };
}

/** Applies a sign to every element of any container. */
function sign(name: string, computes: string, formula: (x: Expr) => Expr, patterns: readonly string[]): FunctionEntry {
  return {
    name,
    family: 'arithmetic',
    documentation: { computes },
    signatures: signaturesOf(name, patterns),
    build: (builder, args, call) => elementwise(builder, call.result, args, formula),
  };
}

const SIGNED = '(array[N] T) => array[N] T where T = int | real | matrices';

const INTS = ['(int, int) => int'];
const COMPARED = ['(int | real, int | real) => int'];

function logical(
  name: string,
  computes: string,
  formula: (x: Expr, y: Expr) => Expr,
  patterns: readonly string[],
): FunctionEntry {
  return {
    name,
    family: 'arithmetic',
    documentation: { computes },
    signatures: signaturesOf(name, patterns),
    build: (_, args) => {
      const [x, y] = args.map(scalarOf);
      return scalar(formula(x, y), 'data');
    },
  };
}

function comparison(name: string, computes: string, op: Parameters<typeof compare>[0]): FunctionEntry {
  return logical(name, computes, (x, y) => compare(op, x, y), COMPARED);
}

/** Whether a number counts as true. */
function truth(x: Expr): Expr {
  return compare('ne', x, x.type === 'int' ? int(0) : real(0));
}

export const ARITHMETIC: readonly FunctionEntry[] = [
  operator('add', 'x + y', add, { isSum: true }),
  operator('subtract', 'x - y', sub, { isSum: true }),
  operator('elt_multiply', 'x y, element by element', mul),
  operator('elt_divide', 'x / y, element by element', quotient('elt_divide'), { costly: true }),
  operator('divide', 'x / y; truncated for ints', quotient('divide'), { patterns: SCALING, costly: true }),
  operator('int_divide', 'x / y, truncated', quotient('divide'), { patterns: INTS }),
  operator('modulus', 'Remainder of x / y', remainder, { patterns: INTS }),
  sign('minus', '-x', neg, [SIGNED]),
  sign('plus', 'x', (x) => x, ['(T) => T where T = int | real | matrices']),
  logical('logical_or', '1 if either is non-zero, else 0', (x, y) => or(truth(x), truth(y)), INTS),
  logical('logical_and', '1 if both are non-zero, else 0', (x, y) => and(truth(x), truth(y)), INTS),
  logical('logical_negation', '1 if x is zero, else 0', (x) => not(truth(x)), ['(int) => int']),
  comparison('logical_eq', 'x = y', 'eq'),
  comparison('logical_neq', 'x ≠ y', 'ne'),
  comparison('logical_lt', 'x < y', 'lt'),
  comparison('logical_lte', 'x ≤ y', 'le'),
  comparison('logical_gt', 'x > y', 'gt'),
  comparison('logical_gte', 'x ≥ y', 'ge'),
];
