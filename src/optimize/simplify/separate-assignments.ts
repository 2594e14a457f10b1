import { append } from '../../base/multimap.js';
import { usesOf } from '../../dataflow/cached.js';
import type { Uses } from '../../dataflow/uses.js';
import type { Names } from '../../ir/builder.js';
import { get, isGetOf } from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement, StatementOf } from '../../ir/nodes.js';
import { blocksOf, mapBlocks, mapExpression, mapExpressions, someNode } from '../../ir/walk.js';

/**
 * Static single assignment in straight-line code: if a local is assigned several times, but only by the statements of one block, as in `sum
 * = 0; sum = sum + a; sum = sum + b`, each assignment gets its own local. The reverse sweep then restores no values from the tape. Loops do
 * not change. Most effective after short loops have been unrolled and containers replaced by locals.
 */
export function separateAssignments(names: Names, block: Block): Block {
  const uses = usesOf(block);
  const replacements = new Map<Statement, Local>();
  collect(names, block, uses, replacements);
  return replacements.size === 0 ? block : new Renaming(replacements).block(block);
}

/** The new local of each separated assignment. */
function collect(names: Names, block: Block, uses: Uses, replacements: Map<Statement, Local>): void {
  const assignments = new Map<Local, StatementOf<'assign'>[]>();
  for (const statement of block) {
    if (statement.kind === 'assign' && statement.local.storage === 'local') {
      append(assignments, statement.local, statement);
    }
    for (const inner of blocksOf(statement)) collect(names, inner, uses, replacements);
  }
  for (const [local, found] of assignments) {
    if (found.length < 2 || uses.writes(local).length !== found.length) continue;
    // A read before the first assignment would see the value of the previous iteration, and a read after the block that of the last assignment.
    const [first] = found;
    const last = block[block.length - 1];
    if (uses.countBetween(local, first, last) !== uses.count(local) || someNode(first.value, isGetOf(local))) continue;
    for (const statement of found.slice(0, -1)) replacements.set(statement, { ...local, id: names.fresh() });
  }
}

class Renaming {
  readonly #replacements: ReadonlyMap<Statement, Local>;
  /** Current replacements of locals. */
  readonly #current = new Map<Local, Local>();
  /** Valid until the next assignment. */
  #done = new Map<Expr, Expr>();

  constructor(replacements: ReadonlyMap<Statement, Local>) {
    this.#replacements = replacements;
  }

  block(block: Block): Block {
    return block.map((statement) => this.#statement(statement));
  }

  #statement(statement: Statement): Statement {
    const own = this.#current.size === 0 ? statement : mapExpressions(statement, (root) => this.#renamed(root));
    if (own.kind !== 'assign' || statement.kind !== 'assign') return mapBlocks(own, (inner) => this.block(inner));
    const local = this.#replacements.get(statement);
    if (local === undefined && !this.#current.has(statement.local)) return own;
    this.#done = new Map();
    if (local === undefined) this.#current.delete(statement.local);
    else this.#current.set(statement.local, local);
    return local === undefined ? own : { kind: 'assign', local, value: own.value };
  }

  #renamed(root: Expr): Expr {
    return mapExpression(
      root,
      (node) => {
        const local = node.kind === 'get' ? this.#current.get(node.local) : undefined;
        return local === undefined ? node : get(local);
      },
      this.#done,
    );
  }
}
