import type { Typed, Variable } from '../check/typed.js';
import { count, elementOf } from '../ir/builder.js';
import { add, and, compare, get, int, or, size, toReal } from '../ir/expressions.js';
import type { DataVariable, Expr, Variable as IrVariable, Local, OutputVariable, Ref } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { type AutodiffLevel, type Type, unwindArray } from '../language/types.js';
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
import { declareVariable, innermost, lowerSizes, oneLine, sizeExpressions } from './declaration.js';
import type { Lowering } from './lowering.js';
import { lowerStatement } from './statements.js';
import { unsupported } from './unsupported.js';
import { scalarValue, storedContainer, windowOf } from './values.js';

/** A variable declared at the top of a block, with its sizes as `prepare` found them. */
export interface TopVariable {
  readonly identifier: Identifier;
  readonly declaration: Declaration<Typed>;
  readonly variable: Variable;
  readonly sizes: readonly Expr[];
  readonly constraint: Constraint<Typed>;
}

/** A parameter with its place among the unconstrained ones. */
export interface Parameter extends TopVariable {
  readonly free: readonly Expr[];
  readonly offset: Expr;
}

export function constraintOf(type: SizedType<Typed>): Constraint<Typed> {
  const inner = innermost(type);
  return inner.kind === 'tuple' ? { kind: 'none' } : inner.constraint;
}

