import type { Typed } from '../check/typed.js';
import { wholly } from '../dataflow/bounds.js';
import { count, elementOf } from '../ir/builder.js';
import { add, and, compare, get, int, load, mul, or, size, toReal } from '../ir/expressions.js';
import type { DataVariable, Expr, IntegratedParameter, Variable as IrVariable, Local, Ref } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { type Type, unwindArray } from '../language/types.js';
import type { BlockName, Declaration, Identifier, Statement } from '../syntax/ast.js';
import { evaluateConstraint } from './constrained.js';
import { declareVariable, lowerSizes } from './declaration.js';
import {
  allSizes,
  assemble,
  checkLeaves,
  flatten,
  isComplex,
  type Leaf,
  leavesOf,
  type PlacedLeaf,
  placeLeaves,
  readLeaf,
  storedTypes,
  unconstrainLeaves,
} from './leaves.js';
import type { LocationScales } from './location-scale.js';
import type { Lowering } from './lowering.js';
import { elementKind } from './output-variables.js';
import { type Places, readCentered, writeCentered } from './partial-centering.js';
import type { DeclaredSizes } from './sizes.js';
import type { Parameter, TopVariable } from './top-variables.js';
import { scalarValue, storedContainer, windowOf } from './values.js';

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

/** Declares the data, which the host writes, and checks their sizes and values in the order of declaration. */
export function lowerData(lowering: Lowering): readonly DataVariable[] {
  return topDeclarations(statementsOf(lowering, 'data')).flatMap((declaration) =>
    declaration.variables.flatMap(({ name }): readonly DataVariable[] =>
      lowering.at(declaration.span, () => {
        const variable = lowering.declared(name);
        const sizes = lowerSizes(lowering, declaration.type, name.name, 'global');
        const leaves = leavesOf(variable.type, declaration.type, sizes, name.name);
        const stored = leaves.map((leaf) => storedTypes(leaf).map((type, k) => storeData(lowering, leaf, type, k)));
        const value = assemble(
          variable.type,
          stored.flatMap((parts) => parts.map((part) => part.value)),
        );
        lowering.bind(variable, { value, storage: null });
        checkLeaves(lowering, leaves, value);
        return leaves.flatMap((leaf, i) => {
          const { depth } = unwindArray(leaf.type);
          return stored[i].map(({ variable, value }, part): DataVariable => {
            noteBounds(lowering, leaf, variable);
            const element = elementKind(value.type);
            const complexPart = isComplex(leaf.type) ? { complexPart: part } : {};
            return {
              name: leaf.name,
              variable,
              arrayDepth: leaf.outer.length + depth,
              element,
              declaredAt: declaration.span,
              ...complexPart,
            };
          });
        });
      }),
    ),
  );
}

/** A global for a value that the host writes, after a check of its sizes. */
function storeData(
  lowering: Lowering,
  leaf: Leaf,
  type: Type,
  part: number,
): { readonly variable: IrVariable; readonly value: Value } {
  const { builder } = lowering;
  const { name } = leaf;
  const sizes = allSizes(leaf);
  if (sizes.length === 0) {
    const local = builder.newLocal(elementOf(type), name, 'global');
    lowering.known.stable.add(local);
    return { variable: local, value: scalarValue(type, 'data', get(local)) };
  }
  const ref = builder.newRef(elementOf(type), sizes.length, name, 'global');
  if (part === 0) checkFound(lowering, name, ref, sizes, isComplex(leaf.type));
  return { variable: ref, value: storedContainer(type, 'data', ref, sizes) };
}

/** Records the declared bounds of ints, which have been checked, so that checks of sizes and indexes can use them. */
function noteBounds(lowering: Lowering, leaf: Leaf, storage: IrVariable): void {
  const type = storage.kind === 'ref' ? storage.element : storage.type;
  if (type !== 'int') return;
  const constraint = evaluateConstraint(lowering, leaf.constraint);
  if (constraint.kind !== 'elementwise') return;
  const { first, second } = constraint;
  const range = {
    ...(first?.kind === 'scalar' && first.value.type === 'int' ? { from: wholly(first.value) } : {}),
    ...(second?.kind === 'scalar' && second.value.type === 'int' ? { to: wholly(second.value) } : {}),
  };
  if (storage.kind === 'ref') lowering.known.elementRanges.set(storage, range);
  else lowering.known.ranges.set(storage, range);
}

