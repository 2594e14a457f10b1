/** The parts of a parameter that a prior in loops distributes, one in each iteration. */
import type { TypedExpression, Variable } from '../check/typed.js';
import { position } from '../ir/builder.js';
import { add, behind, compare, get, int, select, sub } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { visitExpression } from '../syntax/walk.js';
import { withRange } from './bounds.js';
import { declareVariable, lowerSizes } from './declaration.js';
import type { Definition } from './definitions.js';
import type { PlacedLeaf } from './leaves.js';
import type { LocatedPart } from './location-scale.js';
import type { Lowering } from './lowering.js';
import type { AxisRange } from './prior-axes.js';
import { type Origin, variableOf } from './priors.js';
import { scalarValue } from './values.js';

export interface Part {
  /** The sizes of the axes without a loop. */
  readonly sizes: readonly Expr[];
  /** The index in the parameter of an element of the part. */
  readonly at: (i: Expr) => Expr;
}

/** Prepare a location and a scale for parts with these sizes. */
interface Prepare<L, S> {
  readonly location: (terms: readonly Value[], sizes: readonly Expr[]) => L;
  readonly scale: (value: Value, sizes: readonly Expr[]) => S;
}

/**
 * Runs the loops around a prior over the parameter's axes. Location and scale are evaluated and prepared once, or in each iteration if they
 * depend on a loop.
 */
export function eachPart<L, S>(
  lowering: Lowering,
  leaf: PlacedLeaf,
  part: LocatedPart,
  { location, scale }: Pick<Origin, 'location' | 'scale'>,
  prepare: Prepare<L, S>,
  visit: (part: Part, location: L, scale: S) => void,
): void {
  const { definitions, loops, transformed } = part;
  for (const definition of transformed) defineOnce(lowering, definition);
  for (const definition of definitions) define(lowering, definition);
  const changing = new Set<Variable | null>(
    loops.flatMap((loop) => [
      loop.variable,
      ...loop.definitions.flatMap((each) => (each.kind === 'declaration' ? lowering.declared(each.identifier) : [])),
    ]),
  );
  const free = freeAxes(lowering, leaf, part).map(({ size }) => size);
  const locationOf = (): L => {
    const terms = location.map(({ value }) => lowering.expression(value));
    return prepare.location(terms, free);
  };
  const scaleOf = (): S => prepare.scale(lowering.expression(scale), free);
  const fixedLocation = location.some(({ value }) => reads(value, changing)) ? null : { value: locationOf() };
  const fixedScale = reads(scale, changing) ? null : { value: scaleOf() };
  eachSlice(lowering, leaf, part, (slice) =>
    visit(slice, fixedLocation?.value ?? locationOf(), fixedScale?.value ?? scaleOf()),
  );
}

/** The axes without a loop: the number of their indexes, and the first one. */
function freeAxes(
  lowering: Lowering,
  { sizes }: PlacedLeaf,
  { loops, slices }: Pick<LocatedPart, 'loops' | 'slices'>,
): readonly { readonly size: Expr; readonly first: number }[] {
  return sizes.flatMap((size, axis) => {
    if (loops.some((loop) => loop.axis === axis)) return [];
    const slice = slices.find((each) => each.axis === axis);
    if (slice === undefined) return [{ size, first: 0 }];
    const number = sub(lastOf(lowering, slice, size), int(slice.from - 1));
    return [
      { size: lowering.hold(select(compare('lt', number, int(0)), int(0), number), 'size'), first: slice.from - 1 },
    ];
  });
}

/** The last index of a range, at most the size of its axis. */
function lastOf(lowering: Lowering, { to }: AxisRange, size: Expr): Expr {
  return to === null ? size : lowering.hold(select(compare('lt', int(to), size), int(to), size), 'to');
}

/** Runs loops over axes of a parameter, and the definitions in them. */
export function eachSlice(
  lowering: Lowering,
  leaf: PlacedLeaf,
  part: Pick<LocatedPart, 'loops' | 'slices'>,
  visit: (part: Part) => void,
): void {
  const { builder } = lowering;
  const { sizes, type } = leaf;
  const { loops } = part;
  const free = freeAxes(lowering, leaf, part);
  const fixed = new Map<number, Expr>();
  const iterate = (k: number): void => {
    if (k < loops.length) {
      const { axis, definitions, from, variable } = loops[k];
      const last = lastOf(lowering, loops[k], sizes[axis]);
      const index = builder.newLocal('int', variable?.name ?? 'index');
      const body = builder.capture(() =>
        withRange(lowering, index, int(from), last, () => {
          fixed.set(axis, sub(get(index), int(1)));
          if (variable !== null) {
            lowering.bind(variable, { value: scalarValue({ kind: 'int' }, 'data', get(index)), storage: null });
          }
          for (const definition of definitions) define(lowering, definition);
          iterate(k + 1);
        }),
      );
      builder.emit({ kind: 'for', index, from: int(from), to: behind(last), body });
      return;
    }
    const first = (own: Expr): Expr =>
      position(
        type,
        sizes,
        sizes.map((_, axis) => fixed.get(axis) ?? own),
      );
    // Several axes without a loop are the last ones, so that their elements are contiguous.
    const start = free.length > 1 ? lowering.hold(first(int(0)), 'start') : null;
    const offset = int(free.length === 1 ? free[0].first : 0);
    const at = (i: Expr): Expr => (start === null ? first(add(i, offset)) : add(start, i));
    visit({ sizes: free.map(({ size }) => size), at });
  };
  iterate(0);
}

/** Lowers a definition of the phase unless it has been. The block of transformed parameters then omits it. */
function defineOnce(lowering: Lowering, definition: Definition): void {
  const key = definition.kind === 'statement' ? definition.statement : definition.identifier;
  if (lowering.computed.has(key)) return;
  lowering.computed.add(key);
  define(lowering, definition);
}

/** Lowers a definition and binds the variables that it declares. */
function define(lowering: Lowering, definition: Definition): void {
  if (definition.kind === 'statement') {
    lowering.statement(definition.statement);
    return;
  }
  const { declaration, identifier, initialValue } = definition;
  lowering.at(declaration.span, () => {
    const sizes = lowerSizes(lowering, declaration.type, identifier.name);
    const storage = lowering.declared(identifier).role === 'global' ? 'output' : 'local';
    declareVariable(lowering, identifier, sizes, initialValue, storage);
  });
}

export function reads(expression: TypedExpression, variables: ReadonlySet<Variable | null>): boolean {
  let found = false;
  visitExpression(expression, {
    statement: () => undefined,
    expression: (node) => {
      const variable = node.kind === 'variable' ? variableOf(node.symbol) : undefined;
      if (variable !== undefined && variables.has(variable)) found = true;
    },
  });
  return found;
}

/** The value in memory or in a local: it is read more than once. */
export function ready(lowering: Lowering, value: Value): Value {
  if (value.kind === 'scalar') return { ...value, value: lowering.hold(value.value, 'origin') };
  return value.kind === 'container' ? lowering.builder.materialize(value, 'origins') : value;
}
