import type { Typed, Variable } from '../check/typed.js';
import type { IntegratedParameter } from '../ir/nodes.js';
import type { Declaration, Identifier } from '../syntax/ast.js';
import type { Leaf, PlacedLeaf } from './leaves.js';
import type { Centered } from './partial-centering.js';
import type { DeclaredSizes } from './sizes.js';

/** A variable declared at the top of a block, with the sizes that `prepare` computed. */
export interface TopVariable<L extends Leaf = Leaf> {
  readonly identifier: Identifier;
  readonly declaration: Declaration<Typed>;
  readonly variable: Variable;
  readonly sizes: DeclaredSizes;
  readonly leaves: readonly L[];
}

export interface Parameter extends TopVariable<PlacedLeaf> {
  /** The parameter's partially centered coordinates, if it has any. */
  readonly centered?: Centered;
  /** Set for a parameter that is not part of the position. */
  readonly integrated?: IntegratedParameter;
}
