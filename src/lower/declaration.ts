import type { Typed, Variable } from '../check/typed.js';
import { checkTall } from '../functions/constraints/cholesky-factors.js';
import { elementOf } from '../ir/builder.js';
import { composite } from '../ir/composite.js';
import { compare, int, real } from '../ir/expressions.js';
import type { Expr, ScalarType } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { type AutodiffLevel, partsOf, type Type } from '../language/types.js';
import { spanText } from '../source/span.js';
import type { Declaration, Expression, Identifier, SizedType } from '../syntax/ast.js';
import { visitExpression } from '../syntax/walk.js';
import { assignStorage } from './assignment.js';
import { isAtMost } from './bounds.js';

import { startFresh, storeFresh } from './fresh.js';
import type { Lowering } from './lowering.js';
import { isDeclaredEmpty, isResizable, letResize } from './resizing.js';
import { type DeclaredSizes, partSizes } from './sizes.js';
import { promoteValue, type Storage, valueIn } from './values.js';

/** The size expressions of a declared type, arrays first. */
function sizeExpressions(type: SizedType<Typed>): readonly Expression<Typed>[] {
  switch (type.kind) {
    case 'array':
      return [...type.sizes, ...sizeExpressions(type.element)];
    case 'vector':
    case 'row_vector':
    case 'complex_vector':
    case 'complex_row_vector':
      return [type.size];
    case 'matrix':
    case 'complex_matrix':
      return [type.rows, type.columns];
    default:
      return [];
  }
}

export function innermost(type: SizedType<Typed>): Exclude<SizedType<Typed>, { kind: 'array' }> {
  return type.kind === 'array' ? innermost(type.element) : type;
}

/**
 * What is declared. The sizes of a `parameter` must leave free values for its constraint; messages about it and about an `output` name the
 * slots of tuples, `x[].1`; other messages name the variable.
 */
export type SizeRules = 'local' | 'output' | 'parameter';

/** Evaluates a declaration's sizes, once for all its variables, and rejects invalid sizes with Stan's messages. */
export function lowerSizes(
  lowering: Lowering,
  type: SizedType<Typed>,
  name: string,
  storage: 'local' | 'global' = 'local',
  rules: SizeRules = 'local',
): DeclaredSizes {
  const inner = innermost(type);
  const expressions = sizeExpressions(type);
  const outer = expressions.length - sizeExpressions(inner).length;
  const sizes = expressions.map((e, axis) => {
    const size = lowering.hold(lowering.scalar(e), 'size', storage);
    const least = rules === 'parameter' ? leastSize(inner, axis - outer) : NOT_NEGATIVE;
    const subject = `variable=${name}; dimension size expression=${oneLine(spanText(e.span))}`;
    lowering.at(e.span, () => checkSize(lowering, size, least, subject));
    // Sizes of global variables are checked before anything else runs.
    if (storage === 'global' && size.kind === 'get') lowering.known.nonNegative.add(size.local);
    return size;
  });
  if (inner.kind !== 'tuple') {
    if (rules === 'parameter' && constraintOf(inner) === 'cholesky_factor_cov') {
      const [rows, columns] = sizes.slice(outer);
      lowering.at(expressions[outer].span, () =>
        checkTall(lowering.builder, `cholesky_factor_cov ${name}`, rows, columns),
      );
    }
    return { kind: 'sizes', sizes };
  }
  const slot = (i: number): string => (rules === 'local' ? name : `${name}${'[]'.repeat(outer)}.${i + 1}`);
  return {
    kind: 'slots',
    outer: sizes,
    slots: inner.elements.map((element, i) => lowerSizes(lowering, element, slot(i), storage, rules)),
  };
}

/** The minimum size, and the term for a smaller one in messages. */
interface LeastSize {
  readonly size: 0 | 1;
  readonly words: string;
  /** The term for size 1, if that is also too small. */
  readonly wordsOfOne?: string;
}

const NOT_NEGATIVE: LeastSize = { size: 0, words: 'Found negative dimension size in variable declaration' };
const POSITIVE: LeastSize = {
  size: 1,
  words: 'Found dimension size less than one in constrained type declaration (simplex, sum_to_zero_vector, etc.)',
};
const MORE_THAN_ONE: LeastSize = {
  size: 1,
  words: 'Found dimension size less than one in unit vector declaration',
  wordsOfOne:
    'Found dimension size one in unit vector declaration. One-dimensional unit vector is discrete but the target distribution must be continuous.',
};

/** For an axis of a parameter's innermost type; axes of arrays have negative indexes. */
function leastSize(type: SizedType<Typed>, axis: number): LeastSize {
  if (axis < 0) return NOT_NEGATIVE;
  switch (constraintOf(type)) {
    case 'unit_vector':
      return MORE_THAN_ONE;
    case 'simplex':
    case 'sum_to_zero_vector':
    case 'sum_to_zero_matrix':
      return POSITIVE;
    case 'row_stochastic_matrix':
      return axis === 1 ? POSITIVE : NOT_NEGATIVE;
    case 'column_stochastic_matrix':
      return axis === 0 ? POSITIVE : NOT_NEGATIVE;
    default:
      return NOT_NEGATIVE;
  }
}

function constraintOf(type: SizedType<Typed>): string {
  return 'constraint' in type ? type.constraint.kind : 'none';
}

