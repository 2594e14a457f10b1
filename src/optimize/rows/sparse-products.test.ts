import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names, pointer } from '../../ir/builder.js';
import { get, int, load } from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { sparseProducts } from './sparse-products.js';

interface Program {
  readonly before: string;
  readonly precompute: string;
  readonly logDensity: string;
}

/** The block before and after the pass, printed. */
function compressed(write: (b: Builder, x: Ref, beta: Ref) => void): Program {
  const names = new Names();
  const b = new Builder(names);
  const x = b.newRef('real', 2, 'x', 'global');
  const beta = b.newRef('real', 2, 'beta', 'global');
  const block = b.capture(() => write(b, x, beta));
  const split = sparseProducts(names, block);
  verify([...split.precompute, ...split.logDensity]);
  return {
    before: printBlock(block),
    precompute: printBlock(split.precompute),
    logDensity: printBlock(split.logDensity),
  };
}

test('a matrix of data is compressed once for all products with vectors, and once for those with matrices', () => {
  const { before, precompute, logDensity } = compressed((b, x, beta) => {
    const [m, k, n] = ['m', 'k', 'n'].map((name) => get(b.newLocal('int', name, 'global')));
    const [first, second] = [b.allocate('real', [m], 'first'), b.allocate('real', [m], 'second')];
    b.kernel('gemv', [pointer(first), pointer(x), pointer(beta), m, k]);
    b.kernel('gemv', [pointer(second), pointer(x), pointer(first), m, k]);
    const product = b.allocate('real', [m, n], 'product');
    b.kernel('gemm', [pointer(product), pointer(x), pointer(beta), m, k, n]);
    b.target(load(product, int(0)));
  });
  assert.equal(
    before,
    `allocate real first[m]
allocate real second[m]
kernel gemv(&first, &x, &beta, m, k)
kernel gemv(&second, &x, &first, m, k)
allocate real product[m, n]
kernel gemm(&product, &x, &beta, m, k, n)
target += product[0]`,
  );
  assert.equal(
    precompute,
    `sparse_size = kernel sparse_size(&x, size(x, 0), size(x, 1), 1)
entries = sparse_size
allocate real compressed[entries]
kernel sparse_rows(&compressed, &x, size(x, 0), size(x, 1), entries)
sparse_size.2 = kernel sparse_size(&x, size(x, 0), size(x, 1), n)
entries.2 = sparse_size.2
allocate real compressed.2[entries.2]
kernel sparse_rows(&compressed.2, &x, size(x, 0), size(x, 1), entries.2)`,
  );
  assert.equal(
    logDensity,
    `allocate real first[m]
allocate real second[m]
allocate real work[0]
kernel sparse_gemm(&first, &compressed, &x, &beta, &work, m, k, 1, entries)
allocate real work.2[0]
kernel sparse_gemm(&second, &compressed, &x, &first, &work.2, m, k, 1, entries)
allocate real product[m, n]
allocate real work.3[select_int(entries.2 == 0, 0, 8 * k)]
kernel sparse_gemm(&product, &compressed.2, &x, &beta, &work.3, m, k, n, entries.2)
target += product[0]`,
  );
});

test('a number of columns that only the log density knows counts as two', () => {
  const { precompute, logDensity } = compressed((b, x, beta) => {
    const right = b.allocate('real', [int(9), int(6)], 'right', 'zero');
    b.store(right, int(0), load(beta, int(0)));
    const product = b.allocate('real', [int(9), int(6)], 'product');
    const n: Expr = { kind: 'size', type: 'int', ref: right, axis: 1 };
    b.kernel('gemm', [pointer(product), pointer(x), pointer(right), int(9), int(9), n]);
    b.target(load(product, int(0)));
  });
  assert.equal(
    precompute,
    `sparse_size = kernel sparse_size(&x, size(x, 0), size(x, 1), 2)
entries = sparse_size
allocate real compressed[entries]
kernel sparse_rows(&compressed, &x, size(x, 0), size(x, 1), entries)`,
  );
  assert.match(logDensity, /kernel sparse_gemm/);
});

test('matrices that the log density writes, products inside of loops and rows of a matrix stay', () => {
  const { before, precompute, logDensity } = compressed((b, x, beta) => {
    const a = b.allocate('real', [int(9), int(9)], 'a');
    const out = b.allocate('real', [int(9)], 'out');
    b.store(a, int(0), load(beta, int(0)));
    b.kernel('gemv', [pointer(out), pointer(a), pointer(beta), int(9), int(9)]);
    b.kernel('gemv', [pointer(out), pointer(x, int(9)), pointer(beta), int(9), int(9)]);
    b.each(int(2), () => b.kernel('gemv', [pointer(out), pointer(x), pointer(beta), int(9), int(9)]));
    b.store(beta, int(0), load(out, int(0)));
    b.kernel('gemv', [pointer(out), pointer(beta), pointer(x), int(9), int(9)]);
  });
  assert.equal(precompute, '');
  assert.equal(logDensity, before);
});
