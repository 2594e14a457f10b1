import { Builder, type Names } from '../ir/builder.js';
import { get } from '../ir/expressions.js';
import type { Block, Expr, Statement } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { mapBlocks, mapExpression, mapExpressions } from '../ir/walk.js';
import { isLoop } from './effects.js';

/**
 * Gives what is costly inside loops a local of its own before differentiation. Where the loop is reversed later, the
 * value is then saved like any other local instead of being computed twice; elsewhere nothing changes, since common work
 * is shared afterwards anyway.
 */
export function nameCostly(names: Names, block: Block): Block {
  return new Naming(names).block(block, false);
}

class Naming {
  readonly #builder: Builder;

  constructor(names: Names) {
    this.#builder = new Builder(names);
  }

  block(block: Block, inLoop: boolean): Block {
    return block.flatMap((statement): readonly Statement[] => {
      const inner = mapBlocks(statement, (body) => this.block(body, inLoop || isLoop(statement)));
      return inLoop && isPlain(inner) ? this.#statement(inner) : [inner];
    });
  }

  #statement(statement: Statement): readonly Statement[] {
    let renamed = statement;
    const before = this.#builder.capture(() => {
      const done = new Map<Expr, Expr>();
      renamed = mapExpressions(statement, (root) => mapExpression(root, (node) => this.#name(node), done));
    });
    return [...before, renamed];
  }

  #name(node: Expr): Expr {
    if (node.kind !== 'apply' || node.type !== 'real') return node;
    const { cost, wasm } = OPS[node.op];
    if (cost !== 'expensive' || wasm.kind !== 'kernel') return node;
    const local = this.#builder.newLocal('real', 'v');
    this.#builder.emit({ kind: 'assign', local, value: node });
    return get(local);
  }
}

function isPlain(statement: Statement): boolean {
  return statement.kind === 'assign' || statement.kind === 'store' || statement.kind === 'target';
}