function checkSize(lowering: Lowering, size: Expr, least: LeastSize, subject: string): void {
  const { builder } = lowering;
  if (least.wordsOfOne !== undefined) {
    builder.check(compare('ne', size, int(1)), `${least.wordsOfOne} ${subject}`, [], 'error');
  }
  if (isAtMost(lowering, int(least.size), size)) return;
  const words = `${least.words}; ${subject}; expression value={0}`;
  builder.check(compare('ge', size, int(least.size)), words, [size], 'error');
}

/** An expression as Stan prints it: on one line, with spaces around operators. */
function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\s*(%\/%|[+*/%^-])\s*/g, ' $1 ')
    .replace(/,\s*/g, ', ')
    .replace(/([(,[]|^) - /g, '$1-')
    .trim();
}

/** Lowers a declaration with its initial values, and binds its variables. */
export function lowerDeclaration(lowering: Lowering, declaration: Declaration<Typed>): void {
  for (const { name, initialValue } of declaration.variables) {
    const sizes = lowerSizes(lowering, declaration.type, name.name);
    declareVariable(lowering, name, sizes, initialValue, 'local');
  }
}

/** The storage of a declared variable. `global` is for transformed data; an `output` is written with its declared sizes and keeps them. */
export type StorageClass = 'local' | 'output' | 'global';

/** Declares one variable whose sizes are known. */
export function declareVariable(
  lowering: Lowering,
  name: Identifier,
  sizes: DeclaredSizes,
  initialValue: Expression<Typed> | undefined,
  storageClass: StorageClass,
): void {
  const variable = lowering.declared(name);
  const level = localLevel(lowering, variable.level);
  const { type } = variable;
  const { block } = lowering.builder;
  const storage = storageClass === 'global' ? 'global' : 'local';
  const mayResize = storageClass !== 'output' && isDeclaredEmpty(sizes);
  const bind = (value: Value, place: Storage): void => {
    lowering.bind(variable, { value, storage: place, ...(storage === 'local' ? { block } : {}) });
  };
  const bindUninitialized = (): void => {
    const place = allocate(lowering, type, sizes, name.name, storage, 'uninitialized');
    if (mayResize) letResize(lowering, place);
    bind(declaredValue(lowering, place, type, level, sizes), place);
  };
  if (initialValue === undefined) {
    bindUninitialized();
    return;
  }
  if (reads(initialValue, variable)) bindUninitialized();
  const firstFresh = startFresh(lowering.builder);
  const value = promoteValue(lowering.expression(initialValue), type);
  if (storage === 'local' && !mayResize) {
    const stored = storeFresh(lowering, { type, level, sizes, name: name.name }, value, firstFresh);
    bind(stored.value, stored.storage);
    return;
  }
  const place = allocate(lowering, type, sizes, name.name, storage, 'none');
  if (mayResize) letResize(lowering, place);
  const holder = declaredValue(lowering, place, type, level, sizes);
  assignStorage(lowering, place, holder, value, name.name);
  bind(holder, place);
}

/** Whether an expression reads a variable: Stan permits that in the initial value of its declaration. */
function reads(e: Expression<Typed>, variable: Variable): boolean {
  let found = false;
  visitExpression(e, {
    expression: (node) => {
      found ||= node.kind === 'variable' && node.symbol === variable;
    },
    statement: () => {},
  });
  return found;
}

/** The level of a local variable; inside a function, it is data if all arguments of the call are data. */
function localLevel(lowering: Lowering, annotated: AutodiffLevel): AutodiffLevel {
  const level = lowering.level(annotated);
  return lowering.scope.frame?.level === 'data' ? 'data' : level;
}

/** Storage for a variable. Elements without a value start as NaN, like Stan's locals. */
function allocate(
  lowering: Lowering,
  type: Type,
  sizes: DeclaredSizes,
  name: string,
  storage: 'local' | 'global',
  fill: 'none' | 'uninitialized',
): Storage {
  const { builder } = lowering;
  const types = partsOf(type);
  if (types !== null || sizes.kind === 'slots') {
    const parts = partSizes(type, sizes);
    return {
      kind: 'composite',
      parts: parts.map((part, i) => allocate(lowering, types?.[i] ?? type, part, `${name}.${i + 1}`, storage, fill)),
    };
  }
  if (sizes.sizes.length === 0) {
    const local = builder.newLocal(elementOf(type), name, storage);
    if (fill === 'uninitialized') builder.assign(local, uninitialized(local.type));
    return { kind: 'scalar', local };
  }
  return { kind: 'container', ref: builder.allocate(elementOf(type), sizes.sizes, name, fill, storage) };
}

function uninitialized(type: ScalarType): Expr {
  return type === 'int' ? int(-(2 ** 31)) : real(Number.NaN);
}

/** The value in a declared variable's storage. */
function declaredValue(
  lowering: Lowering,
  storage: Storage,
  type: Type,
  level: AutodiffLevel,
  sizes: DeclaredSizes,
): Value {
  const types = partsOf(type);
  if (storage.kind === 'composite' && types !== null) {
    const parts = partSizes(type, sizes);
    return composite(
      type,
      storage.parts.map((part, i) => declaredValue(lowering, part, types[i], level, parts[i])),
    );
  }
  const isKnown = sizes.kind === 'sizes' && !isResizable(lowering, storage);
  return valueIn(storage, type, level, isKnown ? sizes.sizes : []);
}
