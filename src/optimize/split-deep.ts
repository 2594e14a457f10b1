import { Builder, type Names } from '../ir/builder.js';
import { get } from '../ir/expressions.js';
import type { Block, Expr, Statement } from '../ir/nodes.js';
import type { OpName } from '../ir/ops.js';
import { SmallMap } from '../ir/small.js';
import { mapBlocks, mapExpression, mapExpressions, operandsOf } from '../ir/walk.js';

/**
 * Let-binding of deep expressions before differentiation: in deeply nested operations, every 32nd level becomes a local. The reverse sweep has a
 * statement per operation, which reads the operands; without these locals, its total size would grow with the square of the depth. Sums do not count
 * as levels, because their derivatives read nothing.
 */
export function splitDeep(names: Names, block: Block): Block {
  return new Splitting(new Builder(names)).block(block);
}

const MOST_LEVELS = 32;

const LINEAR: ReadonlySet<OpName> = new Set<OpName>(['add', 'sub', 'neg']);

class Splitting {
  readonly #builder: Builder;

  constructor(builder: Builder) {
    this.#builder = builder;
  }

  block(block: Block): Block {
    return block.flatMap((statement) => {
      if (statement.kind === 'assign' || statement.kind === 'store' || statement.kind === 'target') {
        return this.#statement(statement);
      }
      return [mapBlocks(statement, (inner) => this.block(inner))];
    });
  }

  #statement(statement: Statement): readonly Statement[] {
    let split = statement;
    const before = this.#builder.capture(() => {
      const levels = new SmallMap<Expr, number>();
      const done = new SmallMap<Expr, Expr>();
      split = mapExpressions(statement, (root) => mapExpression(root, (node) => this.#node(node, levels), done));
    });
    return before.length === 0 ? [statement] : [...before, split];
  }

  /** The node, whose operands have been split. Records its depth in `levels`. */
  #node(node: Expr, levels: SmallMap<Expr, number>): Expr {
    if (node.kind !== 'apply' || node.type !== 'real' || levels.get(node) !== undefined) return node;
    let below = 0;
    for (const operand of operandsOf(node)) below = Math.max(below, levels.get(operand) ?? 0);
    const level = LINEAR.has(node.op) ? below : below + 1;
    if (level < MOST_LEVELS) {
      levels.set(node, level);
      return node;
    }
    const local = this.#builder.newLocal('real', 'deep');
    this.#builder.emit({ kind: 'assign', local, value: node });
    return get(local);
  }
}
