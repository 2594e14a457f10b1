import type { DataProduct } from '../../dataflow/data-forms.js';
import type { Uses } from '../../dataflow/uses.js';
import { add, get, int, isGetOf, load, mul, neg, ONE, sub } from '../../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { incrementsOf } from '../../ir/sums.js';
import { everyNode, mapExpression, operandsOf } from '../../ir/walk.js';

type ForLoop = StatementOf<'for'>;
type KernelCall = StatementOf<'kernel'>;

/** The block around a loop, with what is known about its variables. */
export interface Surroundings {
  readonly block: Block;
  readonly uses: Uses;
  readonly isData: (e: Expr) => boolean;
  readonly isDataRef: (ref: Ref) => boolean;
  /** A new container of reals that is not data. */
  readonly newProduct: () => Ref;
}

/**
 * Expresses the values of a loop's body in terms of what is known before the loop: replaces locals that the iteration assigns by their
 * values.
 */
export class RowValues {
  /** Containers that are products of data and a vector and that the expressions read. */
  readonly products = new Map<Ref, DataProduct>();
  /** Products that exist only in the expressions: sums that inner loops of the body accumulate. */
  readonly #inner = new Set<Ref>();
  readonly #loop: ForLoop;
  readonly #around: Surroundings;
  readonly #locals = new Map<Local, Expr>();
  readonly #done = new Map<Expr, Expr>();
  /** The statements before the loop that compute the products. */
  readonly #makers = new Set<Statement>();
  readonly #others = new Set<Ref>();
  #isKnown = true;

  constructor(loop: ForLoop, around: Surroundings) {
    this.#loop = loop;
    this.#around = around;
  }

