import { ValueNumbers } from '../../dataflow/value-numbers.js';
import { Builder, type Names } from '../../ir/builder.js';
import { apply, get, ONE } from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement } from '../../ir/nodes.js';
import { withArguments, withIndex } from '../../ir/remake.js';
import { blocksOf, mapBlocks, mapExpressions, operandsOf, sameBlock, visitOwnExpressions } from '../../ir/walk.js';

/**
 * Shares divisions: if straight-line code divides by the same value several times, the reciprocal is computed once and multiplied (one more
 * rounding).
 */
export function shareReciprocals(names: Names, block: Block): Block {
  const result: Statement[] = [];
  let run: Statement[] = [];
  const flush = (): void => {
    for (const statement of shareIn(names, run)) result.push(statement);
    run = [];
  };
  for (const statement of block) {
    if (blocksOf(statement).length === 0) run.push(statement);
    else {
      flush();
      result.push(mapBlocks(statement, (inner) => shareReciprocals(names, inner)));
    }
  }
  flush();
  return sameBlock(block, result);
}

interface Divisor {
  count: number;
  local: Local | null;
}

function shareIn(names: Names, run: readonly Statement[]): readonly Statement[] {
  const numbers = new ValueNumbers();
  const known = new Map<number, Divisor>();
  let isShared = false;
  // Several statements may share a node although its operands change between them.
  const divisors: (ReadonlyMap<Expr, Divisor> | null)[] = [];
  for (const statement of run) {
    let own: Map<Expr, Divisor> | null = null;
    visitOwnExpressions(statement, (node) => {
      if (node.kind !== 'apply' || node.op !== 'div' || node.args[1].kind === 'const') return;
      const number = numbers.numberOf(node.args[1]);
      const divisor = known.get(number) ?? { count: 0, local: null };
      divisor.count++;
      isShared ||= divisor.count > 1;
      known.set(number, divisor);
      own ??= new Map();
      own.set(node, divisor);
    });
    divisors.push(own);
    numbers.pass(statement);
  }
  if (!isShared) return run;
  const builder = new Builder(names);
  const result: Statement[] = [];
  for (const [k, statement] of run.entries()) {
    const divided = divisors[k];
    let own = statement;
    if (divided !== null && [...divided.values()].some(({ count }) => count > 1)) {
      const replaced = new Map<Expr, Expr>();
      const before = builder.capture(() => {
        own = mapExpressions(statement, (root) => replace(root, divided, replaced, builder));
      });
      for (const assignment of before) result.push(assignment);
    }
    result.push(own);
  }
  return result;
}

function replace(root: Expr, of: ReadonlyMap<Expr, Divisor>, done: Map<Expr, Expr>, builder: Builder): Expr {
  const visit = (e: Expr): Expr => {
    if (operandsOf(e).length === 0) return e;
    const known = done.get(e);
    if (known !== undefined) return known;
    let result: Expr = e;
    if (e.kind === 'apply') {
      const args = e.args.map(visit);
      const divisor = of.get(e);
      if (divisor !== undefined && divisor.count > 1) {
        if (divisor.local === null) {
          divisor.local = builder.newLocal('real', 'reciprocal');
          builder.assign(divisor.local, apply('div', 'real', ONE, args[1]));
        }
        const isOne = args[0].kind === 'const' && args[0].value === 1;
        result = isOne ? get(divisor.local) : apply('mul', 'real', args[0], get(divisor.local));
      } else if (args.some((argument, k) => argument !== e.args[k])) result = withArguments(e, args);
    } else if (e.kind === 'load' || e.kind === 'load_adjoint') {
      const index = visit(e.index);
      if (index !== e.index) result = withIndex(e, index);
    }
    done.set(e, result);
    return result;
  };
  return visit(root);
}
