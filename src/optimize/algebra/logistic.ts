import {
  abs,
  add,
  call1,
  call2,
  compare,
  div,
  exp,
  log1p,
  mul,
  neg,
  ONE,
  real,
  select,
  square,
  sub,
  unsigned,
  ZERO,
} from '../../ir/expressions.js';
import { Interner } from '../../ir/interned.js';
import type { Block, Expr, Statement } from '../../ir/nodes.js';
import { normalInterval } from '../../ir/normal-interval.js';
import type { OpName } from '../../ir/ops.js';
import { withArguments } from '../../ir/remake.js';
import { mapBlocks, mapOwnNodes, visitExpressions } from '../../ir/walk.js';

/**
 * The logarithms of the logistic family and their derivatives are both functions of exp(-|x|). If a block has both for one argument, or for
 * x and -x, they are written with that exponential, so that it is computed once:
 *
 *     log(1 + exp(x))   = max(x, 0) + log(1 + e)             e = exp(-|x|)
 *     1 / (1 + exp(-x)) = (x < 0 ? e : 1) / (1 + e)
 *
 * Likewise the logarithm of the normal distribution function and its derivative, which are functions of t = exp(x²/2) Phi(-|x|):
 *
 *     log(Phi(x)) = x < 0 ? log(1 + (t - 1)) - x²/2 : log(1 - exp(-x²/2) t)
 *
 * and the logarithm of a difference of two of them (`normalInterval`).
 *
 * If a block also has the derivative of log(1 - exp(x)), which is -1 / (exp(-x) - 1), the logarithm is computed from it:
 *
 *     log(1 - exp(x)) = -log(1 + 1 / (exp(-x) - 1))
 *
 * Must precede `shareCommon`, which finds the equal exponentials.
 */
export function shareExponentials(block: Block): Block {
  const magnitudes = new Magnitudes();
  const logs = new Set<number>();
  const ratios = new Set<number>();
  const tails = new Set<number>();
  const odds = new Set<number>();
  for (const statement of block) {
    visitExpressions(statement, (e) => {
      if (e.kind !== 'apply') return;
      if (e.op === 'inv_logit') ratios.add(magnitudes.keyOf(e.args[0]));
      else if (e.op === 'normal_tail') tails.add(magnitudes.numberOf(e.args[0]));
      else if (e.op === 'expm1') odds.add(magnitudes.numberOf(e.args[0]));
      else if (LOGS.has(e.op)) logs.add(magnitudes.keyOf(argumentOf(e.op, e.args)));
    });
  }
  const shared = new Set([...logs].filter((key) => ratios.has(key)));
  if (shared.size === 0 && tails.size === 0 && odds.size === 0) return block;
  const expand = (e: Expr): Expr => {
    if (e.kind !== 'apply') return e;
    if (e.op === 'log_Phi' && tails.has(magnitudes.numberOf(unsigned(e.args[0]))))
      return logNormalDistribution(e.args[0]);
    if (e.op === 'log1m_exp')
      return odds.has(magnitudes.numberOf(neg(e.args[0]))) ? logOfDifferenceFromOne(e.args[0]) : e;
    if (e.op === 'log_Phi_between') {
      const { outer, logarithm } = normalInterval(e.args[0], e.args[1]);
      return tails.has(magnitudes.numberOf(outer)) ? logarithm : e;
    }
    return expanded(e.op, e.args, shared, magnitudes) ?? e;
  };
  const rewrite = (statement: Statement): Statement => {
    const own = mapOwnNodes(statement, expand);
    return mapBlocks(own, (inner) => inner.map(rewrite));
  };
  return block.map(rewrite);
}

const LOGS: ReadonlySet<OpName> = new Set<OpName>(['log1p_exp', 'log_inv_logit', 'log_sum_exp']);

function argumentOf(op: OpName, args: readonly Expr[]): Expr {
  return op === 'log_sum_exp' ? sub(args[0], args[1]) : args[0];
}

function expanded(op: OpName, args: readonly Expr[], shared: ReadonlySet<number>, magnitudes: Magnitudes): Expr | null {
  if (op !== 'inv_logit' && !LOGS.has(op)) return null;
  const x = argumentOf(op, args);
  if (!shared.has(magnitudes.keyOf(x))) return null;
  const e = exp(neg(abs(magnitudes.of(x))));
  const positive = compare('gt', x, ZERO);
  switch (op) {
    case 'inv_logit':
      return div(select(compare('lt', x, ZERO), e, ONE), add(ONE, e));
    case 'log1p_exp':
      return add(select(positive, x, ZERO), log1pUnit(e));
    case 'log_inv_logit':
      return sub(select(positive, ZERO, x), log1pUnit(e));
    default: {
      const [a, b] = args;
      const larger = select(compare('gt', a, b), a, b);
      // Equal arguments may be infinite; their difference is then NaN.
      return add(larger, select(compare('eq', a, b), real(Math.LN2), log1pUnit(e)));
    }
  }
}

const LEAST_TAIL = real(2 ** -53);

function logNormalDistribution(x: Expr): Expr {
  const isBelow = compare('lt', x, ZERO);
  const halfSquare = mul(real(0.5), square(x));
  const any = call1('normal_tail', unsigned(x));
  // Far below 0 only the square matters, and 1 minus the tail must not be rounded to 1.
  const tail = select(compare('gt', any, LEAST_TAIL), any, LEAST_TAIL);
  const logarithm = log1p(select(isBelow, sub(tail, ONE), neg(mul(exp(neg(halfSquare)), tail))));
  return sub(logarithm, select(isBelow, halfSquare, ZERO));
}

function logOfDifferenceFromOne(x: Expr): Expr {
  return call2('log1m_exp_of_odds', x, div(ONE, call1('expm1', neg(x))));
}

function log1pUnit(e: Expr): Expr {
  return { kind: 'apply', type: 'real', op: 'log1p_unit', args: [e] };
}

class Magnitudes extends Interner {
  /** Either x or -x, the same for both. */
  of(x: Expr): Expr {
    if (x.kind !== 'apply') return x;
    const [a, b] = x.args;
    if (x.op === 'neg') return this.of(a);
    if (x.op === 'sub') return this.numberOf(a) < this.numberOf(b) ? x : sub(b, a);
    if (x.op === 'mul' && a.kind === 'const' && a.value < 0) {
      return withArguments(x, [real(-a.value), b]);
    }
    return x;
  }

  /** A key that is the same for x and -x. */
  keyOf(x: Expr): number {
    return this.numberOf(this.of(x));
  }
}
