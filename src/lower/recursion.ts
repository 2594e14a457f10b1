import type { Typed, TypedExpression } from '../check/typed.js';
import type { Sink } from '../functions/entry.js';
import type { Value } from '../ir/value.js';
import type { Statement } from '../syntax/ast.js';
import type { Lowering } from './lowering.js';

/**
 * The mutual recursion of the language: expressions contain calls, calls contain the statements of functions, and statements contain
 * expressions. Code that lowers nested constructs therefore calls the functions of this interface.
 */
export interface Recursion {
  /** The value of an expression, converted to the type that its context requires. */
  readonly expression: (lowering: Lowering, e: TypedExpression) => Value;
  /** Adds an expression to a sink, term by term. */
  readonly increment: (lowering: Lowering, e: TypedExpression, sink: Sink) => void;
  readonly statement: (lowering: Lowering, statement: Statement<Typed>) => void;
}
