import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { add, filter, fromRoot, type Tree, union } from './balanced-tree.js';

const byValue = (a: number, b: number) => a - b;
const treeOf = (...values: readonly number[]): Tree<number> =>
  values.reduce<Tree<number>>((tree, value) => add(tree, value, byValue), undefined);
const multiples = (of: number, count: number) => Array.from({ length: count }, (_, i) => of * i);

function sorted(tree: Tree<number>): number[] {
  return tree === undefined ? [] : [...sorted(tree.left), tree.value, ...sorted(tree.right)];
}

function assertBalanced(tree: Tree<number>): void {
  if (tree === undefined) return;
  const [left, right] = [tree.left?.height ?? 0, tree.right?.height ?? 0];
  assert.ok(Math.abs(left - right) <= 2);
  assert.equal(tree.height, 1 + Math.max(left, right));
  assertBalanced(tree.left);
  assertBalanced(tree.right);
}

describe('a balanced tree', () => {
  it('keeps its values in order and its sides balanced', () => {
    const tree = treeOf(...multiples(7, 100).map((value) => value % 100));
    assert.deepEqual(sorted(tree), multiples(1, 100));
    assertBalanced(tree);
  });

  it('merges with another tree', () => {
    const tree = union(treeOf(...multiples(2, 40)), treeOf(...multiples(3, 15)), byValue);
    assert.deepEqual(sorted(tree), [...new Set([...multiples(2, 40), ...multiples(3, 15)])].sort(byValue));
    assertBalanced(tree);
  });

  it('removes values', () => {
    const tree = filter(treeOf(...multiples(1, 60)), (value) => value % 3 === 0);
    assert.deepEqual(sorted(tree), multiples(3, 20));
    assertBalanced(tree);
  });

  it('lists the root first', () => {
    assert.deepEqual(fromRoot(treeOf(1, 2)), [1, 2]);
    assert.deepEqual(fromRoot(treeOf(1, 2, 3, 4)), [2, 1, 3, 4]);
  });

  it('may be reversed when it is merged with its mirror image', () => {
    assert.deepEqual(fromRoot(union(treeOf(1, 2), treeOf(1, 2), byValue)), [2, 1]);
  });
});
