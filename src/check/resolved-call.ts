import type { Type } from '../language/types.js';
import type { Callee, TypedExpression } from './typed.js';

/** A call with a resolved overload. The arguments contain their promotions. */
export interface ResolvedCall {
  readonly callee: Callee;
  readonly arguments: readonly TypedExpression[];
  readonly result: Type;
}