function isAnyZero(sizes: readonly Expr[]): Expr {
  return sizes.map((size) => compare('eq', size, int(0))).reduce(or);
}

function checkFound(lowering: Lowering, name: string, ref: Ref, sizes: readonly Expr[], ofComplex: boolean): void {
  const found = sizes.map((_, axis) => size(ref, axis));
  const list = (from: number): string =>
    [...sizes.map((_, axis) => `{${from + axis}}`), ...(ofComplex ? ['2'] : [])].join(',');
  // `[ ]` represents any container without elements.
  const isEmpty = sizes.length > 1 ? and(isAnyZero(sizes), isAnyZero(found)) : int(0);
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
  const declared = new Map<Identifier, DeclaredSizes>();
  for (const statement of statements) {
    if (statement.kind !== 'declaration') {
      lowering.statement(statement);
      continue;
    }
    lowering.at(statement.span, () => {
      for (const { name, initialValue } of statement.variables) {
        const sizes = lowerSizes(lowering, statement.type, name.name, 'global');
        declared.set(name, sizes);
        declareVariable(lowering, name, sizes, initialValue, 'global');
      }
    });
  }
  for (const declaration of topDeclarations(statements)) {
    for (const { name } of declaration.variables) {
      const variable = lowering.declared(name);
      const { value } = lowering.binding(variable);
      const sizes = declared.get(name);
      if (sizes === undefined) continue;
      lowering.at(declaration.span, () => {
        const leaves = leavesOf(variable.type, declaration.type, sizes, name.name);
        checkLeaves(lowering, leaves, value);
      });
      for (const part of flatten(value)) {
        if (part.kind === 'scalar' && part.value.kind === 'get') lowering.known.stable.add(part.value.local);
      }
    }
  }
}

/** Sizes of the variables of a later block: evaluated, checked and stored in `prepare`, as in Stan's constructor. */
export function sizeTopVariables(lowering: Lowering, block: BlockName): readonly TopVariable[] {
  return topDeclarations(statementsOf(lowering, block)).flatMap((declaration) =>
    declaration.variables.map(
      ({ name }): TopVariable =>
        lowering.at(declaration.span, () => {
          const variable = lowering.declared(name);
          const rules = block === 'parameters' ? 'parameter' : 'output';
          const sizes = lowerSizes(lowering, declaration.type, name.name, 'global', rules);
          const leaves = leavesOf(variable.type, declaration.type, sizes, name.name);
          return { identifier: name, declaration, variable, sizes, leaves };
        }),
    ),
  );
}

/** Assigns each parameter its position among the unconstrained ones. */
export function placeParameters(
  lowering: Lowering,
  parameters: readonly TopVariable[],
  isIntegrated: (parameter: TopVariable) => boolean,
): readonly Parameter[] {
  const { builder } = lowering;
  let offset: Expr = int(0);
  return parameters.map((parameter): Parameter => {
    if (isIntegrated(parameter)) {
      const { placed, size } = placeLeaves(lowering, parameter.sizes, parameter.leaves, int(0));
      const { name } = parameter.variable;
      const isScalar = placed[0].sizes.length === 0;
      const [values, drawn] = [builder.newRef('real', 1, name), builder.newRef('real', 1, name)];
      return {
        ...parameter,
        leaves: placed,
        integrated: {
          name,
          form: isScalar ? 'short' : 'long',
          size,
          blocks: blocksOf(lowering, placed[0]),
          values,
          drawn,
        },
      };
    }
    const { placed, size } = placeLeaves(lowering, parameter.sizes, parameter.leaves, offset);
    offset = lowering.hold(add(offset, size), 'offset', 'global');
    return { ...parameter, leaves: placed };
  });
}

/** The columns of a matrix or the innermost vectors of an array, which are adjacent in memory; null for a container with one size. */
function blocksOf(lowering: Lowering, { sizes, type }: PlacedLeaf): IntegratedParameter['blocks'] {
  if (sizes.length < 2) return null;
  const inner = sizes.length - (elementKind(type) === 'matrix' ? 2 : 1);
  const count = sizes.filter((_, k) => k !== inner).reduce(mul);
  return { count: lowering.hold(count, 'blocks', 'global'), width: sizes[inner] };
}