  /** The expression in terms of what is known before the loop; null if unknown. */
  of(root: Expr): Expr | null {
    const result = mapExpression(root, (node) => this.#node(node), this.#done);
    return this.#isKnown ? result : null;
  }

  /** Records the value that an assignment gives to a local of the body. Returns whether it is known. */
  assign({ local, value }: StatementOf<'assign'>): boolean {
    const { uses } = this.#around;
    const own = this.of(value);
    if (own === null || !uses.isLocalToBody(local, this.#loop)) return false;
    if (uses.writes(local).length > 1 && !this.#isStart(local)) return false;
    this.#locals.set(local, own);
    return true;
  }

  /** Whether the local's only other assignment is in an inner loop that adds to it, and no statement before that reads it. */
  #isStart(local: Local): boolean {
    const { uses } = this.#around;
    const { body } = this.#loop;
    const inner = body.findIndex((statement) => statement.kind === 'for' && addendOf(statement)?.to === local);
    if (inner < 0 || uses.writes(local).length !== 2) return false;
    return body.slice(0, inner).reduce((sum, statement) => sum + uses.countIn(local, statement), 0) === 1;
  }

  /** Records what an inner loop adds to a local of the body: products of data and elements of one vector. Returns whether it is known. */
  accumulate(inner: ForLoop): boolean {
    const found = addendOf(inner);
    const before = found === null ? undefined : this.#locals.get(found.to);
    if (found === null || before === undefined || !this.#isStart(found.to)) return false;
    const { isData } = this.#around;
    if (![inner.from, inner.to].every((bound) => isData(bound) && !this.#varies(bound))) return false;
    const product = this.#innerProduct(inner, found.value);
    if (product === null) return false;
    const ref = this.#around.newProduct();
    this.products.set(ref, product);
    this.#inner.add(ref);
    this.#locals.set(found.to, add(before, load(ref, get(this.#loop.index))));
    // Earlier results read the local's value at the start.
    this.#done.clear();
    return true;
  }

  #varies(e: Expr): boolean {
    return !everyNode(e, (node) => node.kind !== 'get' || node.local !== this.#loop.index);
  }

  /** The sum of the addends. Each is data times an element of a vector at the inner index plus an offset. */
  #innerProduct({ from, index, to }: ForLoop, addend: Expr): DataProduct | null {
    const { isDataRef, isData } = this.#around;
    const factors = factorsOf(addend);
    const elements = factors.filter((factor) => factor.kind === 'load' && !isDataRef(factor.ref));
    const [element] = elements;
    if (elements.length !== 1 || element.kind !== 'load' || this.#isWritten(rootOf(element.ref))) return null;
    const offset = offsetFrom(element.index, index);
    if (offset === null || !isData(offset) || this.#varies(offset)) return null;
    const others = factors.filter((factor) => factor !== element);
    if (!others.every((factor) => this.#isDataIn(factor, index))) return null;
    const data = others.reduce((product, factor) => mul(product, factor), ONE);
    const at = (e: Expr, i: Expr, k: Expr): Expr =>
      mapExpression(e, (node) => {
        if (node.kind !== 'get') return node;
        return node.local === index ? add(from, k) : node.local === this.#loop.index ? i : node;
      });
    return {
      data: (i, k) => at(data, i, k),
      vector: element.ref,
      offset: add(offset, from),
      count: sub(to, from),
    };
  }

  /** Whether the expression is data at each index of the inner loop. */
  #isDataIn(e: Expr, inner: Local): boolean {
    const { isData, isDataRef } = this.#around;
    if (e.kind === 'get') return e.local === inner || e.local === this.#loop.index || isData(e);
    if (e.kind === 'load') return isDataRef(e.ref) && this.#isDataIn(e.index, inner);
    return e.kind === 'apply' ? operandsOf(e).every((operand) => this.#isDataIn(operand, inner)) : isData(e);
  }

  /** The statements before the loop that only the expressions need, in order; null if others need them. */
  makers(): readonly Statement[] | null {
    const { uses } = this.#around;
    const makers = [...this.#makers];
    for (const ref of this.products.keys()) {
      if (this.#inner.has(ref)) continue;
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

  /** Records the container as a product if the block computes it as such. */
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

  #productOf({ name, args }: KernelCall): DataProduct | null {
    const [, matrix, vector, rows, columns] = args;
    if (name !== 'gemv' || matrix.kind !== 'pointer' || vector.kind !== 'pointer') return null;
    if (matrix.offset !== null || vector.offset !== null || !this.#around.isDataRef(matrix.ref)) return null;
    if (rows.kind === 'pointer' || rows.kind === 'random_state') return null;
    if (columns.kind === 'pointer' || columns.kind === 'random_state') return null;
    if (!this.#around.isData(rows) || !this.#around.isData(columns)) return null;
    const data = (i: Expr, k: Expr): Expr => load(matrix.ref, add(i, mul(k, rows)));
    return { data, vector: vector.ref, offset: int(0), count: columns };
  }
}

/** What a loop with a single statement adds to a local in each iteration. */
function addendOf({ body }: ForLoop): { readonly to: Local; readonly value: Expr } | null {
  const [statement] = body;
  if (body.length !== 1 || statement.kind !== 'assign' || statement.local.type !== 'real') return null;
  const terms = incrementsOf(statement.value, isGetOf(statement.local));
  if (terms?.length !== 1) return null;
  const [{ negative, value }] = terms;
  return { to: statement.local, value: negative ? neg(value) : value };
}

function factorsOf(e: Expr): readonly Expr[] {
  return e.kind === 'apply' && e.op === 'mul' ? e.args.flatMap(factorsOf) : [e];
}

/** `index` - `local`, where the local is one of its terms; else null. */
function offsetFrom(index: Expr, local: Local): Expr | null {
  if (index.kind === 'get' && index.local === local) return int(0);
  if (index.kind !== 'apply' || (index.op !== 'add_int' && index.op !== 'sub_int')) return null;
  const [first, second] = index.args;
  const reads = (e: Expr): boolean => !everyNode(e, (node) => node.kind !== 'get' || node.local !== local);
  if (!reads(second)) {
    const offset = offsetFrom(first, local);
    return offset === null ? null : index.op === 'add_int' ? add(offset, second) : sub(offset, second);
  }
  if (index.op === 'sub_int' || reads(first)) return null;
  const offset = offsetFrom(second, local);
  return offset === null ? null : add(first, offset);
}
