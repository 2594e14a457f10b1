import type { Typed, Variable } from '../check/typed.js';
import { count, elementOf } from '../ir/builder.js';
import { add, and, compare, get, int, load, or, size, toReal } from '../ir/expressions.js';
import type { DataVariable, Expr, Variable as IrVariable, Local, OutputVariable, Ref } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { type Type, unwindArray } from '../language/types.js';
import { spanText } from '../source/span.js';
import type { BlockName, Constraint, Declaration, Identifier, SizedType, Statement } from '../syntax/ast.js';
import { isAtMost } from './bounds.js';
import {
  checkConstraint,
  constrainParameter,
  type EvaluatedConstraint,
  evaluateConstraint,
  freeSizesOf,
  unconstrainParameter,
} from './constrained.js';
import { type DeclaredSizes, declareVariable, innermost, lowerSizes, oneLine, sizeExpressions } from './declaration.js';
import type { Lowering } from './lowering.js';
import { lowerStatement } from './statements.js';
import { unsupported } from './unsupported.js';
import { scalarValue, storedContainer, tupleOf, windowOf } from './values.js';

/** A value that the host reads or writes: a variable, or a slot of one that is a tuple, named `a.1`. */
export interface Leaf {
  readonly name: string;
  readonly type: Type;
  readonly sizes: readonly Expr[];
  readonly constraint: Constraint<Typed>;
}

/** A variable declared at the top of a block, with its sizes as `prepare` found them. */
export interface TopVariable<L extends Leaf = Leaf> {
  readonly identifier: Identifier;
  readonly declaration: Declaration<Typed>;
  readonly variable: Variable;
  readonly sizes: DeclaredSizes;
  readonly leaves: readonly L[];
}

/** A part of a parameter with its place among the unconstrained ones. */
export interface PlacedLeaf extends Leaf {
  readonly free: readonly Expr[];
  readonly offset: Expr;
}

export type Parameter = TopVariable<PlacedLeaf>;

function leavesOf(type: Type, declared: SizedType<Typed>, sizes: DeclaredSizes, name: string): readonly Leaf[] {
  if (sizes.kind === 'sizes') return [{ name, type, sizes: sizes.sizes, constraint: constraintOf(declared) }];
  if (type.kind !== 'tuple' || declared.kind !== 'tuple') throw new Error('Only a tuple has slots');
  return declared.elements.flatMap((element, i) =>
    leavesOf(type.elements[i], element, sizes.slots[i], `${name}.${i + 1}`),
  );
}

/** Puts the values of leaves together again. */
function assemble(type: Type, next: () => Value): Value {
  return type.kind === 'tuple' ? tupleOf(type.elements.map((element) => assemble(element, next))) : next();
}

/** The value of a variable from its leaves, taken in order. */
function fromLeaves<L extends Leaf>(type: Type, leaves: readonly L[], make: (leaf: L) => Value): Value {
  const values = leaves.map(make);
  let k = 0;
  return assemble(type, () => values[k++]);
}

function flatten(value: Value): readonly Exclude<Value, { kind: 'tuple' }>[] {
  return value.kind === 'tuple' ? value.elements.flatMap(flatten) : [value];
}

export function constraintOf(type: SizedType<Typed>): Constraint<Typed> {
  const inner = innermost(type);
  return inner.kind === 'tuple' ? { kind: 'none' } : inner.constraint;
}

function variableOf(lowering: Lowering, identifier: Identifier): Variable {
  const variable = lowering.program.variables.get(identifier);
  if (variable === undefined) throw new Error(`Undeclared variable ${identifier.name}`);
  if (unwindArray(variable.type).element.kind.startsWith('complex'))
    unsupported(identifier.span, 'Complex numbers are');
  return variable;
}

export function statementsOf(lowering: Lowering, block: BlockName): readonly Statement<Typed>[] {
  const { tree } = lowering.program;
  switch (block) {
    case 'data':
      return tree.data?.statements ?? [];
    case 'transformed data':
      return tree.transformedData?.statements ?? [];
    case 'parameters':
      return tree.parameters?.statements ?? [];
    case 'transformed parameters':
      return tree.transformedParameters?.statements ?? [];
    case 'model':
      return tree.model?.statements ?? [];
    case 'generated quantities':
      return tree.generatedQuantities?.statements ?? [];
    default:
      return [];
  }
}

