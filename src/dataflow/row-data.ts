import type { Block, Expr, KernelArgument, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { blocksOf, definedRefs, expressionsOf, operandsOf, someNode } from '../ir/walk.js';
import { mentionsOf, mentionsOfNode, writesOf } from './effects.js';
import type { Movable } from './movable.js';

type ForLoop = StatementOf<'for'>;

/**
 * What the iterations of a loop compute from data: which variables of an iteration, and which expressions, depend on data and the iteration's
 * number alone, and which of these differ between iterations. For loops whose iterations write only variables of their own.
 */
export class RowData {
  readonly #movable: Movable;
  readonly #written = new Set<Variable>();
  /** Variables that the loop writes and that depend on more than data. */
  readonly #dependent = new Set<Variable>();
  /** Variables that the loop writes and that may differ between iterations. */
  readonly #varying = new Set<Variable>();
  readonly #data = new Map<Expr, boolean>();
  readonly #varies = new Map<Expr, boolean>();
  readonly #dataStatements = new Map<Statement, boolean>();

  constructor(loop: ForLoop, movable: Movable) {
    this.#movable = movable;
    for (const variable of movable.writtenIn(loop)) this.#written.add(variable);
    this.#varying.add(loop.index);
    for (let before = -1; before !== this.#size; ) {
      before = this.#size;
      this.#spread(loop.body, false, false);
    }
  }

  get #size(): number {
    return this.#dependent.size + this.#varying.size;
  }

  #spread(block: Block, dependent: boolean, varying: boolean): void {
    for (const statement of block) {
      let isDependent = dependent || statement.kind === 'call';
      let isVarying = varying;
      mentionsOf(statement, (variable) => {
        if (this.#isDependent(variable)) isDependent = true;
        if (this.#varying.has(variable)) isVarying = true;
      });
      if (expressionsOf(statement).some(readsTarget)) isDependent = true;
      // Where iterations differ only in bounds, an index has the same value in all iterations that run.
      if (statement.kind === 'for') isVarying = this.#variesNow(statement.from);
      for (const variable of [...writesOf(statement), ...definedRefs(statement)]) {
        for (const written of variable.kind === 'ref' ? [variable, rootOf(variable)] : [variable]) {
          // A view has a pointer of its own, but its contents are its root's.
          const isOwn = written === variable || statement.kind !== 'view';
          if (isDependent && isOwn && this.#written.has(written)) this.#dependent.add(written);
          if (isVarying && isOwn && this.#written.has(written)) this.#varying.add(written);
        }
      }
      const control = isVarying || varying || expressionsOf(statement).some((e) => this.#variesNow(e));
      for (const inner of blocksOf(statement)) this.#spread(inner, isDependent, control);
    }
  }

  /** Whether the expression may differ, given what is known so far. */
  #variesNow(e: Expr): boolean {
    return someNode(e, (node) => this.variesItself(node));
  }

  #isDependent(variable: Variable): boolean {
    return this.#written.has(variable) ? this.#dependent.has(variable) : !this.#movable.isDataVariable(variable);
  }

  isWritten(variable: Variable): boolean {
    return this.#written.has(variable);
  }

  /** Whether the expression depends on data and the iteration alone. */
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

  /** Whether a container argument of a kernel may have other contents, or another address, in each iteration. */
  argumentVaries(argument: KernelArgument): boolean {
    if (argument.kind === 'random_state') return true;
    if (argument.kind !== 'pointer') return this.varies(argument);
    if (argument.offset !== null && this.varies(argument.offset)) return true;
    for (let at: typeof argument.ref | null = argument.ref; at !== null; at = at.parent) {
      if (this.#varying.has(at)) return true;
    }
    return false;
  }

  /** Whether the container depends on data and the iteration alone. */
  isDataVariable(variable: Variable): boolean {
    return !this.#isDependent(variable);
  }

  /** Whether the statement, with those inside it, is work on data without effects but checks and rejections. */
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

const STAYING: ReadonlySet<Statement['kind']> = new Set(['target', 'print', 'call', 'exit', 'labelled', 'while']);

function readsTarget(e: Expr): boolean {
  return someNode(e, (node) => node.kind === 'target');
}
