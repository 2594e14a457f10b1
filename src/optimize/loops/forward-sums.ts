import { add, isGetOf, isValue, neg, sub, toReal } from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement } from '../../ir/nodes.js';
import { withTerms } from '../../ir/remake.js';
import { SmallSet } from '../../ir/small.js';
import { incrementsOf, sumOf, termsOf } from '../../ir/sums.js';
import { assignedLocals, blocksOf, expressionsOf, mapBlocks, mapStatements, operandsOf } from '../../ir/walk.js';
import type { Span } from '../../source/span.js';

/**
 * Adds terms that a local accumulates directly to `target`: in `lp = 0; for (…) lp += f(n); target += lp`, each `f(n)` becomes a term of
 * `target`, whose adjoint is known, so that the loop can be reversed immediately. Applies to locals that are set once, otherwise only added
 * to, and read once, as a term of a sum in a later `target` statement of the same block.
 */
export function forwardSums(block: Block): Block {
  const sums = new Sums(block);
  for (const reader of sums.targets) sums.forwardFrom(reader);
  return sums.rewrite(block);
}

interface Usage {
  readonly sets: Statement[];
  readonly increments: Statement[];
  readonly readers: Statement[];
}

interface Place {
  readonly block: Block;
  readonly position: number;
}

class Sums {
  readonly targets: Statement[] = [];
  readonly #usages = new Map<Local, Usage>();
  readonly #places = new Map<Statement, Place>();
  /** Replacements of statements; null for removed ones. */
  readonly #changed = new Map<Statement, Statement | null>();

  constructor(block: Block) {
    this.#visit(block);
  }

  #visit(block: Block): void {
    for (const statement of block) {
      this.#places.set(statement, { block, position: this.#places.size });
      if (statement.kind === 'target') this.targets.push(statement);
      this.#count(statement);
      for (const inner of blocksOf(statement)) this.#visit(inner);
    }
  }

  #count(statement: Statement): void {
    const own = incrementOf(statement);
    if (own !== null) this.#usage(own.local).increments.push(statement);
    else for (const local of assignedLocals(statement)) this.#usage(local).sets.push(statement);
    for (const root of own === null ? expressionsOf(statement) : [own.value]) {
      visitOccurrences(root, (local) => this.#usage(local).readers.push(statement));
    }
  }

  #usage(local: Local): Usage {
    let usage = this.#usages.get(local);
    if (usage === undefined) {
      usage = { sets: [], increments: [], readers: [] };
      this.#usages.set(local, usage);
    }
    return usage;
  }

  /** Forwards the locals that a `target` statement reads, then those that the forwarded terms read. */
  forwardFrom(first: Statement): void {
    const readers = [first];
    for (let reader = readers.pop(); reader !== undefined; reader = readers.pop()) {
      const target = this.#current(reader);
      if (target?.kind !== 'target' || target.term !== 'always') continue;
      const forwarded = new Set<Local>();
      for (const { value, negative } of termsOf(target.value)) {
        if (value.kind !== 'get') continue;
        const usage = this.#usages.get(value.local);
        if (usage === undefined || !this.#isCollected(usage, reader)) continue;
        forwarded.add(value.local);
        for (const addition of [...usage.sets, ...usage.increments]) {
          this.#addDirectly(addition, negative, target.span);
          readers.push(addition);
        }
      }
      if (forwarded.size > 0) {
        const rest = withoutTerms(target.value, forwarded, new Map());
        this.#changed.set(reader, rest === null || isValue(rest, 0) ? null : withTerms(target, toReal(rest)));
      }
    }
  }

  #current(statement: Statement): Statement | null {
    const changed = this.#changed.get(statement);
    return changed === undefined ? statement : changed;
  }

  #isCollected({ sets, increments, readers }: Usage, reader: Statement): boolean {
    if (sets.length !== 1 || sets[0].kind !== 'assign' || increments.length === 0) return false;
    if (readers.length !== 1 || readers[0] !== reader) return false;
    const start = this.#places.get(sets[0]);
    const end = this.#places.get(reader);
    if (start === undefined || end === undefined || start.block !== end.block) return false;
    return increments.every((increment) => {
      const position = this.#places.get(increment)?.position ?? -1;
      return start.position < position && position < end.position;
    });
  }

  #addDirectly(statement: Statement, negative: boolean, span: Span | null): void {
    if (statement.kind !== 'assign') return;
    const value = incrementOf(statement)?.value ?? statement.value;
    this.#changed.set(
      statement,
      isValue(value, 0) ? null : { kind: 'target', value: negative ? neg(value) : value, term: 'always', span },
    );
  }

  rewrite(block: Block): Block {
    if (this.#changed.size === 0) return block;
    return mapStatements(block, (statement) => {
      const current = this.#current(statement);
      return current === null ? [] : mapBlocks(current, (inner) => this.rewrite(inner));
    });
  }
}

/** `v = v + e` and the like, where `e` does not read `v`. */
function incrementOf(statement: Statement): { readonly local: Local; readonly value: Expr } | null {
  if (statement.kind !== 'assign' || statement.local.type !== 'real') return null;
  const { local } = statement;
  const terms = incrementsOf(statement.value, isGetOf(local));
  return terms === null || terms.length === 0 ? null : { local, value: sumOf(terms) };
}

/**
 * Visits every occurrence of a local. A node with operands is visited at most twice, which suffices to show that its locals are read more
 * than once.
 */
function visitOccurrences(
  e: Expr,
  visit: (local: Local) => void,
  once = new SmallSet<Expr>(),
  twice = new SmallSet<Expr>(),
): void {
  if (e.kind === 'get') visit(e.local);
  const operands = operandsOf(e);
  if (operands.length === 0 || (!once.add(e) && !twice.add(e))) return;
  for (const operand of operands) visitOccurrences(operand, visit, once, twice);
}

/** The sum without the terms that are these locals; null if no term remains. `done` has the results for inner sums. */
function withoutTerms(e: Expr, locals: ReadonlySet<Local>, done: Map<Expr, Expr | null>): Expr | null {
  if (e.kind === 'get') return locals.has(e.local) ? null : e;
  if (e.kind !== 'apply' || (e.op !== 'neg' && e.op !== 'add' && e.op !== 'sub')) return e;
  const known = done.get(e);
  if (known !== undefined) return known;
  const [left, right] = e.args.map((operand) => withoutTerms(operand, locals, done));
  const result = remaining(e.op, left, right);
  done.set(e, result);
  return result;
}

function remaining(op: 'neg' | 'add' | 'sub', left: Expr | null, right: Expr | null): Expr | null {
  if (op === 'neg') return left === null ? null : neg(left);
  if (left === null) return right === null || op === 'add' ? right : neg(right);
  if (right === null) return left;
  return op === 'add' ? add(left, right) : sub(left, right);
}
