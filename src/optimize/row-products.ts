import { usesOf } from '../dataflow/cached.js';
import { mentionsOf } from '../dataflow/effects.js';
import type { Movable } from '../dataflow/movable.js';
import { Builder, type Names, pointer } from '../ir/builder.js';
import { add, get, int, load, mul, real } from '../ir/expressions.js';
import type { Block, Expr, KernelArgument, Local, Ref, Statement, StatementOf } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { blocksOf, mapBlocks, mapExpression, mapExpressions } from '../ir/walk.js';

type ForLoop = StatementOf<'for'>;
type Kernel = StatementOf<'kernel'>;

/** A loop that reads element n of a matrix of data times a vector in iteration n, and nothing else does. */
export interface ProductLoop {
  /** The statements that allocate and compute the product. */
  readonly allocation: StatementOf<'allocate'>;
  readonly kernel: Kernel;
  readonly matrix: Ref;
  readonly vector: Ref;
  readonly rows: Expr;
  readonly columns: Expr;
  /** The loop, in which each iteration computes its element by an inner loop: the first statements of the body. */
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
  const [rows, columns] = args.slice(3).filter(isExpr);
  if (!result || !matrix || !vector || result.parent !== null) return null;
  if (!movable.isDataExpr(load(matrix, int(0))) || !movable.isDataExpr(rows) || !movable.isDataExpr(columns))
    return null;
  return { result, matrix, vector, rows, columns };
}

function wholeRef(argument: KernelArgument): Ref | null {
  return argument.kind === 'pointer' && argument.offset === null && !argument.adjoint ? argument.ref : null;
}

function isExpr(argument: KernelArgument): argument is Expr {
  return argument.kind !== 'pointer' && argument.kind !== 'random_state';
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
  const index = get(loop.index);
  const computing = builder.capture(() => {
    builder.assign(element, real(0));
    builder.each(columns, (k) =>
      builder.assign(element, add(get(element), mul(load(matrix, add(index, mul(k, rows))), load(vector, k)))),
    );
  });
  const read = withElement(loop.body, result, loop.index, get(element));
  if (mentions(read, result)) return null;
  const expanded = { ...loop, body: [...computing, ...read] };
  const parts = { allocation, kernel, matrix, vector, rows, columns };
  return [loop, { ...parts, expanded, element, computing: new Set(computing) }];
}

function withElement(block: Block, product: Ref, index: Local, element: Expr): Block {
  const done = new Map<Expr, Expr>();
  const replace = (node: Expr): Expr =>
    node.kind === 'load' && node.ref === product && node.index.kind === 'get' && node.index.local === index
      ? element
      : node;
  const rewrite = (inner: Block): Block =>
    inner.map((statement) =>
      mapBlocks(
        mapExpressions(statement, (root) => mapExpression(root, replace, done)),
        rewrite,
      ),
    );
  return rewrite(block);
}

function mentions(block: Block, ref: Ref): boolean {
  return block.some((statement) => {
    let found = false;
    mentionsOf(statement, (variable) => {
      if (variable === ref) found = true;
    });
    return found || blocksOf(statement).some((inner) => mentions(inner, ref));
  });
}

/** The rows of the matrix whose numbers are listed, as a matrix of `count` rows. */
export function listedRowsOf(
  builder: Builder,
  { matrix, rows, columns }: ProductLoop,
  list: Ref,
  count: Expr,
  first: Expr,
): Ref {
  const listed = builder.allocate('real', [mul(count, columns)], matrix.name);
  builder.each(columns, (k) =>
    builder.each(count, (row) =>
      builder.store(listed, add(row, mul(k, count)), load(matrix, add(add(load(list, row), first), mul(k, rows)))),
    ),
  );
  return listed;
}

/** That matrix times the vector. */
export function productOfListed(builder: Builder, { vector, columns }: ProductLoop, listed: Ref, count: Expr): Ref {
  const product = builder.allocate('real', [count], 'product');
  builder.kernel('gemv', [pointer(product), pointer(listed), pointer(vector), count, columns]);
  return product;
}
