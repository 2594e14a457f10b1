import type { Typed, TypedExpression, UserFunction } from '../check/typed.js';
import type { Value } from '../ir/value.js';
import type { AutodiffLevel } from '../language/types.js';
import type { ReturnStatement } from '../syntax/ast.js';

/** What a call of a function does whose body the lowering gives. */
export type GivenFunction = (args: readonly Value[]) => Value;

/** The part of the program being lowered; in `logDensity` alone `target` counts and values depend on parameters. */
export type Phase = 'prepare' | 'logDensity' | 'generate' | 'unconstrain';

/** The call of a user function whose body is being lowered. */
export interface Frame {
  readonly function: UserFunction;
  /** Of its locals: autodiff if any argument is. */
  readonly level: AutodiffLevel;
  /** Constants may be dropped in this call; `_lupdf` inside passes that on. */
  readonly dropConstants: boolean;
  /** What `return` does. */
  readonly leave: (value: TypedExpression | null, statement: ReturnStatement<Typed>) => void;
}

/** Labels that `break` and `continue` leave; null where no statement of the loop needs one. */
interface LoopLabels {
  readonly breakLabel: number | null;
  readonly continueLabel: number | null;
}

/** Where in the program the lowering is. */
export interface Scope {
  readonly phase: Phase;
  readonly frame: Frame | null;
  /** The loops around what is being lowered, the innermost last. */
  readonly loops: readonly LoopLabels[];
  /** Functions that the text of a solver declares and the call of the solver defines, by id. */
  readonly given: ReadonlyMap<number, GivenFunction>;
  /** Whether a solver's text is being lowered: what it emits has the place of the solver's call. */
  readonly isInSolver: boolean;
  /** Whether a function is being lowered whose Jacobian a solver needs. */
  readonly isInJacobian: boolean;
}

export const OUTERMOST: Scope = {
  phase: 'prepare',
  frame: null,
  loops: [],
  given: new Map(),
  isInSolver: false,
  isInJacobian: false,
};
