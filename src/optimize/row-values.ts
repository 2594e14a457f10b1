import type { MatrixProduct } from '../dataflow/data-forms.js';
import type { Uses } from '../dataflow/effects.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { mapExpression } from '../ir/walk.js';

type ForLoop = StatementOf<'for'>;
type KernelCall = StatementOf<'kernel'>;

/** What a loop's body is read in: its block, with what is known of variables. */
export interface Surroundings {
  readonly block: Block;
  readonly uses: Uses;
  readonly isData: (e: Expr) => boolean;
  readonly isDataRef: (ref: Ref) => boolean;
}

/**
 * The expressions of a loop's body by what is there before the loop: locals that the iteration assigns are replaced by their values.
 */
export class RowValues {
  /** Containers that are products of a matrix of data and a vector, and are read by the expressions. */
  readonly products = new Map<Ref, MatrixProduct>();
  readonly #loop: ForLoop;
  readonly #around: Surroundings;
  readonly #locals = new Map<Local, Expr>();
  readonly #done = new Map<Expr, Expr>();
  /** The statements before the loop that make the products. */
  readonly #makers = new Set<Statement>();
  readonly #others = new Set<Ref>();
  #isKnown = true;

  constructor(loop: ForLoop, around: Surroundings) {
    this.#loop = loop;
    this.#around = around;
  }

  /** The expression by what is there before the loop; null where that is not known. */
  of(root: Expr): Expr | null {
    const result = mapExpression(root, (node) => this.#node(node), this.#done);
    return this.#isKnown ? result : null;
  }

  /** Notes what an assignment gives a local of the body; whether that is known. */
  assign({ local, value }: StatementOf<'assign'>): boolean {
    const { uses } = this.#around;
    const own = this.of(value);
    if (own === null || uses.writes(local).length > 1 || !uses.isLocalToBody(local, this.#loop)) return false;
    this.#locals.set(local, own);
    return true;
  }

  /** The statements before the loop that only the expressions need, in their order; null if anything else needs them. */
  makers(): readonly Statement[] | null {
    const { uses } = this.#around;
    const makers = [...this.#makers];
    for (const ref of this.products.keys()) {
      const own = [...makers, this.#loop].reduce((sum, statement) => sum + uses.countIn(ref, statement), 0);
      if (own !== uses.count(ref)) return null;
    }
    return makers.sort((a, b) => uses.position(a) - uses.position(b));
  }

  #node(node: Expr): Expr {
    if (node.kind === 'target') this.#isKnown = false;
    if (node.kind === 'get' && node.local !== this.#loop.index && this.#isWritten(node.local)) {
      return this.#valueOr(node, this.#locals.get(node.local));
    }
    if (node.kind === 'size' && this.#isWritten(rootOf(node.ref))) this.#isKnown = false;
    if (node.kind !== 'load' || this.#around.isDataRef(node.ref)) return node;
    if (this.#isWritten(rootOf(node.ref))) this.#isKnown = false;
    else if (!this.products.has(node.ref) && !this.#others.has(node.ref)) this.#findProduct(node.ref);
    return node;
  }

  #isWritten(variable: Local | Ref): boolean {
    return this.#around.uses.isChangedIn(variable, this.#loop);
  }

  #valueOr(node: Expr, value: Expr | undefined): Expr {
    if (value === undefined) this.#isKnown = false;
    return value ?? node;
  }

  /** Notes the container as a product if it is one that is made in the block. */
  #findProduct(ref: Ref): void {
    const { uses, block } = this.#around;
    const allocation = this.#allocationOf(ref);
    const writers = uses.writes(ref).filter(({ statement }) => statement !== allocation);
    const maker = writers.at(0)?.statement;
    const product = maker?.kind === 'kernel' && block.includes(maker) ? this.#productOf(maker) : null;
    if (allocation === null || maker === undefined || writers.length > 1 || product === null) this.#others.add(ref);
    else if (uses.isChangedBetween(rootOf(product.vector), maker, this.#loop)) this.#others.add(ref);
    else {
      this.products.set(ref, product);
      this.#makers.add(allocation).add(maker);
    }
  }

  #allocationOf(ref: Ref): Statement | null {
    if (ref.parent !== null) return null;
    const { block } = this.#around;
    return block.find((statement) => statement.kind === 'allocate' && statement.ref === ref) ?? null;
  }

  #productOf({ name, args }: KernelCall): MatrixProduct | null {
    const [, matrix, vector, rows, columns] = args;
    if (name !== 'gemv' || matrix.kind !== 'pointer' || vector.kind !== 'pointer') return null;
    if (matrix.offset !== null || vector.offset !== null || !this.#around.isDataRef(matrix.ref)) return null;
    if (rows.kind === 'pointer' || rows.kind === 'random_state') return null;
    if (columns.kind === 'pointer' || columns.kind === 'random_state') return null;
    if (!this.#around.isData(rows) || !this.#around.isData(columns)) return null;
    return { matrix: matrix.ref, vector: vector.ref, rows, columns };
  }
}
