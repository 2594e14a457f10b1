import { usesOf } from '../../dataflow/cached.js';
import { mentions } from '../../dataflow/effects.js';
import type { Movable } from '../../dataflow/movable.js';
import { Builder, type Names, pointer } from '../../ir/builder.js';
import { add, get, int, isGetOf, isNumber, load, mul, real } from '../../ir/expressions.js';
import { Interner } from '../../ir/interned.js';
import type { Block, Expr, KernelArgument, Local, Ref, Statement, StatementOf } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { mapExpression, mapOwnNodes, visitOwnExpressions } from '../../ir/walk.js';

type ForLoop = StatementOf<'for'>;
type Kernel = StatementOf<'kernel'>;

/** A loop whose iterations each read their own element of the product of a data matrix and a vector, which no other statement reads. */
export interface ProductLoop {
  /** The statements that allocate and compute the product. */
  readonly allocation: StatementOf<'allocate'>;
  readonly kernel: Kernel;
  readonly matrix: Ref;
  readonly vector: Ref;
  readonly rows: Expr;
  readonly columns: Expr;
  /** The row of the matrix, in terms of the loop's index. */
  readonly row: Expr;
  /** The loop; each iteration computes its element in an inner loop, after the checks of its index. */
  readonly expanded: ForLoop;
  readonly element: Local;
  readonly computing: ReadonlySet<Statement>;
}

/** The loops of a block that read such a product. */
export function productLoopsOf(names: Names, block: Block, movable: Movable): ReadonlyMap<ForLoop, ProductLoop> {
  const found = new Map<ForLoop, ProductLoop>();
  for (const statement of block) {
    const product = statement.kind === 'kernel' ? productOf(statement, movable) : null;
    if (statement.kind !== 'kernel' || product === null) continue;
    const [loop, expanded] = loopOf(names, block, statement, product) ?? [];
    if (loop !== undefined && expanded !== undefined && !found.has(loop)) found.set(loop, expanded);
  }
  return found;
}

type Product = Pick<ProductLoop, 'matrix' | 'vector' | 'rows' | 'columns'> & { readonly result: Ref };

function productOf({ name, args }: Kernel, movable: Movable): Product | null {
  if (name !== 'gemv') return null;
  const [result, matrix, vector] = args.slice(0, 3).map(wholeRef);
  const [rows, columns] = args.slice(3).filter(isNumber);
  if (!result || !matrix || !vector || result.parent !== null) return null;
  if (!movable.isDataExpr(load(matrix, int(0))) || !movable.isDataExpr(rows) || !movable.isDataExpr(columns))
    return null;
  return { result, matrix, vector, rows, columns };
}

function wholeRef(argument: KernelArgument): Ref | null {
  return argument.kind === 'pointer' && argument.offset === null && !argument.adjoint ? argument.ref : null;
}

function loopOf(
  names: Names,
  block: Block,
  kernel: Kernel,
  { result, matrix, vector, rows, columns }: Product,
): readonly [ForLoop, ProductLoop] | null {
  const uses = usesOf(block);
  const [allocation, maker, loop, ...others] = uses.mentioning(block, result);
  if (allocation?.kind !== 'allocate' || maker !== kernel || loop?.kind !== 'for' || others.length > 0) return null;
  if (uses.isChangedBetween(rootOf(vector), kernel, loop) || uses.isChangedIn(rootOf(vector), loop)) return null;
  const builder = new Builder(names);
  const element = builder.newLocal('real', 'product');
  const row = rowOf(loop, result);
  if (row === null) return null;
  const computing = builder.capture(() => {
    builder.assign(element, real(0));
    builder.each(columns, (k) =>
      builder.assign(element, add(get(element), mul(load(matrix, add(row, mul(k, rows))), load(vector, k)))),
    );
  });
  const read = loop.body.map((statement) => withElement(statement, result, get(element)));
  if (mentions(read, result)) return null;
  const place = loop.body.findIndex((statement) => mentions([statement], result));
  const expanded = { ...loop, body: [...read.slice(0, place), ...computing, ...read.slice(place)] };
  const parts = { allocation, kernel, matrix, vector, rows, columns, row };
  return [loop, { ...parts, expanded, element, computing: new Set(computing) }];
}

/** The element that the statements of the body read; null if they read several, or if the element, apart from a shift, is not the iteration's own. */
function rowOf({ body, index }: ForLoop, product: Ref): Expr | null {
  const interner = new Interner();
  const found = new Map<number, Expr>();
  for (const statement of body) {
    visitOwnExpressions(statement, (node) => {
      if (node.kind === 'load' && node.ref === product) found.set(interner.numberOf(node.index), node.index);
    });
  }
  const [row, ...others] = found.values();
  return row !== undefined && others.length === 0 && isShifted(row, index) ? row : null;
}

function isShifted(row: Expr, index: Local): boolean {
  if (row.kind === 'get') return row.local === index;
  return row.kind === 'apply' && row.op === 'add_int' && isShifted(row.args[0], index) && row.args[1].kind === 'const';
}

/** The statement with loads of the product replaced by the element; inner blocks are unchanged. */
function withElement(statement: Statement, product: Ref, element: Expr): Statement {
  return mapOwnNodes(statement, (node) => (node.kind === 'load' && node.ref === product ? element : node));
}

/** The rows of the matrix that the listed iterations read, as a matrix of `count` rows. */
export function listedRowsOf(
  builder: Builder,
  { matrix, rows, columns, row, expanded }: ProductLoop,
  list: Ref,
  count: Expr,
  first: Expr,
): Ref {
  const listed = builder.allocate('real', [mul(count, columns)], matrix.name);
  builder.each(columns, (k) =>
    builder.each(count, (j) => {
      const iteration = add(load(list, j), first);
      const from = mapExpression(row, (node) => (isGetOf(expanded.index)(node) ? iteration : node));
      builder.store(listed, add(j, mul(k, count)), load(matrix, add(from, mul(k, rows))));
    }),
  );
  return listed;
}

/** The product of that matrix and the vector. */
export function productOfListed(builder: Builder, { vector, columns }: ProductLoop, listed: Ref, count: Expr): Ref {
  const product = builder.allocate('real', [count], 'product');
  builder.kernel('gemv', [pointer(product), pointer(listed), pointer(vector), count, columns]);
  return product;
}
