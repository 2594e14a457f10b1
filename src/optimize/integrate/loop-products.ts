import type { Builder } from '../../ir/builder.js';
import { get, int, isGetOf, ONE } from '../../ir/expressions.js';
import type { Expr, Local } from '../../ir/nodes.js';
import { everyNode, someNode } from '../../ir/walk.js';
import { expressionAt } from '../loops/iterations.js';
import type { Definitions, Frame } from './lasting.js';
import type { MatrixProducts } from './matrix-products.js';
import { NotQuadratic } from './not-quadratic.js';
import type { Element, Polynomial, Polynomials } from './polynomial.js';

/** The statements around a loop that adds up elements. */
interface LoopContext {
  readonly builder: Builder;
  readonly definitions: Definitions;
  readonly frame: Frame | null;
  readonly polynomials: Polynomials;
  readonly products: MatrixProducts;
}

/** The sum of a term's elements over a loop's index `k`, as a row of a product. */
export function rowProduct(
  { builder, definitions, frame, polynomials, products }: LoopContext,
  sum: Local,
  position: number,
  { columns, k }: { readonly columns: Expr; readonly k: Local },
  element: Element,
  coefficient: Expr,
): Polynomial {
  const place = element.within ?? element.index;
  const isFixed = (e: Expr): boolean => everyNode(e, (node) => node.kind !== 'get' || node.local.storage === 'global');
  const isPlain =
    isFixed(expressionAt(place, k, int(0))) && (element.within === undefined || !someNode(element.index, isGetOf(k)));
  if (!isPlain || products.productOf(element.of) !== undefined) throw new NotQuadratic(LOOPS);
  const lasting = frame?.isSimple === true ? definitions.lasting(coefficient, { ...frame, outer: k }) : null;
  const row = frame !== null && lasting !== null ? get(frame.index) : opaque(builder);
  const weight = (at: Expr, column: Expr): Expr => {
    const own = frame !== null && lasting !== null ? expressionAt(lasting, frame.index, at) : coefficient;
    return expressionAt(own, k, column);
  };
  const of = products.addProduct(sum, position, {
    of: element.of,
    columns,
    weight,
    scale: () => ONE,
    index: (column) => expressionAt(place, k, column),
  });
  const moved = element.within === undefined ? { of, index: row } : { of, index: element.index, within: row };
  return polynomials.ofElement(moved, ONE);
}

/** An index of which nothing is known. */
function opaque(builder: Builder): Expr {
  const local = builder.newLocal('int', 'row');
  builder.assign(local, int(0));
  return get(local);
}

export const LOOPS = 'a loop adds up its elements in a way that is not followed';