function topDeclarations(statements: readonly Statement<Typed>[]): readonly Declaration<Typed>[] {
  return statements.filter((statement): statement is Declaration<Typed> => statement.kind === 'declaration');
}

/** Declares the data: the host writes them, here their sizes and values are checked in the order of declaration. */
export function lowerData(lowering: Lowering): readonly DataVariable[] {
  return topDeclarations(statementsOf(lowering, 'data')).flatMap((declaration) =>
    declaration.variables.flatMap(({ name }): readonly DataVariable[] =>
      lowering.at(declaration.span, () => {
        const variable = variableOf(lowering, name);
        const sizes = lowerSizes(lowering, declaration.type, name.name, 'global');
        const leaves = leavesOf(variable.type, declaration.type, sizes, name.name);
        const stored = leaves.map((leaf) => ({ ...leaf, ...storeData(lowering, leaf) }));
        const value = fromLeaves(variable.type, stored, (leaf) => leaf.value);
        lowering.bindings.set(variable.id, { value, storage: null });
        return stored.map((leaf): DataVariable => {
          const constraint = evaluateConstraint(lowering, leaf.constraint);
          checkConstraint(lowering, leaf.name, leaf.type, leaf.sizes, constraint, leaf.value);
          noteBounds(lowering, constraint, leaf.variable);
          const { element, depth } = unwindArray(leaf.type);
          return { name: leaf.name, variable: leaf.variable, arrayDepth: depth, element: elementKind(element, name) };
        });
      }),
    ),
  );
}

/** A global for what the host writes, after a check of the sizes it found. */
function storeData(
  lowering: Lowering,
  { name, type, sizes }: Leaf,
): { readonly variable: IrVariable; readonly value: Value } {
  const { builder } = lowering;
  if (sizes.length === 0) {
    const local = builder.newLocal(elementOf(type), name, 'global');
    lowering.stable.add(local);
    return { variable: local, value: scalarValue(type, 'data', get(local)) };
  }
  const ref = builder.newRef(elementOf(type), sizes.length, name, 'global');
  checkFound(lowering, name, ref, sizes);
  return { variable: ref, value: storedContainer(type, 'data', ref, sizes) };
}

/** Keeps the declared bounds of ints, which have been checked, for sizes and indexes. */
function noteBounds(lowering: Lowering, constraint: EvaluatedConstraint, storage: IrVariable): void {
  const type = storage.kind === 'ref' ? storage.element : storage.type;
  if (type !== 'int' || constraint.kind !== 'elementwise') return;
  const { first, second } = constraint;
  const range = {
    ...(first?.kind === 'scalar' && first.value.type === 'int' ? { from: first.value } : {}),
    ...(second?.kind === 'scalar' && second.value.type === 'int' ? { to: second.value } : {}),
  };
  if (storage.kind === 'ref') lowering.elementRanges.set(storage, range);
  else lowering.ranges.set(storage, range);
}

function elementKind(element: Type, name: Identifier): DataVariable['element'] {
  switch (element.kind) {
    case 'int':
    case 'real':
    case 'vector':
    case 'row_vector':
    case 'matrix':
      return element.kind;
    default:
      return unsupported(name.span, 'Tuples and complex numbers at the top of a block are');
  }
}

function checkFound(lowering: Lowering, name: string, ref: Ref, sizes: readonly Expr[]): void {
  const found = sizes.map((_, axis) => size(ref, axis));
  const list = (from: number): string => sizes.map((_, axis) => `{${from + axis}}`).join(',');
  // `[ ]` stands for any container without elements
  const isEmpty =
    sizes.length > 1 ? and(compare('eq', count(sizes), int(0)), compare('eq', count(found), int(0))) : int(0);
  sizes.forEach((declared, axis) => {
    lowering.builder.check(
      or(isEmpty, compare('eq', declared, found[axis])),
      `mismatch in dimension declared and found in context; processing stage=data initialization; variable name=${name}; position=${axis}; dims declared=(${list(0)}); dims found=(${list(sizes.length)})`,
      [...sizes, ...found],
      'error',
    );
  });
}

