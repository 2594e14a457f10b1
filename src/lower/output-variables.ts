import { int } from '../ir/expressions.js';
import type { DataVariable, Expr, OutputVariable } from '../ir/nodes.js';
import { type Type, unwindArray } from '../language/types.js';
import { isComplex, type Leaf, type PlacedLeaf, storedTypes } from './leaves.js';
import type { Parameter, TopVariable } from './top-variables.js';

/** The description with which the host lists and writes a variable. */
export function outputsOf({ leaves }: TopVariable, block: OutputVariable['block']): OutputVariable[] {
  return leaves.map((leaf) => outputOf(leaf, block, null));
}

export function parameterOutputs({ declaration, integrated, leaves }: Parameter): OutputVariable[] {
  const declaredAt = declaration.span;
  const free = (leaf: PlacedLeaf): readonly Expr[] => (integrated === undefined ? leaf.free : [int(0)]);
  return leaves.map((leaf) => ({ ...outputOf(leaf, 'parameters', free(leaf)), declaredAt }));
}

function outputOf(leaf: Leaf, block: OutputVariable['block'], free: readonly Expr[] | null): OutputVariable {
  const { name, type, outer, sizes, tupleAxes } = leaf;
  const ofComplex = isComplex(type);
  const all = (inner: readonly Expr[]): readonly Expr[] => [...outer, ...inner, ...(ofComplex ? [int(2)] : [])];
  return {
    name,
    block,
    arrayDepth: outer.length + unwindArray(type).depth,
    element: elementKind(storedTypes(leaf)[0]),
    sizes: all(sizes),
    unconstrainedSizes: free === null ? [] : all(free),
    tupleAxes,
    isComplex: ofComplex,
  };
}

export function elementKind(type: Type): DataVariable['element'] {
  const { element } = unwindArray(type);
  switch (element.kind) {
    case 'int':
    case 'real':
    case 'vector':
    case 'row_vector':
    case 'matrix':
      return element.kind;
    default:
      throw new Error(`A ${element.kind} is stored in parts`);
  }
}
