import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf } from '../../../test/support/interpreter.js';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Block, Ref } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { visitStatements } from '../../ir/walk.js';
import { removeDead } from './dead.js';
import { removeOverwritten } from './overwritten.js';
import { replaceByScalars } from './scalars.js';
import { unrollShortLoops } from './unroll.js';

/** The block after unrolling, and after small containers have been replaced by locals; checks that both compute exactly the same target. */
function passed(write: (b: Builder, v: Ref) => void): { readonly unrolled: Block; readonly scalar: Block } {
  const names = new Names();
  const b = new Builder(names);
  const v = b.newRef('real', 1, 'v', 'global');
  const block = b.capture(() => write(b, v));
  const unrolled = unrollShortLoops(names, block);
  const scalar = removeDead(removeOverwritten(replaceByScalars(names, unrolled)));
  const inputs = [{ ref: v, elements: [0.7, 1.9, 0.2, 1.1] }];
  for (const after of [unrolled, scalar]) {
    verify(after);
    assert.equal(targetOf([after], inputs), targetOf([block], inputs));
  }
  return { unrolled, scalar };
}

function kindsOf(block: Block): ReadonlySet<string> {
  const kinds = new Set<string>();
  visitStatements(block, ({ kind }) => kinds.add(kind));
  return kinds;
}

test('short loops become straight lines, including nested ones bounded by the outer index', () => {
  const { unrolled } = passed((b, v) => {
    b.for(x.int(1), x.int(4), (i) => b.each(i, (j) => b.target(x.mul(x.load(v, i), x.load(v, j)))));
  });
  assert.equal(kindsOf(unrolled).has('for'), false);
});

test('each copy has its own variables', () => {
  const { scalar } = passed((b, v) => {
    b.each(x.int(2), (i) => {
      const own = b.newLocal('real', 'own');
      b.assign(own, x.exp(x.load(v, i)));
      b.target(x.mul(x.get(own), x.get(own)));
    });
  });
  assert.equal(printBlock(scalar), 'own = exp(v[0])\ntarget += own * own\nown.2 = exp(v[1])\ntarget += own.2 * own.2');
});

test('long loops remain', () => {
  const { unrolled } = passed((b, v) => b.each(x.int(40), () => b.target(x.load(v, x.int(1)))));
  assert.equal(kindsOf(unrolled).has('for'), true);
});

test('a view in an iteration refers to the container of its copy', () => {
  passed((b, v) => {
    b.each(x.int(2), (i) => {
      const pair = b.allocate('real', [x.int(2)], 'pair');
      b.store(pair, x.int(0), x.load(v, i));
      b.store(pair, x.int(1), x.load(v, x.add(i, x.int(1))));
      const last = b.view(pair, x.int(1), [x.int(1)], 'last');
      b.target(x.load(last, x.int(0)));
    });
  });
});

test('a view in an inner loop of one that the outer loop makes refers to its copy', () => {
  passed((b, v) => {
    b.each(x.int(2), (i) => {
      const three = b.allocate('real', [x.int(3)], 'three');
      b.each(x.int(3), (j) => b.store(three, j, x.load(v, j)));
      const last = b.view(three, x.int(1), [x.int(2)], 'last');
      b.store(last, x.int(1), x.load(v, i));
      b.each(x.int(2), (j) => {
        const one = b.view(last, j, [x.int(1)], 'one');
        b.target(x.mul(x.load(one, x.int(0)), x.toReal(x.add(j, x.int(1)))));
      });
    });
  });
});

test('a long loop with the index of an earlier short one is counted separately', () => {
  const { unrolled } = passed((b, v) => {
    const index = b.newLocal('int', 'k');
    for (const trips of [3, 40]) {
      const body = b.capture(() => b.target(x.mul(x.load(v, x.int(1)), x.toReal(x.get(index)))));
      b.emit({ kind: 'for', index, from: x.int(0), to: x.int(trips), body });
    }
  });
  assert.equal(kindsOf(unrolled).has('for'), true);
});

test('the elements of a small container become locals', () => {
  const { scalar } = passed((b, v) => {
    const pair = b.allocate('real', [x.int(2)], 'pair', 'uninitialized');
    b.each(x.int(2), (i) => b.store(pair, i, x.exp(x.load(v, i))));
    b.target(x.mul(x.load(pair, x.int(0)), x.load(pair, x.int(1))));
  });
  assert.equal(printBlock(scalar), 'pair = exp(v[0])\npair.2 = exp(v[1])\ntarget += pair * pair.2');
});

test('a container that is read at an unknown index stays in memory', () => {
  const { scalar } = passed((b, v) => {
    const pair = b.allocate('real', [x.int(2)], 'pair', 'zero');
    b.store(pair, x.int(0), x.load(v, x.int(0)));
    b.each(x.int(40), (i) => b.target(x.load(pair, x.apply('rem_int', 'int', i, x.int(2)))));
  });
  assert.equal(kindsOf(scalar).has('allocate'), true);
});

test('a program of very many short loops keeps most of them', () => {
  const { unrolled } = passed((b, v) => {
    for (let k = 0; k < 4_000; k++) {
      b.each(x.int(4), (i) => b.target(x.mul(x.real(k), x.exp(x.load(v, i)))));
    }
  });
  const loops = unrolled.filter(({ kind }) => kind === 'for');
  assert.ok(loops.length > 1_000 && loops.length < 4_000, `${loops.length}`);
});