/** Transformed data: variables that live as long as the instance, then the block's statements in order. */
export function lowerTransformedData(lowering: Lowering): void {
  const statements = statementsOf(lowering, 'transformed data');
  for (const statement of statements) {
    if (statement.kind !== 'declaration') {
      lowerStatement(lowering, statement);
      continue;
    }
    lowering.at(statement.span, () => {
      for (const { name, initialValue } of statement.variables) {
        const sizes = lowerSizes(lowering, statement.type, name.name, 'global');
        declareVariable(lowering, name, sizes, initialValue, 'global');
      }
    });
  }
  for (const declaration of topDeclarations(statements)) {
    for (const { name } of declaration.variables) {
      const variable = variableOf(lowering, name);
      const value = lowering.bindings.get(variable.id)?.value;
      if (value === undefined) continue;
      lowering.at(declaration.span, () => {
        const leaves = leavesOf(variable.type, declaration.type, sizesOf(value), name.name);
        checkLeaves(lowering, leaves, value);
      });
      for (const part of flatten(value)) {
        if (part.kind === 'scalar' && part.value.kind === 'get') lowering.stable.add(part.value.local);
      }
    }
  }
}

function sizesOf(value: Value): DeclaredSizes {
  if (value.kind === 'tuple') return { kind: 'slots', slots: value.elements.map(sizesOf) };
  return { kind: 'sizes', sizes: value.kind === 'container' ? value.sizes : [] };
}

function checkLeaves(lowering: Lowering, leaves: readonly Leaf[], value: Value): void {
  const parts = flatten(value);
  for (const [i, { name, type, sizes, constraint }] of leaves.entries()) {
    checkConstraint(lowering, name, type, sizes, evaluateConstraint(lowering, constraint), parts[i]);
  }
}

/** Sizes of the variables of a later block: evaluated, checked and kept while preparing, as in Stan's constructor. */
export function sizeTopVariables(lowering: Lowering, block: BlockName): readonly TopVariable[] {
  return topDeclarations(statementsOf(lowering, block)).flatMap((declaration) =>
    declaration.variables.map(
      ({ name }): TopVariable =>
        lowering.at(declaration.span, () => {
          const variable = variableOf(lowering, name);
          const sizes = lowerSizes(lowering, declaration.type, name.name, 'global');
          checkConstrainedSizes(lowering, declaration.type, name.name, sizes);
          const leaves = leavesOf(variable.type, declaration.type, sizes, name.name);
          return { identifier: name, declaration, variable, sizes, leaves };
        }),
    ),
  );
}

const AT_LEAST_ONE: ReadonlySet<string> = new Set([
  'simplex',
  'sum_to_zero_vector',
  'sum_to_zero_matrix',
  'row_stochastic_matrix',
  'column_stochastic_matrix',
]);

/** Sizes that leave a constrained type without values. */
function checkConstrainedSizes(
  lowering: Lowering,
  type: SizedType<Typed>,
  name: string,
  declared: DeclaredSizes,
): void {
  const { builder } = lowering;
  if (declared.kind === 'slots') {
    if (type.kind !== 'tuple') throw new Error('Only a tuple has slots');
    for (const [i, element] of type.elements.entries()) {
      checkConstrainedSizes(lowering, element, `${name}.${i + 1}`, declared.slots[i]);
    }
    return;
  }
  const { kind } = constraintOf(type);
  const expressions = sizeExpressions(innermost(type));
  const own = declared.sizes.slice(declared.sizes.length - expressions.length);
  for (const [axis, e] of expressions.entries()) {
    const text = oneLine(spanText(e.span));
    if (kind === 'unit_vector') {
      builder.check(
        compare('ne', own[axis], int(1)),
        `Found dimension size one in unit vector declaration. One-dimensional unit vector is discrete but the target distribution must be continuous. variable=${name}; dimension size expression=${text}`,
        [],
        'error',
      );
    }
    if ((AT_LEAST_ONE.has(kind) || kind === 'unit_vector') && !isAtMost(lowering, int(1), own[axis])) {
      builder.check(
        compare('ge', own[axis], int(1)),
        `Found dimension size less than one in constrained type declaration (simplex, sum_to_zero_vector, etc.); variable=${name}; dimension size expression=${text}; expression value={0}`,
        [own[axis]],
        'error',
      );
    }
  }
}

/** Lays the parameters out among the unconstrained ones. */
export function placeParameters(lowering: Lowering, parameters: readonly TopVariable[]): readonly Parameter[] {
  let offset: Expr = int(0);
  return parameters.map((parameter): Parameter => {
    const leaves = parameter.leaves.map((leaf): PlacedLeaf => {
      const free = freeSizesOf(leaf.type, leaf.sizes, leaf.constraint).map((s) => lowering.hold(s, 'free', 'global'));
      const placed = { ...leaf, free, offset };
      offset = lowering.hold(add(offset, count(free)), 'offset', 'global');
      return placed;
    });
    return { ...parameter, leaves };
  });
}

