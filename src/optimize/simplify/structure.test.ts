import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { interpreter } from '../../../test/support/interpreter.js';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Block, Local } from '../../ir/nodes.js';
import { FUNCTION_LABEL } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { visitStatements } from '../../ir/walk.js';
import { removeExits } from './structure.js';

interface Written {
  readonly names: Names;
  readonly block: Block;
  readonly steps: Local;
  readonly trace: Local;
}

/** A block that starts with a step count of 0 and an empty trace. */
function written(write: (b: Builder, steps: Local, trace: Local) => void): Written {
  const names = new Names();
  const b = new Builder(names);
  const steps = b.newLocal('int', 'steps');
  const trace = b.newLocal('int', 'trace');
  const block = b.capture(() => {
    b.assign(steps, x.int(0));
    b.assign(trace, x.int(0));
    write(b, steps, trace);
  });
  return { names, block, steps, trace };
}

function outcome(block: Block, { steps, trace }: Written): readonly number[] {
  const evaluator = interpreter();
  evaluator.run(block);
  return [evaluator.value(x.get(steps)), evaluator.value(x.get(trace))];
}

function assertSame(program: Written): Block {
  const without = removeExits(program.names, program.block);
  visitStatements(without, ({ kind }) => assert.ok(kind !== 'exit' && kind !== 'labeled'));
  verify(without);
  assert.deepEqual(outcome(without, program), outcome(program.block, program));
  return without;
}

test('a block without exits is unchanged', () => {
  const { names, block } = written((b, steps) => b.each(x.int(3), (i) => b.assign(steps, i)));
  assert.deepEqual(removeExits(names, block), block);
});

test('an exit at the end of its block needs no flag', () => {
  const program = written((b, steps) =>
    b.labeled((label) =>
      b.if(
        x.compare('eq', x.get(steps), x.int(0)),
        () => b.exit(label),
        () => b.assign(steps, x.int(9)),
      ),
    ),
  );
  assert.equal(printBlock(assertSame(program)), 'steps = 0\ntrace = 0\nif steps == 0 {\n} else {\n  steps = 9\n}');
});

test('statements after a conditional exit move into the other branch', () => {
  const program = written((b, steps) =>
    b.labeled((label) => {
      b.if(x.compare('eq', x.get(steps), x.int(0)), () => b.exit(label));
      b.assign(steps, x.int(9));
    }),
  );
  assert.equal(printBlock(assertSame(program)), 'steps = 0\ntrace = 0\nif steps == 0 {\n} else {\n  steps = 9\n}');
});

test('the condition of a loop is not evaluated after an exit', () => {
  const names = new Names();
  const b = new Builder(names);
  const i = b.newLocal('int', 'i');
  const block = b.capture(() => {
    const v = b.allocate('int', [x.int(2)], 'v', 'zero');
    b.assign(i, x.int(0));
    b.labeled((label) =>
      b.while(x.compare('eq', x.load(v, x.get(i)), x.int(0)), () => {
        b.if(x.compare('eq', x.get(i), x.int(1)), () => {
          b.assign(i, x.int(2 ** 30));
          b.exit(label);
        });
        b.assign(i, x.add(x.get(i), x.int(1)));
      }),
    );
  });
  const evaluator = interpreter();
  evaluator.run(removeExits(names, block));
  assert.equal(evaluator.value(x.get(i)), 2 ** 30);
});

test("the label of a function's body is left at its end", () => {
  const { names, block } = written((b, steps) => {
    b.each(x.int(3), (i) => b.if(x.compare('eq', i, x.int(1)), () => b.exit(FUNCTION_LABEL)));
    b.assign(steps, x.int(1));
  });
  const without = removeExits(names, block, [FUNCTION_LABEL]);
  assert.match(printBlock(without), /^left = 0\n/);
  assert.match(printBlock(without), /if left == 0 \{\n {2}steps = 1\n\}$/);
});

/** A statement of a random nest; conditions depend on the number of steps so far. */
type Nest =
  | { readonly kind: 'step'; readonly value: number }
  | { readonly kind: 'exit'; readonly outward: number }
  | {
      readonly kind: 'if';
      readonly modulus: number;
      readonly then: readonly Nest[];
      readonly otherwise: readonly Nest[];
    }
  | { readonly kind: 'for' | 'while' | 'labeled'; readonly body: readonly Nest[] };

const { nest } = fc.letrec<{ nest: Nest }>((tie) => {
  const body = fc.array(tie('nest'), { maxLength: 4, depthIdentifier: 'nest' });
  return {
    nest: fc.oneof(
      { maxDepth: 5, depthIdentifier: 'nest', withCrossShrink: true },
      fc.record({ kind: fc.constant('step' as const), value: fc.nat({ max: 9 }) }),
      fc.record({ kind: fc.constant('exit' as const), outward: fc.nat({ max: 3 }) }),
      fc.record({
        kind: fc.constant('if' as const),
        modulus: fc.integer({ min: 1, max: 4 }),
        then: body,
        otherwise: body,
      }),
      fc.record({ kind: fc.constantFrom('for' as const, 'while' as const, 'labeled' as const), body }),
    ),
  };
});

function emitNest(b: Builder, nests: readonly Nest[], labels: readonly number[], steps: Local, trace: Local): void {
  const inside = (inner: readonly Nest[], more: readonly number[] = []): void =>
    emitNest(b, inner, [...more, ...labels], steps, trace);
  for (const node of nests) {
    switch (node.kind) {
      case 'step':
        b.assign(steps, x.add(x.get(steps), x.int(1)));
        b.assign(
          trace,
          x.apply('rem_int', 'int', x.add(x.mul(x.get(trace), x.int(7)), x.int(node.value)), x.int(9973)),
        );
        break;
      case 'exit':
        if (labels.length > 0) b.exit(labels[node.outward % labels.length]);
        break;
      case 'if': {
        const rest = x.apply('rem_int', 'int', x.get(steps), x.int(node.modulus));
        b.if(
          x.compare('eq', rest, x.int(0)),
          () => inside(node.then),
          () => inside(node.otherwise),
        );
        break;
      }
      case 'for':
        b.each(x.int(3), () => inside(node.body));
        break;
      case 'while': {
        const iterations = b.newLocal('int', 'iterations');
        b.assign(iterations, x.int(0));
        b.while(x.compare('lt', x.get(iterations), x.int(3)), () => {
          b.assign(iterations, x.add(x.get(iterations), x.int(1)));
          inside(node.body);
        });
        break;
      }
      case 'labeled':
        b.labeled((label) => inside(node.body, [label]));
        break;
    }
  }
}

test('random nests of loops, conditions and exits behave the same without exits', () => {
  fc.assert(
    fc.property(fc.array(nest, { maxLength: 5 }), (nests) => {
      assertSame(written((b, steps, trace) => b.labeled((label) => emitNest(b, nests, [label], steps, trace))));
    }),
    { numRuns: 500, seed: 3 },
  );
});