/** Assigns places to the parameters with locations and scales, in the order of declaration. */
export function centerParameters(
  lowering: Lowering,
  parameters: readonly Parameter[],
  { located }: LocationScales,
  refs: Places,
): readonly Parameter[] {
  let first: Expr = int(0);
  return parameters.map((parameter): Parameter => {
    const found = located.get(parameter.variable);
    if (found === undefined || parameter.integrated !== undefined) return parameter;
    const centered = { ...refs, located: found, first };
    first = lowering.hold(add(first, count(parameter.leaves[0].free)), 'place', 'global');
    return { ...parameter, centered };
  });
}

/**
 * Reads all parameters from the position, or from the containers of the block, and binds them. Each parameter follows those that its
 * coordinates depend on.
 */
export function readParameters(
  lowering: Lowering,
  parameters: readonly Parameter[],
  position: Ref,
  block: 'values' | 'drawn',
): void {
  const level = lowering.level('autodiff');
  for (const { centered, declaration, integrated, variable, leaves } of parameters) {
    const from = integrated === undefined ? position : integrated[block];
    lowering.at(declaration.span, () => {
      const value =
        centered === undefined
          ? assemble(
              variable.type,
              leaves.flatMap((leaf) => readLeaf(lowering, leaf, level, from)),
            )
          : readCentered(lowering, leaves[0], centered, level, position);
      lowering.bind(variable, { value, storage: null });
    });
  }
}

/** Runs the statements of transformed parameters or generated quantities and checks the declared constraints. */
export function lowerOutputBlock(
  lowering: Lowering,
  block: 'transformed parameters' | 'generated quantities',
  variables: readonly TopVariable[],
): void {
  const byDeclaration = new Map(variables.map((variable) => [variable.identifier, variable]));
  for (const statement of statementsOf(lowering, block)) {
    if (lowering.computed.has(statement)) continue;
    if (statement.kind !== 'declaration') {
      lowering.statement(statement);
      continue;
    }
    lowering.at(statement.span, () => {
      for (const { name, initialValue } of statement.variables) {
        if (lowering.computed.has(name)) continue;
        const sizes = byDeclaration.get(name)?.sizes ?? { kind: 'sizes', sizes: [] };
        declareVariable(lowering, name, sizes, initialValue, 'output');
      }
    });
  }
  for (const { declaration, variable, leaves } of variables) {
    const { value } = lowering.binding(variable);
    lowering.at(declaration.span, () => checkLeaves(lowering, leaves, value));
  }
}

/** Appends the values of variables to the constrained output, each in memory order; `next` is the position of the next value. */
export function writeOutputs(lowering: Lowering, variables: readonly TopVariable[], output: Ref, next: Local): void {
  const { builder } = lowering;
  for (const { variable } of variables) {
    for (const part of flatten(lowering.binding(variable).value)) {
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
  rounding: Expr,
): void {
  let from: Expr = int(0);
  const centered: (() => void)[] = [];
  for (const parameter of parameters) {
    const { declaration, variable, leaves } = parameter;
    lowering.at(declaration.span, () => {
      const stored = leaves.flatMap((leaf) => {
        const sizes = allSizes(leaf);
        return storedTypes(leaf).map((type) => {
          const start = from;
          from = lowering.hold(add(from, count(sizes)), 'from');
          return sizes.length === 0
            ? scalarValue(type, 'data', lowering.hold(load(constrained, start), leaf.name))
            : windowOf(lowering.builder, type, 'data', constrained, start, sizes);
        });
      });
      const value = assemble(variable.type, stored);
      lowering.bind(variable, { value, storage: null });
      if (parameter.integrated !== undefined) return;
      if (parameter.centered === undefined) unconstrainLeaves(lowering, leaves, value, position, rounding);
      else {
        const origin = parameter.centered;
        centered.push(() => writeCentered(lowering, leaves[0], origin, value, position));
      }
    });
  }
  // Locations and scales may be declared later.
  for (const write of centered) write();
}
