import type { Typed, TypedExpression } from '../check/typed.js';
import type { Sink } from '../functions/entry.js';
import type { Value } from '../ir/value.js';
import type { Statement } from '../syntax/ast.js';
import type { Lowering } from './lowering.js';

/**
 * The language's own recursion: expressions contain calls, calls the statements of functions, statements expressions. Whatever
 * contains others lowers them through this.
 */
export interface Recursion {
  /** The value of an expression, converted to the type that is wanted where it stands. */
  readonly expression: (lowering: Lowering, e: TypedExpression) => Value;
  /** Adds an expression to a sink, term by term. */
  readonly increment: (lowering: Lowering, e: TypedExpression, sink: Sink) => void;
  readonly statement: (lowering: Lowering, statement: Statement<Typed>) => void;
}
