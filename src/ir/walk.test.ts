import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from './builder.js';
import * as x from './expressions.js';
import type { Expr } from './nodes.js';
import { blocksOf, expressionsOf, mapBlocks, mapExpression, visitExpressions } from './walk.js';

const builder = (): Builder => new Builder(new Names());

test('mapExpression goes bottom-up and keeps what is shared shared', () => {
  const b = builder();
  const local = b.newLocal('real', 'y');
  const shared = x.exp(x.get(local));
  const root = x.add(x.mul(shared, shared), shared);
  let calls = 0;
  const mapped = mapExpression(root, (node) => {
    calls++;
    return node.kind === 'get' ? x.real(2) : node;
  });
  assert.equal(calls, 4);
  assert.ok(mapped.kind === 'apply' && mapped.args[0].kind === 'apply');
  assert.equal(mapped.args[0].args[0], mapped.args[1]);
  assert.equal(
    mapExpression(root, (node) => node),
    root,
  );
});

test('expressionsOf gives the statement’s own expressions, visitExpressions also those of nested blocks', () => {
  const b = builder();
  const [loop] = b.capture(() => b.each(x.int(3), (i) => b.target(x.toReal(i))));
  assert.deepEqual(expressionsOf(loop), [x.int(0), x.int(3)]);
  const kinds: string[] = [];
  visitExpressions(loop, (node: Expr) => kinds.push(node.kind));
  assert.deepEqual(kinds, ['const', 'const', 'get', 'apply']);
});

test('mapBlocks replaces the blocks directly inside', () => {
  const b = builder();
  const [choice] = b.capture(() =>
    b.if(
      x.get(b.newLocal('int', 'c')),
      () => b.target(x.ONE),
      () => b.target(x.ZERO),
    ),
  );
  assert.equal(blocksOf(choice).length, 2);
  assert.deepEqual(blocksOf(mapBlocks(choice, () => [])), [[], []]);
});
