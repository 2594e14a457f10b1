import type { Typed, TypedExpression, UserFunction } from '../check/typed.js';
import type { Value } from '../ir/value.js';
import type { AutodiffLevel } from '../language/types.js';
import type { ReturnStatement } from '../syntax/ast.js';

/** A function whose body the lowering provides. */
export type GivenFunction = (args: readonly Value[]) => Value;

/** The part of the program being lowered. Only in `logDensity` does `target` count and do values depend on parameters. */
export type Phase = 'prepare' | 'logDensity' | 'generate' | 'unconstrain';

/** The call of a user function whose body is being lowered. */
export interface Frame {
  readonly function: UserFunction;
  /** The level of its locals: autodiff if any argument is. */
  readonly level: AutodiffLevel;
  /** Whether constants may be dropped in this call; `_lupdf` inside inherits it. */
  readonly dropConstants: boolean;
  /** Performs `return`. */
  readonly leave: (value: TypedExpression | null, statement: ReturnStatement<Typed>) => void;
}

/** Labels that `break` and `continue` exit; null if no statement of the loop needs one. */
interface LoopLabels {
  readonly breakLabel: number | null;
  readonly continueLabel: number | null;
}

/** The part of the program being lowered, and its surroundings. */
export interface Scope {
  readonly phase: Phase;
  readonly frame: Frame | null;
  /** The enclosing loops, innermost last. */
  readonly loops: readonly LoopLabels[];
  /** Functions that a solver's source declares and the solver's call defines, by id. */
  readonly given: ReadonlyMap<number, GivenFunction>;
  /** Whether a solver's source is being lowered: its statements get the location of the solver's call. */
  readonly isInSolver: boolean;
  /** Whether the function being lowered is one whose Jacobian a solver needs. */
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
