import type { Span } from '../source/span.js';
import type { Identifier } from '../syntax/ast.js';
import type { TypedExpression } from './annotate.js';
import type { ResolvedCall } from './calls.js';
import { type Context, refuse } from './environment.js';
import * as messages from './messages.js';

/** Whether a name is one of the functions that take functions and any number of arguments for them. */
export function isHigherOrder(name: string): boolean {
  return /^(ode_|dae|reduce_sum|solve_|laplace_|algebra_solver|integrate_)/.test(name);
}

export function checkHigherOrder(
  _context: Context,
  span: Span,
  { name }: Identifier,
  _args: readonly TypedExpression[],
): ResolvedCall {
  return refuse(span, messages.unsupportedFunction(name), 'unsupported');
}
