import { isLoop } from '../../dataflow/effects.js';
import { Builder, type Names } from '../../ir/builder.js';
import { get } from '../../ir/expressions.js';
import type { Block, Expr, Statement } from '../../ir/nodes.js';
import { isKernelCall, OPS, type OpName, usesValue } from '../../ir/ops.js';
import { mapBlocks, mapExpressions, mapStatements, operandsOf, withOperands } from '../../ir/walk.js';

/**
 * Assigns costly values inside loops to locals before differentiation. If the loop is reversed later, the value is saved like any other
 * local instead of being computed twice. Otherwise nothing changes, because `shareCommon` runs afterwards anyway.
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
    return mapStatements(block, (statement) => {
      const inner = mapBlocks(statement, (body) => this.block(body, inLoop || isLoop(statement)));
      return inLoop && isPlain(inner) ? this.#statement(inner) : inner;
    });
  }

  #statement(statement: Statement): readonly Statement[] {
    let renamed = statement;
    const before = this.#builder.capture(() => {
      const done = new Map<Expr, Expr>();
      renamed = mapExpressions(statement, (root) => this.#rewrite(root, true, done));
    });
    return [...before, renamed];
  }

  /** `linear`: the statement only adds the value, so that no other derivative needs it. */
  #rewrite(e: Expr, linear: boolean, done: Map<Expr, Expr>): Expr {
    const known = done.get(e);
    if (known !== undefined) return known;
    const isSum = e.kind === 'apply' && LINEAR.has(e.op);
    const isChoice = e.kind === 'apply' && e.op === 'select';
    const own = withOperands(
      e,
      operandsOf(e).map((operand, k) => this.#rewrite(operand, linear && (isSum || (isChoice && k > 0)), done)),
    );
    const result = isCostly(own) && !(linear && !derivesFromValue(own)) ? this.#name(own) : own;
    done.set(e, result);
    return result;
  }

  #name(value: Expr): Expr {
    const local = this.#builder.newLocal('real', 'v');
    this.#builder.emit({ kind: 'assign', local, value });
    return get(local);
  }
}

const LINEAR: ReadonlySet<OpName> = new Set<OpName>(['add', 'sub', 'neg']);

function isCostly(e: Expr): boolean {
  return e.kind === 'apply' && e.type === 'real' && OPS[e.op].cost === 'expensive' && isKernelCall(e);
}

function derivesFromValue(e: Expr): boolean {
  if (e.kind !== 'apply') return false;
  const { partials } = OPS[e.op];
  return partials !== null && usesValue(partials, e.args);
}

function isPlain(statement: Statement): boolean {
  return statement.kind === 'assign' || statement.kind === 'store' || statement.kind === 'target';
}
