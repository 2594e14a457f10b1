import { isLoop } from '../../dataflow/effects.js';
import type { RowData } from '../../dataflow/row-data.js';
import type { Uses } from '../../dataflow/uses.js';
import { Interner } from '../../ir/interned.js';
import type { Block, Expr, KernelArgument, Local, Ref, Statement, StatementOf } from '../../ir/nodes.js';
import { OPS } from '../../ir/ops.js';
import { rootOf } from '../../ir/refs.js';
import { withTerms } from '../../ir/remake.js';
import { sumOf, termsOf } from '../../ir/sums.js';
import { everyNode, expressionsOf, operandsOf, visitOwnExpressions } from '../../ir/walk.js';
import { isListOfIterations } from '../loops/iterations.js';

type ForLoop = StatementOf<'for'>;

/** The data that the iterations of a loop read, as statements that list them. */
export interface RowKeys {
  /** The data-only statements of an iteration, with `key` statements that list the data which the other statements read. */
  readonly slice: readonly SliceStatement[];
  /** Terms of `target` that depend on data alone. They are not listed. */
  readonly constants: readonly StatementOf<'target'>[];
  /** The iteration without those terms. */
  readonly body: Block;
}

/** The reason why data do not distinguish the iterations of a loop. */
export interface NoKeys {
  readonly reason: string;
}

export type SliceStatement =
  | { readonly kind: 'data'; readonly statement: Statement }
  | { readonly kind: 'key'; readonly value: Expr }
  | { readonly kind: 'for'; readonly loop: ForLoop; readonly body: readonly SliceStatement[] }
  | {
      readonly kind: 'if';
      readonly condition: Expr;
      readonly then: readonly SliceStatement[];
      readonly otherwise: readonly SliceStatement[];
    };

/**
 * Program slicing: iterations of the loop have the same effect if they read the same data. Returns a reason if the data cannot be listed,
 * if no two iterations can read the same data, or if nothing costly differs between iterations. `cheap`: loops that do not make an
 * iteration costly. `indexes`: the indexes of nested loops, if the loop runs over a rectangle; rows may read all but one of them directly.
 */
export function rowKeysOf(
  loop: ForLoop,
  data: RowData,
  uses: Uses,
  cheap: ReadonlySet<Statement> = new Set(),
  indexes: ReadonlySet<Local> = new Set(),
): RowKeys | NoKeys {
  const slicer = new Slicer(loop, data, uses, cheap, indexes);
  const slice = slicer.block(loop.body, new Set(), false);
  if (slice === null) return { reason: slicer.reason };
  if (!slicer.isCostly) return { reason: 'a row costs less than looking it up' };
  if (slicer.keys === 0) return { reason: 'rows read no data' };
  return { slice, constants: slicer.constants, body: slicer.rest };
}

/** The data that distinguish the iterations of a slice. */
export function keysIn(slice: readonly SliceStatement[]): readonly Expr[] {
  return slice.flatMap((statement) => {
    switch (statement.kind) {
      case 'key':
        return [statement.value];
      case 'for':
        return keysIn(statement.body);
      case 'if':
        return [...keysIn(statement.then), ...keysIn(statement.otherwise)];
      default:
        return [];
    }
  });
}

class Slicer {
  readonly constants: StatementOf<'target'>[] = [];
  isCostly = false;
  /** The reason why rows cannot be listed, if they cannot. */
  reason = 'a row does more than compute terms';
  keys = 0;
  /** The top level of the iteration without the constants. */
  readonly rest: Statement[] = [];
  readonly #loop: ForLoop;
  readonly #data: RowData;
  readonly #uses: Uses;
  readonly #cheap: ReadonlySet<Statement>;
  readonly #indexes: ReadonlySet<Local>;
  /** The indexes that rows read directly. */
  readonly #read = new Set<Local>();
  readonly #interner = new Interner();
  readonly #lookups = new Map<Expr, boolean>();

  constructor(loop: ForLoop, data: RowData, uses: Uses, cheap: ReadonlySet<Statement>, indexes: ReadonlySet<Local>) {
    this.#loop = loop;
    this.#indexes = indexes;
    this.#data = data;
    this.#uses = uses;
    this.#cheap = cheap;
  }

