import { writesOf } from '../../dataflow/effects.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { assignedLocals, definedRefs, visitStatements } from '../../ir/walk.js';
import { accumulatorsOf } from './accumulators.js';
import { type Flow, flowOf } from './dependents.js';
import { type LoopSum, loopSumsOf } from './loop-sums.js';

/** Where a block assigns and writes its variables, and what it sums. Independent of the parameters that are integrated out. */
export class BlockFacts {
  readonly block: Block;
  readonly flow: Flow;
  readonly accumulators: ReadonlySet<Local>;
  readonly loopSums: ReadonlyMap<StatementOf<'for'>, LoopSum>;
  /** The locals of these loops. */
  readonly summed: ReadonlySet<Local>;
  readonly #assignments = new Map<Local, number>();
  readonly #defined = new Set<Ref>();
  /** The number after that of the last statement that writes each container. */
  readonly #written = new Map<Ref, number>();
  readonly #numbers = new Map<Statement, number>();

  constructor(block: Block) {
    this.block = block;
    visitStatements(block, (statement) => {
      for (const local of assignedLocals(statement)) {
        this.#assignments.set(local, (this.#assignments.get(local) ?? 0) + 1);
      }
      this.#numbers.set(statement, this.#numbers.size);
      for (const written of writesOf(statement)) {
        if (written.kind === 'ref') this.#written.set(rootOf(written), this.#numbers.size);
      }
      for (const defined of definedRefs(statement)) this.#defined.add(defined);
    });
    this.flow = flowOf(block);
    this.accumulators = accumulatorsOf(block);
    this.loopSums = loopSumsOf(block, (local) => this.assignmentsOf(local));
    this.summed = new Set([...this.loopSums.values()].map(({ local }) => local));
  }

  /** Whether the block sets a variable that lasts only for one run of it. */
  isOwn(variable: Variable): boolean {
    if (variable.kind === 'ref') return this.#defined.has(variable);
    return variable.storage === 'local' && this.#assignments.has(variable);
  }

  /** The position of a statement in the text of the block. */
  numberOf(statement: Statement): number {
    return this.#numbers.get(statement) ?? 0;
  }

  /** Whether no statement from a number on writes the container. */
  isFinal(ref: Ref, number: number): boolean {
    return (this.#written.get(rootOf(ref)) ?? 0) <= number;
  }

  /** Whether a container is set before the block. */
  isInput(ref: Ref): boolean {
    return ref.storage === 'global' && !this.#defined.has(ref) && !this.#written.has(ref);
  }

  /** The number of statements that assign a local. */
  assignmentsOf(local: Local): number {
    return this.#assignments.get(local) ?? 0;
  }

  isOnce(local: Local): boolean {
    return this.assignmentsOf(local) === 1;
  }

  /** Whether an integer expression keeps its value in the whole scope of its variables. */
  isLasting(e: Expr): boolean {
    switch (e.kind) {
      case 'const':
      case 'size':
        return true;
      case 'get':
        return !this.#assignments.has(e.local) || this.isOnce(e.local);
      case 'load':
        return e.type === 'int' && !this.#written.has(rootOf(e.ref)) && this.isLasting(e.index);
      case 'apply':
        return e.args.every((each) => this.isLasting(each));
      default:
        return false;
    }
  }
}
