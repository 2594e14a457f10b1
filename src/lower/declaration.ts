import type { Typed } from '../check/typed.js';
import { elementOf } from '../ir/builder.js';
import { compare, int, real } from '../ir/expressions.js';
import type { Expr, Ref, ScalarType } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { AutodiffLevel, Type } from '../language/types.js';
import { spanText } from '../source/span.js';
import type { Declaration, Expression, Identifier, SizedType } from '../syntax/ast.js';
import { rootOf } from './aliasing.js';
import { assignStorage, checkWholeSizes } from './assignment.js';
import { isAtMost } from './bounds.js';
import { lowerExpression, lowerScalar } from './expressions.js';
import type { Lowering } from './lowering.js';
import { unsupported } from './unsupported.js';
import { promoteValue, type Storage, storedContainer, tupleOf, valueIn } from './values.js';

/** The sizes of a declared variable, evaluated: of a container all of them in order, of a tuple slot by slot. */
export type DeclaredSizes =
  | { readonly kind: 'sizes'; readonly sizes: readonly Expr[] }
  | { readonly kind: 'slots'; readonly slots: readonly DeclaredSizes[] };

/** The expressions that give a declared type's sizes, arrays first. */
export function sizeExpressions(type: SizedType<Typed>): readonly Expression<Typed>[] {
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

/** Evaluates a declaration's sizes, once for all its variables, and refuses negative ones in Stan's words. */
export function lowerSizes(
  lowering: Lowering,
  type: SizedType<Typed>,
  name: string,
  storage: 'local' | 'global' = 'local',
): DeclaredSizes {
  const inner = innermost(type);
  if (inner.kind === 'tuple') {
    if (type.kind === 'array') unsupported(type.span, 'Arrays of tuples are');
    return {
      kind: 'slots',
      slots: inner.elements.map((element, i) => lowerSizes(lowering, element, `${name}.${i + 1}`, storage)),
    };
  }
  if (inner.kind.startsWith('complex')) unsupported(inner.span, 'Complex numbers are');
  const sizes = sizeExpressions(type).map((e) => {
    const size = lowering.hold(lowerScalar(lowering, e), 'size', storage);
    checkSizeNotNegative(lowering, size, name, spanText(e.span));
    // Sizes of global variables are checked before anything else runs.
    if (storage === 'global' && size.kind === 'get') lowering.nonNegative.add(size.local);
    return size;
  });
  return { kind: 'sizes', sizes };
}

function checkSizeNotNegative(lowering: Lowering, size: Expr, name: string, text: string): void {
  if (isAtMost(lowering, int(0), size)) return;
  lowering.builder.check(
    compare('ge', size, int(0)),
    `Found negative dimension size in variable declaration; variable=${name}; dimension size expression=${oneLine(text)}; expression value={0}`,
    [size],
    'error',
  );
}

/** An expression's text as Stan prints it: on one line, with blanks around operators. */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\s*(%\/%|[+*/%^-])\s*/g, ' $1 ')
    .replace(/,\s*/g, ', ')
    .replace(/([(,[]|^) - /g, '$1-')
    .trim();
}

/** Lowers a declaration with its initial values; what it declares is bound from here on. */
export function lowerDeclaration(lowering: Lowering, declaration: Declaration<Typed>): void {
  for (const { name, initialValue } of declaration.variables) {
    const sizes = lowerSizes(lowering, declaration.type, name.name);
    declareVariable(lowering, name, sizes, initialValue, 'local');
  }
}

/** Declares one variable whose sizes are known. */
export function declareVariable(
  lowering: Lowering,
  name: Identifier,
  sizes: DeclaredSizes,
  initialValue: Expression<Typed> | undefined,
  storage: 'local' | 'global',
): void {
  const variable = lowering.program.variables.get(name);
  if (variable === undefined) throw new Error(`Undeclared variable ${name.name}`);
  const level = localLevel(lowering, variable.level);
  const { type } = variable;
  const { block } = lowering.builder;
  if (initialValue !== undefined && storage === 'local' && sizes.kind === 'sizes' && sizes.sizes.length > 0) {
    const firstFresh = lowering.builder.names.fresh();
    const value = promoteValue(lowerExpression(lowering, initialValue), type);
    if (value.kind === 'container' && value.ref !== null && isFresh(value.ref, firstFresh)) {
      const holder = storedContainer(type, level, value.ref, sizes.sizes);
      checkWholeSizes(lowering, holder, value, name.name);
      lowering.bindings.set(variable.id, { value: holder, storage: { kind: 'container', ref: value.ref }, block });
      return;
    }
    const place = allocate(lowering, type, sizes, name.name, storage, 'none');
    const holder = declaredValue(place, type, level, sizes);
    assignStorage(lowering, place, holder, value, name.name, initialValue.span);
    lowering.bindings.set(variable.id, { value: holder, storage: place, ...(storage === 'local' ? { block } : {}) });
    return;
  }
  const value = initialValue === undefined ? null : promoteValue(lowerExpression(lowering, initialValue), type);
  const place = allocate(lowering, type, sizes, name.name, storage, value === null ? 'uninitialised' : 'none');
  const holder = declaredValue(place, type, level, sizes);
  if (value !== null) assignStorage(lowering, place, holder, value, name.name, name.span);
  lowering.bindings.set(variable.id, { value: holder, storage: place, ...(storage === 'local' ? { block } : {}) });
}

/** Of a variable declared here: inside a function, data if the call has data alone. */
function localLevel(lowering: Lowering, annotated: AutodiffLevel): AutodiffLevel {
  const level = lowering.level(annotated);
  return lowering.frame?.level === 'data' ? 'data' : level;
}

/** Memory that an expression made for its value alone, so that a variable may take it over. */
export function isFresh(ref: Ref, firstFresh: number): boolean {
  return ref.parent === null && ref.storage === 'local' && rootOf(ref).id > firstFresh;
}

/** Storage for a variable; what is not given a value starts as NaN, as Stan's locals do. */
export function allocate(
  lowering: Lowering,
  type: Type,
  sizes: DeclaredSizes,
  name: string,
  storage: 'local' | 'global',
  fill: 'none' | 'uninitialised',
): Storage {
  const { builder } = lowering;
  if (sizes.kind === 'slots') {
    const types = type.kind === 'tuple' ? type.elements : [];
    return {
      kind: 'tuple',
      slots: sizes.slots.map((slot, i) => allocate(lowering, types[i], slot, `${name}.${i + 1}`, storage, fill)),
    };
  }
  if (sizes.sizes.length === 0) {
    const local = builder.newLocal(elementOf(type), name, storage);
    if (fill === 'uninitialised') builder.assign(local, uninitialised(local.type));
    return { kind: 'scalar', local };
  }
  return { kind: 'container', ref: builder.allocate(elementOf(type), sizes.sizes, name, fill, storage) };
}

function uninitialised(type: ScalarType): Expr {
  return type === 'int' ? int(-(2 ** 31)) : real(Number.NaN);
}

/** The value that lies in a declared variable's storage. */
export function declaredValue(storage: Storage, type: Type, level: AutodiffLevel, sizes: DeclaredSizes): Value {
  if (storage.kind === 'tuple' && sizes.kind === 'slots' && type.kind === 'tuple') {
    return tupleOf(storage.slots.map((slot, i) => declaredValue(slot, type.elements[i], level, sizes.slots[i])));
  }
  return valueIn(storage, type, level, sizes.kind === 'sizes' ? sizes.sizes : []);
}