function variableOf(lowering: Lowering, identifier: Identifier): Variable {
  const variable = lowering.program.variables.get(identifier);
  if (variable === undefined) throw new Error(`Undeclared variable ${identifier.name}`);
  if (unwindArray(variable.type).element.kind === 'tuple')
    unsupported(identifier.span, 'Tuples at the top of a block are');
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
  const { builder } = lowering;
  return topDeclarations(statementsOf(lowering, 'data')).flatMap((declaration) =>
    declaration.variables.map(
      ({ name }): DataVariable =>
        lowering.at(declaration.span, () => {
          const variable = variableOf(lowering, name);
          const { type } = variable;
          const { element, depth } = unwindArray(type);
          const sizes = declaredSizes(lowering, declaration.type, name.name);
          const storage: IrVariable =
            sizes.length === 0
              ? builder.newLocal(elementOf(type), name.name, 'global')
              : builder.newRef(elementOf(type), sizes.length, name.name, 'global');
          if (storage.kind === 'ref') checkFound(lowering, name.name, storage, sizes);
          else lowering.stable.add(storage);
          const value: Value =
            storage.kind === 'local'
              ? scalarValue(type, 'data', get(storage))
              : storedContainer(type, 'data', storage, sizes);
          lowering.bindings.set(variable.id, { value, storage: null });
          const constraint = evaluateConstraint(lowering, constraintOf(declaration.type));
          checkConstraint(lowering, name.name, type, sizes, constraint, value);
          noteBounds(lowering, constraint, storage);
          return { name: name.name, variable: storage, arrayDepth: depth, element: elementKind(element, name) };
        }),
    ),
  );
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

function declaredSizes(lowering: Lowering, type: SizedType<Typed>, name: string): readonly Expr[] {
  const sizes = lowerSizes(lowering, type, name, 'global');
  return sizes.kind === 'sizes' ? sizes.sizes : unsupported(type.span, 'Tuples at the top of a block are');
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
  const tops = topDeclarations(statements);
  for (const declaration of tops) {
    for (const { name } of declaration.variables) {
      const variable = lowering.program.variables.get(name);
      const binding = variable && lowering.bindings.get(variable.id);
      if (variable === undefined || binding === undefined) continue;
      const { value } = binding;
      lowering.at(declaration.span, () => {
        const sizes = value.kind === 'container' ? value.sizes : [];
        const constraint = evaluateConstraint(lowering, constraintOf(declaration.type));
        checkConstraint(lowering, name.name, variable.type, sizes, constraint, value);
      });
      if (value.kind === 'scalar' && value.value.kind === 'get') lowering.stable.add(value.value.local);
    }
  }
}

/** Sizes of the variables of a later block: evaluated, checked and kept while preparing, as in Stan's constructor. */
export function sizeTopVariables(lowering: Lowering, block: BlockName): readonly TopVariable[] {
  return topDeclarations(statementsOf(lowering, block)).flatMap((declaration) =>
    declaration.variables.map(
      ({ name }): TopVariable =>
        lowering.at(declaration.span, () => {
          const variable = variableOf(lowering, name);
          const constraint = constraintOf(declaration.type);
          const sizes = declaredSizes(lowering, declaration.type, name.name);
          checkConstrainedSizes(lowering, declaration.type, name.name, constraint, sizes);
          return { identifier: name, declaration, variable, sizes, constraint };
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
  { kind }: Constraint<Typed>,
  sizes: readonly Expr[],
): void {
  const { builder } = lowering;
  const inner = innermost(type);
  const expressions = sizeExpressions(inner);
  const own = sizes.slice(sizes.length - expressions.length);
  expressions.forEach((e, axis) => {
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
  });
}

/** Lays the parameters out among the unconstrained ones. */
export function placeParameters(lowering: Lowering, parameters: readonly TopVariable[]): readonly Parameter[] {
  let offset: Expr = int(0);
  return parameters.map((parameter): Parameter => {
    const { variable, sizes, constraint } = parameter;
    const free = freeSizesOf(variable.type, sizes, constraint).map((s) => lowering.hold(s, 'free', 'global'));
    const placed = { ...parameter, free, offset };
    offset = lowering.hold(add(offset, count(free)), 'offset', 'global');
    return placed;
  });
}

/** Reads all parameters from the position and binds them. */
export function readParameters(lowering: Lowering, parameters: readonly Parameter[], position: Ref): void {
  for (const parameter of parameters) {
    const { declaration, variable, sizes, free, offset } = parameter;
    lowering.at(declaration.span, () => {
      const constraint = evaluateConstraint(lowering, parameter.constraint);
      const level = lowering.level('autodiff');
      const place = { ref: position, offset };
      const value = constrainParameter(lowering, variable.name, variable.type, level, sizes, constraint, free, place);
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
        const sizes = byDeclaration.get(name)?.sizes ?? [];
        declareVariable(lowering, name, { kind: 'sizes', sizes }, initialValue, 'local');
      }
    });
  }
  for (const { declaration, variable, sizes, constraint } of variables) {
    const value = lowering.bindings.get(variable.id)?.value;
    if (value === undefined) continue;
    lowering.at(declaration.span, () => {
      checkConstraint(lowering, variable.name, variable.type, sizes, evaluateConstraint(lowering, constraint), value);
    });
  }
}

/** Appends the values of variables to the constrained output, in memory order of each; `next` counts what is written. */
export function writeOutputs(lowering: Lowering, variables: readonly TopVariable[], output: Ref, next: Local): void {
  const { builder } = lowering;
  for (const { variable } of variables) {
    const value = lowering.bindings.get(variable.id)?.value;
    if (value === undefined || value.kind === 'tuple') continue;
    if (value.kind === 'scalar') {
      builder.store(output, get(next), toReal(value.value));
      builder.assign(next, add(get(next), int(1)));
    } else {
      const start = builder.bind(get(next), 'start');
      builder.elements(value, (element, i) => builder.store(output, add(start, i), toReal(element)));
      builder.assign(next, add(start, count(value.sizes)));
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
  for (const parameter of parameters) {
    const { declaration, variable, sizes, free, offset } = parameter;
    lowering.at(declaration.span, () => {
      const level: AutodiffLevel = 'data';
      const value: Value =
        sizes.length === 0
          ? scalarValue(
              variable.type,
              level,
              lowering.hold({ kind: 'load', type: 'real', ref: constrained, index: from }, variable.name),
            )
          : windowOf(lowering.builder, variable.type, level, constrained, from, sizes);
      lowering.bindings.set(variable.id, { value, storage: null });
      const constraint: EvaluatedConstraint = evaluateConstraint(lowering, parameter.constraint);
      unconstrainParameter(lowering, variable.type, sizes, constraint, free, value, { ref: position, offset });
      from = lowering.hold(add(from, count(sizes)), 'from');
    });
  }
}

export function outputOf(
  { variable, sizes, identifier }: TopVariable,
  block: OutputVariable['block'],
  free: readonly Expr[] = sizes,
): OutputVariable {
  const { element, depth } = unwindArray(variable.type);
  return {
    name: variable.name,
    block,
    arrayDepth: depth,
    element: elementKind(element, identifier),
    sizes,
    unconstrainedSizes: block === 'parameters' ? free : [],
  };
}
