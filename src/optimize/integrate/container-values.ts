import { sameExpression } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref } from '../../ir/nodes.js';
import { OPS } from '../../ir/ops.js';
import { countNodes, mapExpression, someNode, visitOwnExpressions, visitStatements } from '../../ir/walk.js';
import { mapped, movedElement, type Polynomial } from './polynomial.js';

/** The elements of a container that loops have filled, as expressions of the loops' indexes. */
export interface ContainerValue {
  /** The iteration that has stored the element at `at`: the values of the loops' indexes. */
  readonly iterationOf: (at: Expr) => ReadonlyMap<Local, Expr>;
  readonly polynomial: Polynomial;
}

/** The polynomial of the element with an index. `simplified` simplifies an expression whose variables have been replaced. */
export function elementAt(
  { iterationOf, polynomial }: ContainerValue,
  at: Expr,
  simplified: (node: Expr) => Expr,
): Polynomial {
  const indexes = iterationOf(at);
  const done = new Map<Expr, Expr>();
  const f = (e: Expr): Expr =>
    mapExpression(e, (node) => (node.kind === 'get' ? (indexes.get(node.local) ?? node) : simplified(node)), done);
  const { constant, linear } = mapped(polynomial, f);
  const terms = [...linear].map(
    ([key, { coefficient, element }]) => [key, { coefficient, element: movedElement(element, f) }] as const,
  );
  return { constant, linear: new Map(terms), square: new Map() };
}

/** Whether copies of the expression cost little. */
export function isCheap(e: Expr): boolean {
  return (
    countNodes(e, MAX_NODES) <= MAX_NODES &&
    !someNode(e, (node) => node.kind === 'apply' && OPS[node.op].cost === 'expensive')
  );
}

const MAX_NODES = 64;

/**
 * The index of the element that each iteration of a loop stores in a container, if it stores one element at the end of what it does with the
 * container, and reads no other element.
 */
export function ownElement(body: Block, ref: Ref): Expr | null {
  const stores = body.filter((statement) => statement.kind === 'store' && statement.ref === ref);
  const [store] = stores;
  if (stores.length !== 1 || store.kind !== 'store') return null;
  let isOwn = true;
  let isStored = false;
  visitStatements(body, (statement) => {
    visitOwnExpressions(statement, (node) => {
      if (node.kind === 'load' && node.ref === ref) isOwn &&= !isStored && sameExpression(node.index, store.index);
    });
    if (statement === store) isStored = true;
    else if (statement.kind === 'store' && statement.ref === ref) isOwn = false;
  });
  return isOwn ? store.index : null;
}
