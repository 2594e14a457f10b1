import { Builder, type Names } from '../../ir/builder.js';
import { Depths, MOST_LEVELS } from '../../ir/depth.js';
import { get } from '../../ir/expressions.js';
import type { Block, Expr, Statement } from '../../ir/nodes.js';
import { SmallMap } from '../../ir/small.js';
import { mapBlocks, mapExpression, mapExpressions, mapStatements } from '../../ir/walk.js';

/**
 * Let-binding of deep expressions before differentiation: in deeply nested operations, every 16th level becomes a local. The reverse sweep
 * has one statement per operation, which reads the operands; without these locals, its total size would grow with the square of the depth.
 * Sums do not count as levels, because their derivatives read nothing.
 */
export function splitDeep(names: Names, block: Block): Block {
  return new Splitting(new Builder(names)).block(block);
}

class Splitting {
  readonly #builder: Builder;

  constructor(builder: Builder) {
    this.#builder = builder;
  }

  block(block: Block): Block {
    return mapStatements(block, (statement) => {
      if (statement.kind === 'assign' || statement.kind === 'store' || statement.kind === 'target') {
        return this.#statement(statement);
      }
      return mapBlocks(statement, (inner) => this.block(inner));
    });
  }

  #statement(statement: Statement): readonly Statement[] {
    let split = statement;
    const before = this.#builder.capture(() => {
      const depths = new Depths();
      const done = new SmallMap<Expr, Expr>();
      split = mapExpressions(statement, (root) => mapExpression(root, (node) => this.#node(node, depths), done));
    });
    return before.length === 0 ? [statement] : [...before, split];
  }

  /** The node after its operands have been split. */
  #node(node: Expr, depths: Depths): Expr {
    if (depths.of(node) < MOST_LEVELS) return node;
    const local = this.#builder.newLocal('real', 'deep');
    this.#builder.emit({ kind: 'assign', local, value: node });
    return get(local);
  }
}
