import { add, call1, div, isValue, mul, neg, ONE, real, toReal, ZERO } from '../ir/expressions.js';
import { Interner } from '../ir/interned.js';
import type { Expr, Ref } from '../ir/nodes.js';
import type { OpName } from '../ir/ops.js';
import { type Term, termsOf } from '../ir/sums.js';
import { everyNode } from '../ir/walk.js';

/**
 * A quantity times data of the iteration. All iterations share the quantity, or it is an element whose index the iteration reads from data.
 */
export interface Column {
  readonly data: Expr;
  readonly negative: boolean;
  readonly quantity: Expr;
}

/**
 * Consecutive elements of a container, starting at `offset`, each times data of the iteration. All iterations of the loop share the
 * elements.
 */
export interface Span {
  readonly elements: Ref;
  readonly offset: Expr;
  readonly count: Expr;
  readonly data: (k: Expr) => Expr;
  readonly negative: boolean;
}

/** A sum of products of data and quantities, multiplied by data (`weights`) and quantities (`factors`). */
export interface Form {
  readonly columns: readonly Column[];
  readonly spans: readonly Span[];
  readonly weights: readonly Expr[];
  readonly factors: readonly Expr[];
}

/** A product of weights, factors, and possibly a form or its square. */
export interface Product {
  readonly weights: readonly Expr[];
  readonly factors: readonly Expr[];
  readonly form: Form | null;
  readonly isSquare: boolean;
}

/** The dependence of an expression: `row`, on the iteration; `quantity`, on values other than data. */
export interface Dependence {
  readonly row: boolean;
  readonly quantity: boolean;
}

/** A container of sums of products: element i is Σ_k data(i, k) · vector[offset + k]. */
export interface DataProduct {
  readonly data: (i: Expr, k: Expr) => Expr;
  readonly vector: Ref;
  readonly offset: Expr;
  readonly count: Expr;
}

/** Descriptions of operations whose names do not occur in programs. */
const NAMES: Readonly<Partial<Record<OpName, string>>> = { select: 'a choice' };

/** Maximum number of columns: the cost grows quadratically. */
const MOST_COLUMNS = 64;

/**
 * Writes expressions of a loop's body as sums of products data(iteration) · quantity. A quantity is the same in each iteration, or it
 * consists of elements of containers at indexes that the iteration reads from data (`alpha[group[n]]`). `dependence` returns the dependence
 * of an expression; `products` are containers of such sums that the body reads.
 */
export class DataForms {
  readonly #dependence: (e: Expr) => Dependence;
  readonly #products: ReadonlyMap<Ref, DataProduct>;
  readonly #interner = new Interner();
  readonly #forms = new Map<Expr, Form | null>();
  #obstacle: string | undefined;

  constructor(dependence: (e: Expr) => Dependence, products: ReadonlyMap<Ref, DataProduct>) {
    this.#dependence = dependence;
    this.#products = products;
  }

  /** The reason why the first other expression is not such a sum, as a sentence without a period. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  numberOf(e: Expr): number {
    return this.#interner.numberOf(e);
  }

  /** The expression as such a sum; null for other expressions. */
  formOf(e: Expr): Form | null {
    const known = this.#forms.get(e);
    if (known !== undefined) return known;
    const form = this.#formOf(e);
    const result = form !== null && form.columns.length > MOST_COLUMNS ? null : form;
    this.#forms.set(e, result);
    return result;
  }