  /**
   * `listed`: what has always been listed before the block runs; `conditional`: whether the block may be skipped for reasons other than
   * data.
   */
  block(block: Block, listed: Set<number>, conditional: boolean): readonly SliceStatement[] | null {
    const slice: SliceStatement[] = [];
    for (const statement of block) {
      const isTop = block === this.#loop.body;
      if (isTop && statement.kind === 'target') {
        const left = this.#withoutConstants(statement);
        if (left === null) continue;
        this.rest.push(left);
        if (!this.#statement(left, slice, listed, conditional)) return null;
        continue;
      }
      if (isTop) this.rest.push(statement);
      if (!this.#statement(statement, slice, listed, conditional)) return null;
    }
    return slice;
  }

  #withoutConstants(statement: StatementOf<'target'>): StatementOf<'target'> | null {
    const terms = termsOf(statement.value);
    const constant = terms.filter(({ value }) => this.#data.isData(value));
    if (constant.length === 0) return statement;
    this.constants.push(withTerms(statement, sumOf(constant)));
    const left = terms.filter(({ value }) => !this.#data.isData(value));
    return left.length === 0 ? null : withTerms(statement, sumOf(left));
  }

  /** Whether what the statement reads can be listed. */
  #statement(statement: Statement, slice: SliceStatement[], listed: Set<number>, conditional: boolean): boolean {
    if (this.#data.isDataStatement(statement)) {
      // A check that may be skipped cannot run early; the values that a rejection reads affect nothing else.
      if (conditional) return statement.kind === 'reject';
      slice.push({ kind: 'data', statement });
      return true;
    }
    this.#noteCost(statement);
    const keys = this.#keys(statement);
    if (keys === null) return false;
    for (const value of keys) {
      const number = this.#interner.numberOf(value);
      if (listed.has(number)) continue;
      if (this.#isStable(value)) listed.add(number);
      slice.push({ kind: 'key', value });
      this.keys++;
    }
    if (statement.kind === 'for') {
      if (!this.#data.isData(statement.from) || !this.#data.isData(statement.to)) return false;
      const body = this.block(statement.body, new Set(), conditional);
      if (body !== null) slice.push({ kind: 'for', loop: statement, body });
      return body !== null;
    }
    if (statement.kind !== 'if') return true;
    const { condition } = statement;
    const isData = this.#data.isData(condition);
    const then = this.block(statement.then, new Set(), conditional || !isData);
    const otherwise = this.block(statement.otherwise, new Set(), conditional || !isData);
    if (then === null || otherwise === null) return false;
    if (isData) slice.push({ kind: 'if', condition, then, otherwise });
    else slice.push(...then, ...otherwise);
    return true;
  }

  #noteCost(statement: Statement): void {
    if (isLoop(statement) && !this.#cheap.has(statement)) this.isCostly = true;
    visitOwnExpressions(statement, (node) => {
      if (node.kind !== 'apply' || OPS[node.op].cost !== 'expensive') return;
      if (!this.#data.isData(node) && this.#data.varies(node)) this.isCostly = true;
    });
  }

  /** The data that the statement itself reads and that differ between iterations. */
  #keys(statement: Statement): readonly Expr[] | null {
    switch (statement.kind) {
      case 'assign':
      case 'store':
      case 'allocate':
      case 'view':
      case 'target':
      case 'for':
      case 'if':
        return this.#collect(expressionsOf(statement));
      case 'check':
        // The values appear only in the message, and the message is that of the first iteration that fails.
        return this.#collect([statement.condition]);
      case 'reject':
        return [];
      case 'kernel':
        return statement.args.every((argument) => this.#isKernelInput(argument))
          ? this.#collect(expressionsOf(statement))
          : null;
      default:
        return null;
    }
  }

  /** Whether the memory that a kernel reads through the argument is the same in all iterations, or is listed when it is written. */
  #isKernelInput(argument: KernelArgument): boolean {
    if (argument.kind === 'random_state') return false;
    if (argument.kind !== 'pointer' || !this.#data.argumentVaries(argument)) return true;
    return this.#data.isWritten(rootOf(argument.ref)) && !this.#data.isDataVariable(rootOf(argument.ref));
  }

  #collect(roots: readonly Expr[]): readonly Expr[] | null {
    const keys: Expr[] = [];
    const seen = new Set<Expr>();
    const visit = (e: Expr): boolean => {
      if (seen.has(e) || !this.#data.varies(e)) return true;
      seen.add(e);
      if (this.#data.isData(e)) {
        keys.push(e);
        if (this.#looksUp(e) || this.#readsFewIndexes(e)) return true;
        this.reason = 'each row has its own parameter or number';
        return false;
      }
      if (e.kind === 'target' || e.kind === 'load_adjoint') return false;
      // The position of the element depends on more than data, so any element may be read.
      if (e.kind === 'load' && this.#data.variesItself(e) && this.#isDataContainer(e.ref)) {
        this.reason = 'which data a row reads depends on parameters';
        return false;
      }
      return operandsOf(e).every(visit);
    };
    return roots.every(visit) ? keys : null;
  }

  /** Whether the expression has the same value throughout an iteration of the enclosing loops. */
  #isStable(e: Expr): boolean {
    return everyNode(e, (node) => {
      if (node.kind === 'get') return this.#uses.writes(node.local).length <= 1;
      return (node.kind !== 'load' && node.kind !== 'size') || !this.#data.isWritten(rootOf(node.ref));
    });
  }

  #isDataContainer(ref: Ref): boolean {
    return this.#data.isDataVariable(rootOf(ref));
  }

  /** Whether only indexes of nested loops vary in the expression: rows that differ in another index may then read the same data. */
  #readsFewIndexes(e: Expr): boolean {
    const known = everyNode(e, (node) => {
      if (!this.#data.variesItself(node)) return true;
      if (node.kind !== 'get' || !this.#indexes.has(node.local)) return false;
      this.#read.add(node.local);
      return true;
    });
    return known && this.#read.size < this.#indexes.size;
  }

  /** Whether the value comes from a container, so that several iterations may have it. */
  #looksUp(e: Expr): boolean {
    const known = this.#lookups.get(e);
    if (known !== undefined) return known;
    this.#lookups.set(e, true);
    const found =
      this.#looksUpItself(e) || operandsOf(e).some((operand) => this.#data.varies(operand) && this.#looksUp(operand));
    this.#lookups.set(e, found);
    return found;
  }

  #looksUpItself(e: Expr): boolean {
    if (e.kind === 'load') return !isListOfIterations(e.ref, this.#uses);
    if (e.kind !== 'get' || e.local === this.#loop.index) return false;
    return this.#uses.writes(e.local).some(({ statement }) => {
      if (statement.kind === 'assign') return this.#data.varies(statement.value) && this.#looksUp(statement.value);
      // The bounds of an inner loop are part of the key.
      return true;
    });
  }
}
