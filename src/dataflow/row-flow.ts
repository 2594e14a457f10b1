import { append } from '../base/multimap.js';
import type { Block, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { blocksOf, definedRefs, expressionsOf, someNode, visitExpression } from '../ir/walk.js';
import { mentionsOf, mentionsOfNode, writesOf } from './effects.js';

type ForLoop = StatementOf<'for'>;

/** The known properties of a statement. Each may change from false to true once. */
interface Flow {
  readonly isLoop: boolean;
  readonly written: readonly Variable[];
  readonly inner: readonly Flow[];
  /** Whether it depends on more than data. */
  isDependent: boolean;
  /** Whether the values that it writes may differ between iterations. */
  isVarying: boolean;
  /** Whether the iterations may run different statements inside it. */
  isDeciding: boolean;
}

/**
 * The variables written by a loop that depend on more than data, and those that may differ between its iterations. Both properties
 * propagate from variables to the statements that mention them, and from these to the variables that they write.
 */
export class RowFlow {
  readonly dependent = new Set<Variable>();
  readonly varying = new Set<Variable>();
  readonly #written: ReadonlySet<Variable>;
  readonly #isData: (variable: Variable) => boolean;
  /** The statements that a dependent variable makes dependent. */
  readonly #readers = new Map<Variable, Flow[]>();
  /** The statements that a varying variable makes varying. */
  readonly #varied = new Map<Variable, Flow[]>();
  /** The loops whose number of iterations depends on the variable. */
  readonly #ended = new Map<Variable, Flow[]>();
  readonly #next: (() => void)[] = [];

  /** `isData` returns whether a variable that the loop does not write depends on data alone. */
  constructor(loop: ForLoop, written: ReadonlySet<Variable>, isData: (variable: Variable) => boolean) {
    this.#written = written;
    this.#isData = isData;
    this.#flowsOf(loop.body);
    this.#vary(loop.index);
    for (let next = this.#next.pop(); next !== undefined; next = this.#next.pop()) next();
  }

  #flowsOf(block: Block): readonly Flow[] {
    return block.map((statement) => this.#flowOf(statement));
  }

  #flowOf(statement: Statement): Flow {
    const flow: Flow = {
      isLoop: statement.kind === 'for',
      written: this.#writtenBy(statement),
      inner: blocksOf(statement).flatMap((block) => this.#flowsOf(block)),
      isDependent: false,
      isVarying: false,
      isDeciding: false,
    };
    let isDependent = statement.kind === 'call' || expressionsOf(statement).some((e) => someNode(e, isTarget));
    mentionsOf(statement, (variable) => {
      if (this.#written.has(variable)) append(this.#readers, variable, flow);
      else if (!this.#isData(variable)) isDependent = true;
      if (statement.kind !== 'for') append(this.#varied, variable, flow);
    });
    if (statement.kind === 'for') {
      // Where iterations differ only in bounds, an index has the same value in all iterations that run.
      visitExpression(statement.from, (node) =>
        mentionsOfNode(node, (variable) => append(this.#varied, variable, flow)),
      );
      visitExpression(statement.to, (node) => mentionsOfNode(node, (variable) => append(this.#ended, variable, flow)));
    }
    if (isDependent) this.#next.push(() => this.#makeDependent(flow));
    return flow;
  }

  /** The variables of the loop that this statement changes. */
  #writtenBy(statement: Statement): readonly Variable[] {
    return [...writesOf(statement), ...definedRefs(statement)].flatMap((variable) => {
      // A view has its own pointer, but shares the contents of its root.
      const changed = variable.kind === 'ref' && statement.kind !== 'view' ? [variable, rootOf(variable)] : [variable];
      return changed.filter((each) => this.#written.has(each));
    });
  }

  #makeDependent(flow: Flow): void {
    if (flow.isDependent) return;
    flow.isDependent = true;
    for (const variable of flow.written) this.#depend(variable);
    for (const inner of flow.inner) this.#next.push(() => this.#makeDependent(inner));
  }

  #depend(variable: Variable): void {
    if (this.dependent.has(variable)) return;
    this.dependent.add(variable);
    for (const flow of this.#readers.get(variable) ?? []) this.#next.push(() => this.#makeDependent(flow));
  }

  #makeVarying(flow: Flow): void {
    if (flow.isVarying) return;
    flow.isVarying = true;
    for (const variable of flow.written) this.#vary(variable);
    this.#makeDeciding(flow);
  }

  #makeDeciding(flow: Flow): void {
    if (flow.isDeciding) return;
    flow.isDeciding = true;
    for (const inner of flow.inner) {
      this.#next.push(() => (inner.isLoop ? this.#makeDeciding(inner) : this.#makeVarying(inner)));
    }
  }

  #vary(variable: Variable): void {
    if (this.varying.has(variable)) return;
    this.varying.add(variable);
    for (const flow of this.#varied.get(variable) ?? []) this.#next.push(() => this.#makeVarying(flow));
    for (const flow of this.#ended.get(variable) ?? []) this.#next.push(() => this.#makeDeciding(flow));
  }
}

const isTarget = (node: { readonly kind: string }): boolean => node.kind === 'target';