  #formOf(e: Expr): Form | null {
    const { row, quantity } = this.#dependence(e);
    if (!quantity) return single({ data: toReal(e), negative: false, quantity: ONE });
    if (!row) return single({ data: ONE, negative: false, quantity: toReal(e) });
    if (e.kind === 'load') return this.#elementOf(e, e.ref, e.index);
    if (e.kind !== 'apply') return this.#fails('a term reads more than data and parameters');
    const [first, second] = e.args;
    switch (e.op) {
      case 'neg':
        return negated(this.formOf(first));
      case 'add':
        return this.#sum(this.formOf(first), this.formOf(second));
      case 'sub':
        return this.#sum(this.formOf(first), negated(this.formOf(second)));
      case 'mul':
        return this.#scaled(this.formOf(first), second) ?? this.#scaled(this.formOf(second), first);
      case 'div':
        return this.#scaled(this.formOf(first), second, true);
      case 'cos':
      case 'sin':
        return this.#turned(e.op, first);
      default:
        return this.#fails(`${NAMES[e.op] ?? e.op} of data and parameters is not linear in parameters`);
    }
  }

  #fails(obstacle: string): null {
    this.#obstacle ??= obstacle;
    return null;
  }

  #elementOf(e: Expr, ref: Ref, index: Expr): Form | null {
    if (this.#dependence(index).quantity) return this.#fails(`an index of ${ref.name} depends on parameters`);
    const product = this.#products.get(ref);
    if (product === undefined) {
      if (isLookup(index)) return single({ data: ONE, negative: false, quantity: e });
      return this.#fails('each row has its own parameter');
    }
    const { vector, offset, count } = product;
    const data = (k: Expr): Expr => product.data(index, k);
    return { ...EMPTY, spans: [{ elements: vector, offset, count, data, negative: false }] };
  }

  /** The form multiplied or divided by a product of data and quantities. */
  #scaled(form: Form | null, factor: Expr, isInverse = false): Form | null {
    if (form === null) return null;
    const product: Mutable = { weights: [...form.weights], factors: [...form.factors], rest: [] };
    this.#collect(factor, product, isInverse);
    const { weights, factors, rest } = product;
    if (rest.length > 0) return this.#fails('expressions of data and parameters are multiplied with each other');
    return { ...form, weights, factors };
  }

  #sum(a: Form | null, b: Form | null): Form | null {
    if (a === null || b === null) return null;
    if (this.#sameAll(a.factors, b.factors) && this.#sameAll(a.weights, b.weights)) return joined(a, b);
    const [left, right] = [multipliedOut(a), multipliedOut(b)];
    return left === null || right === null ? null : joined(left, right);
  }

  /**
   * The cosine or sine of the sum of data d and a quantity q, by the addition theorem: cos(d + q) = cos d cos q - sin d sin q, and
   * sin(d + q) = sin d cos q + cos d sin q.
   */
  #turned(op: 'cos' | 'sin', angle: Expr): Form | null {
    const form = this.formOf(angle);
    if (form === null) return null;
    const whole = form.spans.length > 0 ? null : multipliedOut(form);
    if (whole === null) return this.#fails(`${op} of sums of data and parameters is not linear in parameters`);
    let [data, quantity] = [ZERO, ZERO];
    for (const column of whole.columns) {
      const term = mul(column.data, column.quantity);
      const signed = column.negative ? neg(term) : term;
      const dependence = this.#dependence(signed);
      if (!dependence.quantity) data = add(data, signed);
      else if (!dependence.row) quantity = add(quantity, signed);
      else return this.#fails(`${op} of a product of data and parameters is not linear in parameters`);
    }
    const [other, negative] = op === 'cos' ? (['sin', true] as const) : (['cos', false] as const);
    return joined(
      single({ data: call1(op, data), negative: false, quantity: call1('cos', quantity) }),
      single({ data: call1(other, data), negative, quantity: call1('sin', quantity) }),
    );
  }

  #sameAll(a: readonly Expr[], b: readonly Expr[]): boolean {
    return a.length === b.length && a.every((e, k) => this.numberOf(e) === this.numberOf(b[k]));
  }

  /** The expression as a product with at most one form, to the power 1 or 2; null for other expressions. */
  productOf(e: Expr): Product | null {
    const product: Mutable = { weights: [], factors: [], rest: [] };
    this.#collect(e, product);
    const { weights, factors, rest } = product;
    if (rest.length === 0) return { weights, factors, form: null, isSquare: false };
    const isSquare = rest.length === 2 && this.numberOf(rest[0]) === this.numberOf(rest[1]);
    if (rest.length > 1 && !isSquare)
      return this.#fails('a term is a product of several expressions of data and parameters');
    const form = this.formOf(rest[0]);
    if (form === null) return null;
    const times = isSquare ? [form, form] : [form];
    return {
      weights: [...weights, ...times.flatMap((each) => each.weights)],
      factors: [...factors, ...times.flatMap((each) => each.factors)],
      form: { ...form, weights: [], factors: [] },
      isSquare,
    };
  }

  /** A product of a sum with data or quantities, expanded to a sum of products; null for other expressions. */
  distributed(e: Expr): readonly Term[] | null {
    if (e.kind !== 'apply' || (e.op !== 'mul' && e.op !== 'div')) return null;
    const [first, second] = e.args;
    const [factor, sum] = e.op === 'mul' && this.#isMixed(second) ? [first, second] : [second, first];
    if (this.#isMixed(factor)) return null;
    const terms = termsOf(sum);
    if (terms.length < 2) return null;
    const times = (value: Expr): Expr => (e.op === 'mul' ? mul(factor, value) : div(value, factor));
    return terms.map(({ value, negative }) => ({ value: times(value), negative }));
  }

  #isMixed(e: Expr): boolean {
    const { row, quantity } = this.#dependence(e);
    return row && quantity;
  }

  /** Collects the factors of an expression by type. With `isInverse`, the expression is a divisor. */
  #collect(e: Expr, product: Mutable, isInverse = false): void {
    const { row, quantity } = this.#dependence(e);
    if (!row || !quantity) (row ? product.weights : product.factors).push(isInverse ? div(ONE, e) : toReal(e));
    else if (e.kind === 'apply' && (e.op === 'mul' || e.op === 'div')) {
      this.#collect(e.args[0], product, isInverse);
      this.#collect(e.args[1], product, (e.op === 'div') !== isInverse);
    } else if (e.kind === 'apply' && e.op === 'neg') {
      product.factors.push(real(-1));
      this.#collect(e.args[0], product, isInverse);
    } else if (e.kind === 'apply' && e.op === 'pow' && isValue(e.args[1], 2) && !isInverse) {
      product.rest.push(e.args[0], e.args[0]);
    } else if (isInverse) product.rest.push(div(ONE, e));
    else product.rest.push(e);
  }
}

