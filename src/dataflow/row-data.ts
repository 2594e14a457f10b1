import type { Expr, KernelArgument, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { blocksOf, operandsOf } from '../ir/walk.js';
import { mentionsOf, mentionsOfNode } from './effects.js';
import type { Movable } from './movable.js';
import { RowFlow } from './row-flow.js';

type ForLoop = StatementOf<'for'>;

/**
 * Determines the variables of an iteration and the expressions that depend only on data and the loop's index, and which of these differ
 * between iterations. For loops whose iterations write only variables of the iteration.
 */
export class RowData {
  readonly #movable: Movable;
  readonly #written: ReadonlySet<Variable>;
  /** Variables that the loop writes and that depend on more than data. */
  readonly #dependent: ReadonlySet<Variable>;
  /** Variables that the loop writes and that may differ between iterations. */
  readonly #varying: ReadonlySet<Variable>;
  readonly #data = new Map<Expr, boolean>();
  readonly #varies = new Map<Expr, boolean>();
  readonly #dataStatements = new Map<Statement, boolean>();

  constructor(loop: ForLoop, movable: Movable) {
    this.#movable = movable;
    this.#written = movable.writtenIn(loop);
    const { dependent, varying } = new RowFlow(loop, this.#written, (variable) => movable.isDataVariable(variable));
    this.#dependent = dependent;
    this.#varying = varying;
  }

  #isDependent(variable: Variable): boolean {
    return this.#written.has(variable) ? this.#dependent.has(variable) : !this.#movable.isDataVariable(variable);
  }

  isWritten(variable: Variable): boolean {
    return this.#written.has(variable);
  }

  /** Whether the expression depends only on data and the loop's index. */
  isData(e: Expr): boolean {
    const known = this.#data.get(e);
    if (known !== undefined) return known;
    let data = e.kind !== 'target' && e.kind !== 'load_adjoint';
    data &&= operandsOf(e).every((operand) => this.isData(operand));
    mentionsOfNode(e, (variable) => {
      if (this.#isDependent(variable)) data = false;
    });
    this.#data.set(e, data);
    return data;
  }

  /** Whether the expression may differ between iterations. */
  varies(e: Expr): boolean {
    const known = this.#varies.get(e);
    if (known !== undefined) return known;
    const varies = this.variesItself(e) || operandsOf(e).some((operand) => this.varies(operand));
    this.#varies.set(e, varies);
    return varies;
  }

  /** Whether the node, apart from its operands, may differ between iterations. */
  variesItself(e: Expr): boolean {
    let varies = false;
    mentionsOfNode(e, (variable) => {
      if (this.#varying.has(variable)) varies = true;
    });
    return varies;
  }

  /** Whether the contents or the address of a container argument of a kernel may differ between iterations. */
  argumentVaries(argument: KernelArgument): boolean {
    if (argument.kind === 'random_state') return true;
    if (argument.kind !== 'pointer') return this.varies(argument);
    if (argument.offset !== null && this.varies(argument.offset)) return true;
    for (let at: typeof argument.ref | null = argument.ref; at !== null; at = at.parent) {
      if (this.#varying.has(at)) return true;
    }
    return false;
  }

  /** Whether the variable depends only on data and the loop's index. */
  isDataVariable(variable: Variable): boolean {
    return !this.#isDependent(variable);
  }

  /** Whether the statement and those inside it work on data alone and have no effects other than checks and rejections. */
  isDataStatement(statement: Statement): boolean {
    const known = this.#dataStatements.get(statement);
    if (known !== undefined) return known;
    let data = !STAYING.has(statement.kind);
    if (data) {
      mentionsOf(statement, (variable) => {
        if (this.#isDependent(variable)) data = false;
      });
    }
    data &&= blocksOf(statement).every((block) => block.every((inner) => this.isDataStatement(inner)));
    this.#dataStatements.set(statement, data);
    return data;
  }
}

const STAYING: ReadonlySet<Statement['kind']> = new Set(['target', 'print', 'call', 'exit', 'labeled', 'while']);
