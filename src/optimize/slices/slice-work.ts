import { Builder, type Names } from '../../ir/builder.js';
import { add, isNumber, isValue, iterationsOf, mul, real, toReal } from '../../ir/expressions.js';
import type { Block, Expr, Local, SlicedWork, Statement, StatementOf } from '../../ir/nodes.js';
import { OPS } from '../../ir/ops.js';
import { assignedLocals, blocksOf, someNode, visitOwnExpressions, visitStatements } from '../../ir/walk.js';
import { removeDead } from '../simplify/dead.js';
import { IntegerData, isOfSizes } from './integer-data.js';

/** Nanoseconds, including derivatives, of an operation that takes one instruction, of any other operation, and of a step of a kernel. */
const CHEAP = 0.2;
const EXPENSIVE = 2.5;
const STEP = 0.3;
/** Assumed number of iterations of a loop if it depends on more than data. */
const USUAL_ITERATIONS = 8;

/**
 * Estimates the work of a log density with its gradient. The estimates read only sizes and integers of the data, so they are the same on
 * every machine. `divided`: the loops and kernels that are divided among the slices.
 */
export function sliceWork(names: Names, logDensity: Block, divided: ReadonlySet<Statement>): SlicedWork {
  const write = (isDivided: boolean): Block => {
    const builder = new Builder(names);
    const writer = new WorkWriter(builder);
    const work = builder.capture(() => writer.chosen(logDensity, (statement) => divided.has(statement) === isDivided));
    return removeDead(work, []);
  };
  return { divided: write(true), shared: write(false) };
}

/** The estimate for a whole log density, after the statements that compute what it reads. */
export function totalWork(names: Names, precompute: Block, logDensity: Block): Block {
  const { shared } = sliceWork(names, logDensity, new Set());
  return removeDead([...precompute, ...shared], []);
}

/** Writes statements that add work to `target`. */
class WorkWriter {
  readonly #builder: Builder;
  readonly #data: IntegerData;

  constructor(builder: Builder) {
    this.#builder = builder;
    this.#data = new IntegerData(builder);
  }

  /** The work of the selected statements. Conditions on data are evaluated; for other conditions, both branches count. */
  chosen(block: Block, isChosen: (statement: Statement) => boolean): void {
    for (const [place, statement] of block.entries()) {
      if (statement.kind === 'if') this.#chosenBranches(statement, block.slice(0, place), isChosen);
      else if (statement.kind === 'labeled' || statement.kind === 'arena') this.chosen(statement.body, isChosen);
      else if (isChosen(statement)) {
        this.#block([statement], real(1));
        continue;
      }
      this.#data.note(statement);
    }
  }

  #chosenBranches(statement: StatementOf<'if'>, before: Block, isChosen: (statement: Statement) => boolean): void {
    const { condition, otherwise, then } = statement;
    const branch = (inner: Block) => () => this.chosen(inner, isChosen);
    const attempt = isOfSizes(condition) ? null : attemptBefore(before, statement);
    const value = attempt === null ? this.#data.valueOf(condition) : null;
    if (attempt !== null) this.#builder.if(attempt, () => {}, branch([...then, ...otherwise]));
    else if (value !== null) this.#builder.if(value, branch(then), branch(otherwise));
    else for (const inner of [then, otherwise]) this.chosen(inner, isChosen);
  }

  /** The work of statements that run a given number of times. */
  #block(block: Block, times: Expr): void {
    let work: Expr = real(0);
    for (const statement of block) {
      const condition = statement.kind === 'if' ? this.#data.valueOf(statement.condition) : null;
      if (statement.kind === 'for') this.#loop(statement, times);
      else if (statement.kind === 'while') this.#block(statement.body, mul(times, real(USUAL_ITERATIONS)));
      else if (statement.kind === 'kernel') work = add(work, kernelWork(statement));
      else {
        work = add(work, real(operationsOf(statement)));
        if (statement.kind === 'if' && condition !== null) {
          const branch = (inner: Block) => () => this.#block(inner, times);
          this.#builder.if(condition, branch(statement.then), branch(statement.otherwise));
        } else for (const inner of blocksOf(statement)) this.#block(inner, times);
      }
      this.#data.note(statement);
    }
    if (!isValue(work, 0)) this.#builder.target(mul(times, work));
  }

  /**
   * The estimate runs a loop whose number of iterations depends on sizes if loops inside it read their numbers of iterations from data.
   * Iterations of other loops count as equal: with invalid data, which checks reject later, they could run for a long time.
   */
  #loop(loop: StatementOf<'for'>, times: Expr): void {
    const [from, to] = [loop.from, loop.to].map((bound) => this.#data.valueOf(bound));
    this.#data.note(loop);
    if (from === null || to === null) this.#block(loop.body, mul(times, real(USUAL_ITERATIONS)));
    else if (isOfSizes(from) && isOfSizes(to) && hasOpenLoops(loop.body)) {
      this.#builder.for(from, to, (index) => {
        this.#data.set(loop.index, index);
        this.#block(loop.body, times);
      });
    } else this.#block(loop.body, mul(times, toReal(iterationsOf(from, to))));
  }
}

/** Whether the number of iterations of an inner loop depends on more than sizes. */
function hasOpenLoops(block: Block): boolean {
  let isOpen = false;
  visitStatements(block, (statement) => {
    if (statement.kind === 'for' && !(isOfSizes(statement.from) && isOfSizes(statement.to))) isOpen = true;
  });
  return isOpen;
}

/**
 * The condition on sizes under which earlier statements attempt what this one does if they fail, which is rare, as in the code of
 * `sufficientStatistics`. Null if no such statement precedes it.
 */
function attemptBefore(before: Block, { condition }: StatementOf<'if'>): Expr | null {
  for (const statement of before) {
    if (statement.kind !== 'if' || !isOfSizes(statement.condition)) continue;
    const set = new Set<Local>();
    visitStatements(statement.then, (inner) => {
      for (const local of assignedLocals(inner)) set.add(local);
    });
    if (someNode(condition, (node) => node.kind === 'get' && set.has(node.local))) return statement.condition;
  }
  return null;
}

/** The work of most kernels is linear in the product of their sizes; kernels with one size work on square matrices. */
function kernelWork({ args }: StatementOf<'kernel'>): Expr {
  const sizes = args.flatMap((argument): readonly Expr[] =>
    isNumber(argument) && argument.type === 'int'
      ? [isOfSizes(argument) ? toReal(argument) : real(USUAL_ITERATIONS)]
      : [],
  );
  const cubed = sizes.length === 1 ? [sizes[0], sizes[0], sizes[0]] : sizes;
  return cubed.reduce(mul, real(STEP));
}

function operationsOf(statement: Statement): number {
  let work = CHEAP;
  visitOwnExpressions(statement, (node) => {
    if (node.kind === 'apply') work += OPS[node.op].cost === 'expensive' ? EXPENSIVE : CHEAP;
    else if (node.kind === 'load') work += CHEAP;
  });
  return work;
}
