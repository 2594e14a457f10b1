import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names, pointer } from '../../ir/builder.js';
import { add, int, load } from '../../ir/expressions.js';
import type { Block, Ref } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { shareKernels } from './share-kernels.js';

const N = int(3);

interface Decomposition {
  readonly values: Ref;
  readonly vectors: Ref;
}

function decompose(b: Builder, a: Ref): Decomposition {
  const values = b.allocate('real', [N], 'values');
  const vectors = b.allocate('real', [N, N], 'vectors');
  const work = pointer(b.allocate('real', [int(18)], 'work'));
  b.kernelResult('int', 'eigen_symmetric', [pointer(values), pointer(vectors), pointer(a), work, N]);
  return { values, vectors };
}

/** A block that reads the matrix `a`, before and after the pass. */
function shared(write: (b: Builder, a: Ref) => void): { readonly before: Block; readonly after: Block } {
  const b = new Builder(new Names());
  const a = b.newRef('real', 2, 'a', 'global');
  const before = b.capture(() => write(b, a));
  const after = shareKernels(before);
  verify(after);
  return { before, after };
}

test('a repeated decomposition is read from the first one', () => {
  const { before, after } = shared((b, a) => {
    const first = decompose(b, a);
    const second = decompose(b, a);
    b.target(add(load(first.vectors, int(1)), load(second.values, int(2))));
  });
  assert.equal(
    printBlock(before),
    `allocate real values[3]
allocate real vectors[3, 3]
allocate real work[18]
eigen_symmetric = kernel eigen_symmetric(&values, &vectors, &a, &work, 3)
allocate real values.2[3]
allocate real vectors.2[3, 3]
allocate real work.2[18]
eigen_symmetric.2 = kernel eigen_symmetric(&values.2, &vectors.2, &a, &work.2, 3)
target += vectors[1] + values.2[2]`,
  );
  assert.equal(
    printBlock(after),
    `allocate real values[3]
allocate real vectors[3, 3]
allocate real work[18]
eigen_symmetric = kernel eigen_symmetric(&values, &vectors, &a, &work, 3)
allocate real work.2[18]
target += vectors[1] + values[2]`,
  );
});

test('memory of a shared output is not filled', () => {
  const { before, after } = shared((b, a) => {
    const factors = [b.allocate('real', [N, N], 'factor', 'zero'), b.allocate('real', [N, N], 'factor')];
    for (const factor of factors) b.kernelResult('int', 'cholesky', [pointer(factor), pointer(a), N]);
    for (const factor of factors) b.target(load(factor, int(2)));
  });
  assert.equal(
    printBlock(before),
    `allocate real factor[3, 3] zero
allocate real factor.2[3, 3]
cholesky = kernel cholesky(&factor, &a, 3)
cholesky.2 = kernel cholesky(&factor.2, &a, 3)
target += factor[2]
target += factor.2[2]`,
  );
  assert.equal(
    printBlock(after),
    `allocate real factor[3, 3]
cholesky = kernel cholesky(&factor, &a, 3)
target += factor[2]
target += factor[2]`,
  );
});

test('a matrix that has changed is decomposed again', () => {
  const { before, after } = shared((b, a) => {
    const first = decompose(b, a);
    b.store(a, int(0), load(first.values, int(0)));
    b.target(load(decompose(b, a).values, int(0)));
  });
  assert.equal(after, before);
});

test('outputs that are written again, calls in another block and views stay', () => {
  const { before, after } = shared((b, a) => {
    const first = decompose(b, a);
    b.store(first.values, int(0), load(a, int(1)));
    const second = decompose(b, a);
    const view = b.view(second.values, int(1), [int(2)]);
    b.target(add(load(first.values, int(0)), load(view, int(0))));
    b.each(int(2), () => b.target(load(decompose(b, a).values, int(0))));
  });
  assert.equal(after, before);
});
