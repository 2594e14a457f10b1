import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../../../test/project/tree.js';
import { Builder, Names } from '../../ir/builder.js';
import { add, call1, int, load, mul } from '../../ir/expressions.js';
import type { Block, Expr } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { blocksOf, mapBlocks, mapEach, mapExpression, mapExpressions } from '../../ir/walk.js';

/**
 * Replaces exp(a) * exp(b) by exp(a + b): one exponential instead of two. If a factor overflows or underflows but the product does not,
 * the new value is the accurate one.
 */
function mergeExponentials(block: Block): Block {
  return mapEach(block, (statement) => {
    const done = new Map<Expr, Expr>();
    const own = mapExpressions(statement, (root) => mapExpression(root, merged, done));
    return blocksOf(own).length === 0 ? own : mapBlocks(own, mergeExponentials);
  });
}

function merged(node: Expr): Expr {
  if (node.kind !== 'apply' || node.op !== 'mul') return node;
  const [first, second] = node.args;
  if (first.kind !== 'apply' || first.op !== 'exp' || second.kind !== 'apply' || second.op !== 'exp') return node;
  return call1('exp', add(first.args[0], second.args[0]));
}

/** The block after the pass, printed. */
function after(write: (b: Builder, element: (k: number) => Expr) => void): string {
  const b = new Builder(new Names());
  const v = b.newRef('real', 1, 'v', 'global');
  const block = mergeExponentials(b.capture(() => write(b, (k) => load(v, int(k)))));
  verify(block);
  return printBlock(block);
}

describe('the example of docs/adding-a-pass.md', () => {
  it('is the code that is tested here', () => {
    const [, indented = ''] = /```ts\n(.*?) *```/s.exec(read('docs/adding-a-pass.md')) ?? [];
    const example = indented.replace(/^ {3}/gm, '').trimEnd();
    assert.ok(example.length > 0);
    assert.ok(read('src/optimize/algebra/adding-a-pass.test.ts').includes(example));
  });

  it('merges exponentials, also in products of several factors and inside loops', () => {
    const text = after((b, v) => {
      const [x, y, z] = [v(0), v(1), v(2)].map((e) => call1('exp', e));
      b.each(int(3), () => b.target(mul(mul(x, y), z)));
    });
    assert.match(text, /target \+= exp\(\(v\[0\] \+ v\[1\]\) \+ v\[2\]\)/);
  });

  it('returns a block without such products unchanged', () => {
    const b = new Builder(new Names());
    const v = b.newRef('real', 1, 'v', 'global');
    const block = b.capture(() => b.each(int(3), (k) => b.target(mul(call1('exp', load(v, k)), load(v, int(1))))));
    assert.equal(mergeExponentials(block), block);
  });
});
