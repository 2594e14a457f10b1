import { usesOf } from '../../dataflow/cached.js';
import { mentionsOfNode } from '../../dataflow/effects.js';
import { sparseWork } from '../../functions/kernels.js';
import { Builder, type Names, pointer } from '../../ir/builder.js';
import { get, int, isNumber } from '../../ir/expressions.js';
import type { Block, Expr, KernelArgument, Local, Ref, Statement, StatementOf } from '../../ir/nodes.js';
import { visitExpression } from '../../ir/walk.js';

interface Parts {
  readonly precompute: Block;
  readonly logDensity: Block;
}

/** A product of a matrix of data with a matrix or vector. */
interface Product {
  readonly out: KernelArgument;
  readonly matrix: Ref;
  readonly right: KernelArgument;
  readonly sizes: readonly [m: Expr, k: Expr, n: Expr];
}

/** The variables in which `precompute` stores the compressed form of a matrix. */
interface Compressed {
  readonly rows: Ref;
  /** 0 if products are faster without the compressed form. */
  readonly size: Local;
}

/**
 * Sparse products: compresses matrices of data that multiply vectors or matrices, so that products skip their zeros. `precompute` counts
 * the zeros and decides. Applies to whole matrices of data, in products outside of loops and conditions. Must follow `hoistData`.
 */
export function sparseProducts(names: Names, block: Block): Parts {
  const uses = usesOf(block);
  const builder = new Builder(names);
  const found = new Map<Ref, Map<boolean, Compressed>>();
  const early: Statement[] = [];
  const compressedOf = ({ matrix, sizes: [, , n] }: Product): Compressed => {
    const isVector = n.kind === 'const' && n.value === 1;
    const known = found.get(matrix) ?? new Map<boolean, Compressed>();
    found.set(matrix, known);
    let compressed = known.get(isVector);
    if (compressed === undefined) {
      const made = builder.captureResult(() => compress(builder, matrix, n));
      early.push(...made.block);
      compressed = made.result;
      known.set(isVector, compressed);
    }
    return compressed;
  };
  const logDensity = block.flatMap((statement) => {
    const product = statement.kind === 'kernel' ? productOf(statement) : null;
    if (product === null || uses.writes(product.matrix).length > 0 || uses.definitions(product.matrix).length > 0)
      return [statement];
    const { rows, size } = compressedOf(product);
    return builder.capture(() => multiply(builder, product, rows, get(size)));
  });
  return early.length === 0 ? { precompute: [], logDensity: block } : { precompute: early, logDensity };
}

function productOf({ name, args }: StatementOf<'kernel'>): Product | null {
  if (name !== 'gemv' && name !== 'gemm') return null;
  const [out, left, right, ...rest] = args;
  const [m, k, n = int(1)] = rest.filter(isNumber);
  if (left.kind !== 'pointer' || left.offset !== null || left.adjoint || !m || !k) return null;
  const { ref } = left;
  if (ref.storage !== 'global' || ref.parent !== null || ref.rank !== 2) return null;
  return { out, matrix: ref, right, sizes: [m, k, n] };
}

function compress(builder: Builder, matrix: Ref, columns: Expr): Compressed {
  const size = builder.newLocal('int', 'entries', 'global');
  // The decision is the same for any number of columns below four.
  const n = isGlobal(columns) ? columns : int(2);
  const rows = builder.newRef('real', 1, 'compressed', 'global');
  const [m, k] = [0, 1].map((axis): Expr => ({ kind: 'size', type: 'int', ref: matrix, axis }));
  builder.assign(size, builder.kernelResult('int', 'sparse_size', [pointer(matrix), m, k, n]));
  builder.allocateRef(rows, [get(size)]);
  builder.kernel('sparse_rows', [pointer(rows), pointer(matrix), m, k, get(size)]);
  return { rows, size };
}

/** Whether `precompute` can evaluate the expression. */
function isGlobal(e: Expr): boolean {
  let isLocal = false;
  visitExpression(e, (node) => {
    mentionsOfNode(node, (variable) => {
      isLocal ||= variable.storage === 'local';
    });
  });
  return !isLocal;
}

function multiply(builder: Builder, { out, matrix, right, sizes }: Product, rows: Ref, size: Expr): void {
  const [, k, n] = sizes;
  const work = pointer(builder.allocate('real', [sparseWork(k, n, size)], 'work'));
  builder.kernel('sparse_gemm', [out, pointer(rows), pointer(matrix), right, work, ...sizes, size]);
}
