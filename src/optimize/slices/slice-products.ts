import { mentions } from '../../dataflow/effects.js';
import type { Uses } from '../../dataflow/uses.js';
import { type Builder, pointer } from '../../ir/builder.js';
import { add, get, int, isNumber, load, mul, sub, ZERO } from '../../ir/expressions.js';
import { Interner } from '../../ir/interned.js';
import type { Block, Expr, KernelArgument, Local, Ref, Statement, StatementOf } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { mapBlocks, mapExpression, mapExpressions, visitStatements } from '../../ir/walk.js';

type ForLoop = StatementOf<'for'>;
type Kernel = StatementOf<'kernel'>;

/**
 * The product of a matrix of data and a vector or matrix. Each iteration of one loop reads its own row of the product, and no other
 * statement reads a row.
 */
export interface RowProduct {
  readonly allocation: StatementOf<'allocate'>;
  readonly kernel: Kernel;
  readonly loop: ForLoop;
  readonly result: Ref;
  readonly matrix: Ref;
  readonly right: KernelArgument;
  /** Number of columns of the matrix. */
  readonly rows: Expr;
  readonly inner: Expr;
  /** Number of columns of the product; 1 for a vector. */
  readonly columns: Expr;
}

/** The products of a block whose rows a loop of the same block reads. `input`: the vector of parameters. */
export function rowProductsOf(block: Block, input: Ref, uses: Uses): readonly RowProduct[] {
  return block.flatMap((statement) => {
    const product = statement.kind === 'kernel' ? productOf(block, statement, input, uses) : null;
    return product === null ? [] : [product];
  });
}

function productOf(block: Block, kernel: Kernel, input: Ref, uses: Uses): RowProduct | null {
  if (kernel.name !== 'gemv' && kernel.name !== 'gemm') return null;
  const [out, left, right, ...sizes] = kernel.args;
  if (out.kind !== 'pointer' || left.kind !== 'pointer' || right.kind !== 'pointer') return null;
  if (out.offset !== null || left.offset !== null || out.ref.parent !== null) return null;
  const matrix = rootOf(left.ref);
  if (matrix.storage !== 'global' || matrix === input) return null;
  const [rows, inner, columns = int(1)] = sizes.filter(isNumber);
  const [allocation, maker, loop, ...others] = uses.mentioning(block, out.ref);
  if (allocation?.kind !== 'allocate' || maker !== kernel || loop?.kind !== 'for' || others.length > 0) return null;
  if (uses.isChangedBetween(rootOf(right.ref), kernel, loop)) return null;
  const result = out.ref;
  const product = { allocation, kernel, loop, result, matrix: left.ref, right, rows, inner, columns };
  return mentions(withRows(loop.body, product, null, int(0), int(0)), result) ? null : product;
}

/** Computes the rows that the iterations from `first` to `end` - 1 read; returns the body that reads them. */
export function sliceProduct(builder: Builder, product: RowProduct, body: Block, first: Expr, count: Expr): Block {
  const { allocation, columns, inner, kernel, loop, matrix, result, right, rows } = product;
  const shift = shiftIn(loop, product);
  const own = builder.newRef('real', result.rank, result.name);
  builder.emit({ ...allocation, ref: own, sizes: kernel.name === 'gemv' ? [count] : [count, columns] });
  const offset = add(first, int(shift));
  builder.kernel('gemm_rows', [pointer(own), pointer(matrix, offset), right, count, inner, columns, rows]);
  return withRows(body, product, own, first, count);
}

/** The row that an iteration reads, minus the iteration's index. */
function shiftIn({ body, index }: ForLoop, product: RowProduct): number {
  let shift = 0;
  visitStatements(body, (statement) => {
    mapExpressions(statement, (root) =>
      mapExpression(root, (node) => {
        if (node.kind === 'load' && node.ref === product.result)
          shift = partsOf(node.index, index, product)?.shift ?? 0;
        return node;
      }),
    );
  });
  return shift;
}

/**
 * The statements with reads of the product replaced by reads of `own`, which has `count` rows, starting with the row of iteration `first`.
 * Without `own`, reads are replaced by 0, which shows whether all of them can be replaced.
 */
function withRows(body: Block, product: RowProduct, own: Ref | null, first: Expr, count: Expr): Block {
  const { loop, result } = product;
  const done = new Map<Expr, Expr>();
  let shift: number | null = null;
  const read = (node: Expr): Expr => {
    if (node.kind !== 'load' || node.ref !== result) return node;
    const parts = partsOf(node.index, loop.index, product);
    if (parts === null || (shift !== null && parts.shift !== shift)) return node;
    shift = parts.shift;
    if (own === null) return ZERO;
    const row = sub(get(loop.index), first);
    return load(own, parts.column === null ? row : add(mul(parts.column, count), row));
  };
  const rewrite = (statement: Statement): Statement =>
    mapBlocks(
      mapExpressions(statement, (root) => mapExpression(root, read, done)),
      (inner) => inner.map(rewrite),
    );
  return body.map(rewrite);
}

/** The column and row of a position in the product: row = index + shift, with a constant shift. */
function partsOf(
  position: Expr,
  index: Local,
  { kernel, rows }: Pick<RowProduct, 'kernel' | 'rows'>,
): { readonly column: Expr | null; readonly shift: number } | null {
  if (kernel.name === 'gemv') {
    const shift = shiftOf(position, index);
    return shift === null ? null : { column: null, shift };
  }
  if (position.kind !== 'apply' || position.op !== 'add_int') return null;
  const [start, row] = position.args;
  const shift = shiftOf(row, index);
  if (shift === null || start.kind !== 'apply' || start.op !== 'mul_int') return null;
  const interner = new Interner();
  const [column, stride] = start.args;
  return interner.numberOf(stride) === interner.numberOf(rows) ? { column, shift } : null;
}

function shiftOf(row: Expr, index: Local): number | null {
  if (row.kind === 'get') return row.local === index ? 0 : null;
  if (row.kind !== 'apply' || row.op !== 'add_int' || row.args[1].kind !== 'const') return null;
  const inner = shiftOf(row.args[0], index);
  return inner === null ? null : inner + row.args[1].value;
}