interface Mutable {
  readonly weights: Expr[];
  readonly factors: Expr[];
  readonly rest: Expr[];
}

const EMPTY: Form = { columns: [], spans: [], weights: [], factors: [] };

/** Whether the index reads data, so that several iterations may have the same one. */
function isLookup(index: Expr): boolean {
  return !everyNode(index, (node) => node.kind !== 'load');
}

function single(column: Column): Form {
  return { ...EMPTY, columns: [column] };
}

function joined(a: Form, b: Form): Form {
  return { ...a, columns: [...a.columns, ...b.columns], spans: [...a.spans, ...b.spans] };
}

function negated(form: Form | null): Form | null {
  if (form === null) return null;
  return {
    ...form,
    columns: form.columns.map((column) => ({ ...column, negative: !column.negative })),
    spans: form.spans.map((span) => ({ ...span, negative: !span.negative })),
  };
}

/** The form with its weights and factors multiplied into its columns; null if a span would be multiplied by a quantity. */
export function multipliedOut(form: Form): Form | null {
  if (form.spans.length > 0 && form.factors.length > 0) return null;
  const weigh = (data: Expr): Expr => form.weights.reduce((product, weight) => mul(product, weight), data);
  return {
    ...EMPTY,
    columns: form.columns.map((column) => ({
      ...column,
      data: weigh(column.data),
      quantity: form.factors.reduce((product, factor) => mul(product, factor), column.quantity),
    })),
    spans: form.spans.map((span) => ({ ...span, data: (k) => weigh(span.data(k)) })),
  };
}

/** The product of the expressions. */
export function productOf(factors: readonly Expr[]): Expr {
  return factors.reduce((product, factor) => mul(product, factor), ONE);
}