/** Reads all parameters from the position and binds them. */
export function readParameters(lowering: Lowering, parameters: readonly Parameter[], position: Ref): void {
  for (const { declaration, variable, leaves } of parameters) {
    lowering.at(declaration.span, () => {
      const level = lowering.level('autodiff');
      const value = fromLeaves(variable.type, leaves, ({ name, type, sizes, constraint, free, offset }) => {
        const place = { ref: position, offset };
        return constrainParameter(
          lowering,
          name,
          type,
          level,
          sizes,
          evaluateConstraint(lowering, constraint),
          free,
          place,
        );
      });
      lowering.bindings.set(variable.id, { value, storage: null });
    });
  }
}

/** Runs the statements of transformed parameters or generated quantities and checks what they declare. */
export function lowerOutputBlock(
  lowering: Lowering,
  block: 'transformed parameters' | 'generated quantities',
  variables: readonly TopVariable[],
): void {
  const byDeclaration = new Map(variables.map((variable) => [variable.identifier, variable]));
  for (const statement of statementsOf(lowering, block)) {
    if (statement.kind !== 'declaration') {
      lowerStatement(lowering, statement);
      continue;
    }
    lowering.at(statement.span, () => {
      for (const { name, initialValue } of statement.variables) {
        const sizes = byDeclaration.get(name)?.sizes ?? { kind: 'sizes', sizes: [] };
        declareVariable(lowering, name, sizes, initialValue, 'local');
      }
    });
  }
  for (const { declaration, variable, leaves } of variables) {
    const value = lowering.bindings.get(variable.id)?.value;
    if (value !== undefined) lowering.at(declaration.span, () => checkLeaves(lowering, leaves, value));
  }
}

/** Appends the values of variables to the constrained output, in memory order of each; `next` counts what is written. */
export function writeOutputs(lowering: Lowering, variables: readonly TopVariable[], output: Ref, next: Local): void {
  const { builder } = lowering;
  for (const { variable } of variables) {
    const value = lowering.bindings.get(variable.id)?.value;
    for (const part of value === undefined ? [] : flatten(value)) {
      if (part.kind === 'scalar') {
        builder.store(output, get(next), toReal(part.value));
        builder.assign(next, add(get(next), int(1)));
      } else {
        const start = builder.bind(get(next), 'start');
        builder.elements(part, (element, i) => builder.store(output, add(start, i), toReal(element)));
        builder.assign(next, add(start, count(part.sizes)));
      }
    }
  }
}

/** Reads constrained parameters one after another and writes their unconstrained values. */
export function lowerUnconstrain(
  lowering: Lowering,
  parameters: readonly Parameter[],
  constrained: Ref,
  position: Ref,
): void {
  let from: Expr = int(0);
  for (const { declaration, variable, leaves } of parameters) {
    lowering.at(declaration.span, () => {
      const value = fromLeaves(variable.type, leaves, ({ name, type, sizes }) => {
        const start = from;
        from = lowering.hold(add(from, count(sizes)), 'from');
        return sizes.length === 0
          ? scalarValue(type, 'data', lowering.hold(load(constrained, start), name))
          : windowOf(lowering.builder, type, 'data', constrained, start, sizes);
      });
      lowering.bindings.set(variable.id, { value, storage: null });
      const parts = flatten(value);
      for (const [i, { type, sizes, constraint, free, offset }] of leaves.entries()) {
        const evaluated = evaluateConstraint(lowering, constraint);
        unconstrainParameter(lowering, type, sizes, evaluated, free, parts[i], { ref: position, offset });
      }
    });
  }
}

/** What the host lists and writes of a variable. */
export function outputsOf({ leaves, identifier }: TopVariable, block: OutputVariable['block']): OutputVariable[] {
  return leaves.map(({ name, type, sizes }) => {
    const { element, depth } = unwindArray(type);
    return { name, block, arrayDepth: depth, element: elementKind(element, identifier), sizes, unconstrainedSizes: [] };
  });
}

export function parameterOutputs(parameter: Parameter): OutputVariable[] {
  return outputsOf(parameter, 'parameters').map((output, i) => ({
    ...output,
    unconstrainedSizes: parameter.leaves[i].free,
  }));
}
