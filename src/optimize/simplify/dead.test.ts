import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names, pointer } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import { printBlock } from '../../ir/print.js';
import { removeDead } from './dead.js';

function alive(write: (b: Builder) => void): string {
  const b = new Builder(new Names());
  return printBlock(removeDead(b.capture(() => write(b))));
}

test('unused values are removed, with the values that only they use', () => {
  const text = alive((b) => {
    const unused = b.bind(x.exp(b.bind(x.apply('add', 'real', x.ONE, x.ONE), 'a')), 'b');
    b.assign(b.newLocal('real', 'c'), unused);
    b.target(x.ONE);
  });
  assert.equal(text, 'target += 1.0');
});

test('loops and conditions that become empty are removed', () => {
  const text = alive((b) =>
    b.each(x.int(3), (i) => b.if(x.compare('gt', i, x.int(1)), () => b.bind(x.exp(x.toReal(i))))),
  );
  assert.equal(text, '');
});

test('a container is removed with all its writes, or remains with all of them and its views', () => {
  const write = (read: boolean) => (b: Builder) => {
    const v = b.allocate('real', [x.int(3)], 'v');
    const part = b.view(v, x.int(1), [x.int(2)], 'part');
    b.store(part, x.int(0), x.ONE);
    b.kernel('cholesky', [pointer(v), pointer(v), x.int(1)]);
    if (read) b.target(x.load(v, x.int(1)));
  };
  assert.equal(alive(write(false)), '');
  assert.match(
    alive(write(true)),
    /^allocate real v\[3\]\nview part\[2\] = v from 1\npart\[0\] = 1\.0\nkernel .*\ntarget/,
  );
});

test('checks, messages and variables in `roots` remain', () => {
  const b = new Builder(new Names());
  const kept = b.newLocal('real', 'kept', 'global');
  const block = b.capture(() => {
    const n = b.bind(x.apply('add_int', 'int', x.int(1), x.int(2)), 'n');
    b.check(x.compare('gt', n, x.int(0)), 'n is {0}', [n]);
    b.emit({ kind: 'print', parts: [{ kind: 'scalar', value: n }] });
    b.assign(kept, x.ONE);
    b.assign(b.newLocal('real', 'other', 'global'), x.ONE);
  });
  assert.equal(printBlock(removeDead(block, [kept])), 'n = 1 + 2\ncheck n > 0 else "n is {0}", n\nprint n\nkept = 1.0');
});

test('a variable that only its own next value reads remains: one result per variable', () => {
  const text = alive((b) => {
    const s = b.newLocal('real', 's');
    b.assign(s, x.ONE);
    b.each(x.int(3), () => b.assign(s, x.mul(x.get(s), x.get(s))));
    b.target(x.get(s));
  });
  assert.equal(text, 's = 1.0\nfor i in 0 .. 3 {\n  s = s * s\n}\ntarget += s');
});
