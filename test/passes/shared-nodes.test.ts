import { describe, it } from 'node:test';
import { differentiate } from '../../src/gradient/differentiate.js';
import { valueAlone } from '../../src/gradient/value.js';
import type { Builder } from '../../src/ir/builder.js';
import * as x from '../../src/ir/expressions.js';
import type { Block, Expr } from '../../src/ir/nodes.js';
import { OPS, type OpName } from '../../src/ir/ops.js';
import { verify } from '../../src/ir/verify.js';
import { PassRunner } from '../../src/optimize/runner.js';
import { Random } from '../fuzz/random.js';
import { compileIr } from '../support/compile-ir.js';

/** Expressions in which each node is read several times. A walk that visits a node once per path does not terminate in reasonable time. */
const DEPTH = 60;

/** Combines two values of the same type into one. */
const REAL: readonly OpName[] = ['add', 'sub', 'mul', 'div', 'pow', 'log_sum_exp', 'fmod', 'copysign', 'hypot'];
const INT: readonly OpName[] = ['add_int', 'sub_int', 'mul_int', 'div_int', 'rem_int', 'and', 'or', 'eq_int', 'le_int'];
const UNARY: readonly OpName[] = ['neg', 'exp', 'log', 'inv_logit', 'log_inv_logit', 'log1p_exp', 'log_Phi', 'lgamma'];

const named = (ops: readonly OpName[]): readonly OpName[] => ops.filter((op) => OPS[op] !== undefined);

/** `combine` applied to its own result again and again. */
function nested(leaf: Expr, combine: (e: Expr, level: number) => Expr): Expr {
  let e = leaf;
  for (let level = 0; level < DEPTH; level++) e = combine(e, level);
  return e;
}

const both = (op: OpName) => (e: Expr) => x.apply(op, e.type, e, e);

/** A real from an arbitrary int, on which no condition depends. */
const asTerm = (e: Expr): Expr => (e.type === 'int' ? x.toReal(e) : e);

/** Compiles a log density that reads the value in every type of statement, with its gradient. */
function compileReading(make: (real: Expr, int: Expr) => Expr): void {
  compileIr(
    ({ names, builder: b, position, flags }) => {
      const inputs = [position, flags.keepConstants, flags.keepJacobian];
      const n = b.newLocal('int', 'n', 'global');
      const logDensity = b.capture(() => write(b, n, x.load(position, x.int(0)), make));
      const check = (block: Block): Block => {
        verify(block, { functions: [], gradient: true });
        return block;
      };
      const passes = new PassRunner(names);
      const optimized = passes.logDensity(logDensity, inputs);
      const raw = differentiate(names, check(optimized.logDensity), [position], flags.keepJacobian);
      const gradient = passes.block('gradient', check(raw.gradient));
      check(passes.block('value', valueAlone(gradient, raw.originals)));
      return {
        data: [{ name: 'n', variable: n, arrayDepth: 0, element: 'int' }],
        logDensity,
        gradient: check(gradient),
        precompute: optimized.precompute,
      };
    },
    { data: { n: 3 } },
  );
}

function write(b: Builder, n: Parameters<typeof x.get>[0], p: Expr, make: (real: Expr, int: Expr) => Expr): void {
  const size = x.get(n);
  b.target(asTerm(make(p, size)));
  const v = b.allocate('real', [size], 'v');
  b.each(size, (i) => {
    b.store(v, i, x.mul(p, asTerm(make(x.load(v, i), x.add(i, size)))));
    b.target(asTerm(make(x.load(v, i), i)));
  });
  const sum = b.newLocal('real', 'sum');
  b.assign(sum, p);
  b.each(size, (i) => {
    b.assign(sum, x.add(x.get(sum), asTerm(make(x.add(x.get(sum), p), i))));
    const value = make(p, i);
    const index = value.type === 'int' ? x.minInt(x.maxInt(value, x.int(0)), x.sub(size, x.int(1))) : i;
    b.target(x.mul(x.load(v, index), x.get(sum)));
    b.if(x.compare('gt', value, make(x.get(sum), size)), () => b.target(p));
  });
  b.check(x.compare('ge', make(p, size), size), 'is {0}', [make(p, size)]);
  b.target(x.get(sum));
}

describe('each node is visited once, regardless of its number of parents', () => {
  for (const op of named(REAL)) it(`reals: ${op}`, () => compileReading((real) => nested(real, both(op))));
  for (const op of named(INT)) it(`ints: ${op}`, () => compileReading((_, int) => nested(int, both(op))));
  it('conditions', () =>
    compileReading((_, int) => nested(int, (e) => x.select(x.compare('lt', e, int), e, x.add(e, e)))));
  for (let seed = 1; seed <= 30; seed++) it(`at random, seed ${seed}`, () => compileReading(randomShape(seed)));
});

/** The last of a growing list of values, each of which combines two earlier ones. */
function randomShape(seed: number): (real: Expr, int: Expr) => Expr {
  return (real, int) => {
    const random = new Random(seed);
    const reals = [real, x.add(real, x.real(0.5))];
    const ints = [int, x.add(int, x.int(1))];
    const recent = (list: readonly Expr[]): Expr => list[list.length - 1 - random.below(2)];
    for (let k = 0; k < 2 * DEPTH; k++) {
      const kind = random.below(6);
      if (kind < 3) reals.push(x.apply(random.pick(named(REAL)), 'real', recent(reals), recent(reals)));
      else if (kind === 3) reals.push(x.apply(random.pick(named(UNARY)), 'real', recent(reals)));
      else if (kind === 4) ints.push(x.apply(random.pick(named(INT)), 'int', recent(ints), recent(ints)));
      else reals.push(x.select(x.compare('lt', recent(ints), recent(ints)), recent(reals), recent(reals)));
    }
    return recent(random.below(2) === 0 ? reals : ints);
  };
}
