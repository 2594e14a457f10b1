import { Builder, type Names } from '../../ir/builder.js';
import { add, and, compare, get, int, sub } from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement } from '../../ir/nodes.js';
import { withBody, withBranches } from '../../ir/remake.js';
import { blocksOf, mapBlocks } from '../../ir/walk.js';

/**
 * Replaces labeled blocks and exits (return, break, continue) by flags and conditions, so that differentiation handles only loops and conditions. An
 * exit at the end of its block needs no flag; statements after a conditional exit move into the other branch. `around`: labels of blocks that end
 * where this one ends. Must run before differentiation. Blocks without exits do not change.
 */
export function removeExits(names: Names, block: Block, around: readonly number[] = []): Block {
  return new Structure(names).whole(block, around);
}

interface Result {
  readonly statements: readonly Statement[];
  /** Labels of the exits that the block may take, each of which sets a flag. */
  readonly exits: ReadonlySet<number>;
}

class Structure {
  readonly #builder: Builder;
  readonly #flags = new Map<number, Local>();
  /** Whether a statement with blocks contains an exit. */
  readonly #withExits = new Map<Statement, boolean>();

  constructor(names: Names) {
    this.#builder = new Builder(names);
  }

  whole(block: Block, around: readonly number[]): Block {
    if (!block.some((statement) => this.#containsExit(statement))) return block;
    const { statements, exits } = this.block(block, around);
    return [...[...exits].map((label) => this.#lower(label)), ...statements];
  }

  #lower(label: number): Statement {
    return { kind: 'assign', local: this.#flag(label), value: int(0) };
  }

  #flag(label: number): Local {
    let flag = this.#flags.get(label);
    if (flag === undefined) {
      flag = this.#builder.newLocal('int', 'left');
      this.#flags.set(label, flag);
    }
    return flag;
  }

  /** `tail`: labels of the blocks that end directly after this one: an exit to them only has to skip the rest of this block. */
  block(block: Block, tail: readonly number[]): Result {
    const statements: Statement[] = [];
    const exits = new Set<number>();
    for (let k = 0; k < block.length; k++) {
      const statement = block[k];
      if (statement.kind === 'exit') {
        if (!tail.includes(statement.label)) {
          statements.push({ kind: 'assign', local: this.#flag(statement.label), value: int(1) });
          exits.add(statement.label);
        }
        return { statements, exits };
      }
      if (!this.#containsExit(statement)) {
        statements.push(statement);
        continue;
      }
      const rest = block.slice(k + 1);
      if (statement.kind === 'if' && rest.length > 0) {
        const thenLeaves = endsInExit(statement.then);
        const otherwiseLeaves = endsInExit(statement.otherwise);
        if (thenLeaves || otherwiseLeaves) {
          const moved = withBranches(
            statement,
            thenLeaves ? statement.then : [...statement.then, ...rest],
            otherwiseLeaves ? statement.otherwise : [...statement.otherwise, ...rest],
          );
          this.#append(this.#statement(moved, tail), statements, exits);
          return { statements, exits };
        }
      }
      const inner = this.#statement(statement, rest.length === 0 ? tail : []);
      this.#append(inner, statements, exits);
      if (inner.exits.size > 0 && rest.length > 0) {
        const after = this.block(rest, tail);
        statements.push({ kind: 'if', condition: this.#stillHere(inner.exits), then: after.statements, otherwise: [] });
        for (const label of after.exits) exits.add(label);
        return { statements, exits };
      }
    }
    return { statements, exits };
  }

  #containsExit(statement: Statement): boolean {
    if (statement.kind === 'exit' || statement.kind === 'labeled') return true;
    const blocks = blocksOf(statement);
    if (blocks.length === 0) return false;
    const known = this.#withExits.get(statement);
    if (known !== undefined) return known;
    const result = blocks.some((block) => block.some((inner) => this.#containsExit(inner)));
    this.#withExits.set(statement, result);
    return result;
  }

  #append(result: Result, statements: Statement[], exits: Set<number>): void {
    for (const statement of result.statements) statements.push(statement);
    for (const label of result.exits) exits.add(label);
  }

  #statement(statement: Statement, tail: readonly number[]): Result {
    switch (statement.kind) {
      case 'labeled': {
        const inner = this.block(statement.body, [...tail, statement.label]);
        const exits = new Set(inner.exits);
        if (!exits.delete(statement.label)) return { statements: inner.statements, exits };
        return { statements: [this.#lower(statement.label), ...inner.statements], exits };
      }
      case 'if': {
        const then = this.block(statement.then, tail);
        const otherwise = this.block(statement.otherwise, tail);
        return {
          statements: [withBranches(statement, then.statements, otherwise.statements)],
          exits: new Set([...then.exits, ...otherwise.exits]),
        };
      }
      case 'while': {
        const body = this.block(statement.body, []);
        if (body.exits.size === 0) return { statements: [withBody(statement, body.statements)], exits: body.exits };
        return this.#flaggedWhile(statement.condition, statement.condition, body);
      }
      case 'for': {
        const body = this.block(statement.body, []);
        if (body.exits.size === 0) return { statements: [withBody(statement, body.statements)], exits: body.exits };
        const next = this.#builder.newLocal('int', 'next');
        const last = this.#builder.newLocal('int', 'last');
        const isBegun = compare('le', get(next), get(last));
        const loop = this.#flaggedWhile(isBegun, compare('lt', get(statement.index), get(last)), {
          statements: [
            { kind: 'assign', local: statement.index, value: get(next) },
            { kind: 'assign', local: next, value: add(get(next), int(1)) },
            ...body.statements,
          ],
          exits: body.exits,
        });
        return {
          statements: [
            { kind: 'assign', local: next, value: statement.from },
            { kind: 'assign', local: last, value: sub(statement.to, int(1)) },
            ...loop.statements,
          ],
          exits: loop.exits,
        };
      }
      default:
        return { statements: [mapBlocks(statement, (inner) => this.block(inner, []).statements)], exits: new Set() };
    }
  }

  /** A loop with one condition for its first iteration and another for the following iterations; an exit also ends it. */
  #flaggedWhile(first: Expr, again: Expr, body: Result): Result {
    // After an exit, values in the condition could be out of range, so it is evaluated inside the loop.
    const going = this.#builder.newLocal('int', 'going');
    return {
      statements: [
        { kind: 'assign', local: going, value: first },
        {
          kind: 'while',
          condition: get(going),
          body: [
            ...body.statements,
            {
              kind: 'if',
              condition: this.#stillHere(body.exits),
              then: [{ kind: 'assign', local: going, value: again }],
              otherwise: [{ kind: 'assign', local: going, value: int(0) }],
            },
          ],
        },
      ],
      exits: body.exits,
    };
  }

  #stillHere(labels: Iterable<number>): Expr {
    let condition: Expr = int(1);
    for (const label of labels) condition = and(condition, compare('eq', get(this.#flag(label)), int(0)));
    return condition;
  }
}

function endsInExit(block: Block): boolean {
  const last = block.at(-1);
  if (last === undefined) return false;
  return (
    last.kind === 'exit' ||
    last.kind === 'reject' ||
    (last.kind === 'if' && endsInExit(last.then) && endsInExit(last.otherwise))
  );
}
