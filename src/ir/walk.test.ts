import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from './builder.js';
import * as x from './expressions.js';
import type { Block, Expr } from './nodes.js';
import {
  blocksOf,
  expressionsOf,
  mapBlocks,
  mapExpression,
  mapExpressions,
  mapStatements,
  visitExpressions,
} from './walk.js';

const builder = (): Builder => new Builder(new Names());

test('mapExpression works bottom-up and preserves sharing', () => {
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

test("expressionsOf returns the statement's own expressions, visitExpressions also those of nested blocks", () => {
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

test('a block without changes stays the same object, with each of its statements', () => {
  const b = builder();
  const n = b.newLocal('int', 'n');
  const block = b.capture(() => {
    const v = b.allocate('real', [x.get(n)], 'v', 'zero');
    b.each(x.get(n), (i) =>
      b.if(x.compare('gt', i, x.int(3)), () => b.check(x.isPositive(x.load(v, i)), 'v is {0}', [x.load(v, i)])),
    );
    b.target(x.ONE);
  });
  const rewrite = (inner: Block, f: (node: Expr) => Expr): Block =>
    mapStatements(inner, (statement) =>
      mapBlocks(
        mapExpressions(statement, (root) => mapExpression(root, f)),
        (each) => rewrite(each, f),
      ),
    );
  assert.equal(
    rewrite(block, (node) => node),
    block,
  );
  const changed = rewrite(block, (node) => (node.kind === 'const' && node.value === 3 ? x.int(4) : node));
  assert.deepEqual(
    changed.map((statement, k) => statement === block[k]),
    [true, false, true],
  );
});

test('mapStatements replaces one statement by none, one or several', () => {
  const b = builder();
  const [one, two, three] = b.capture(() => [1, 2, 3].map((value) => b.target(x.real(value))));
  const twice = { ...two };
  const mapped = mapStatements([one, two, three], (statement, k) => [[], [two, twice], statement][k]);
  assert.deepEqual(mapped, [two, twice, three]);
});
