import {
  type Column,
  type DataForms,
  type Form,
  multipliedOut,
  productOf,
  type Span,
} from '../../dataflow/data-forms.js';
import { abs, add, compare, get, isValue, neg, ONE, real, toReal } from '../../ir/expressions.js';
import type { Expr, Local, TargetTerm } from '../../ir/nodes.js';
import type { Term } from '../../ir/sums.js';
import { operandsOf } from '../../ir/walk.js';

/**
 * One quantity, or the elements of a container, with the data by which a row of the loop multiplies it. A quantity may be an element that
 * data select.
 */
export type Entry =
  | { readonly kind: 'single'; readonly quantity: Expr; readonly data: Expr }
  | { readonly kind: 'span'; readonly span: Span };

/**
 * The sum that all rows of a loop add to `target` or to a local: factors · Σ_rows weight · (Σ_k data_k(row) entry_k)^power. Power 0:
 * factors · rows.
 */
export interface RowSum {
  readonly power: 0 | 1 | 2;
  readonly entries: readonly Entry[];
  /** The number of entries that look up elements by data of the row. They come last. */
  readonly own: number;
  readonly weight: Expr;
  readonly factors: readonly Expr[];
  readonly to: TargetTerm | Local;
  /**
   * Other data of the rows whose products with the entries must be finite because of a check in the loop, in the order of the entries.
   */
  readonly alsoFinite: Expr[][];
}

/**
 * Maximum number of columns in all sums of a loop: more columns cost more than they save, and their expressions grow quadratically.
 */
const MOST_COLUMNS = 256;
/** Maximum number of indexes by which rows are grouped. */
const MOST_LOOKUPS = 4;

/**
 * Expresses the statements of a loop's body as sums over its rows: terms of `target`, and checks whose expressions read nothing that the
 * body writes.
 */
export class RowSums {
  readonly sums: RowSum[] = [];
  /** The conditions under which the sums equal what the loop computes. */
  readonly conditions: Expr[] = [];
  /** The indexes by which quantities of the entries look up elements, without duplicates. */
  readonly lookups: Expr[] = [];
  readonly #forms: DataForms;
  readonly #isInvariant: (e: Expr) => boolean;
  readonly #probe: Expr;
  readonly #finite: Form[] = [];
  #columns = 0;

  /** `probe`: an int that occurs nowhere else. */
  constructor(forms: DataForms, isInvariant: (e: Expr) => boolean, probe: Local) {
    this.#forms = forms;
    this.#isInvariant = isInvariant;
    this.#probe = get(probe);
  }

  /** Whether the sums can replace the condition of a check. */
  addCheck(condition: Expr): boolean {
    if (this.#isInvariant(condition)) {
      this.#require(condition);
      return true;
    }
    const form = finiteForm(condition, this.#forms);
    if (form === null) return false;
    this.#finite.push(form);
    return true;
  }

  #require(condition: Expr): void {
    const number = this.#forms.numberOf(condition);
    if (!this.conditions.some((known) => this.#forms.numberOf(known) === number)) this.conditions.push(condition);
  }

  /** Whether the terms that the loop adds to `target` or a local are such products. */
  addTerms(terms: readonly Term[], to: TargetTerm | Local): boolean {
    return terms.every(({ value, negative }) => this.#addTerm(value, negative, to) && this.#columns <= MOST_COLUMNS);
  }

  #addTerm(value: Expr, negative: boolean, to: TargetTerm | Local): boolean {
    const product = this.#forms.productOf(value);
    if (product === null) {
      const terms = this.#forms.distributed(value);
      return terms?.every((term) => this.#addTerm(term.value, negative !== term.negative, to)) === true;
    }
    const { weights, factors, form, isSquare } = product;
    const signed = negative ? [real(-1), ...factors] : factors;
    for (const factor of factors) {
      if (factor.kind !== 'const') this.#require(compare('lt', abs(factor), real(GREATEST)));
    }
    if (form === null && weights.every((weight) => isValue(weight, 1))) {
      return this.#append({ power: 0, entries: [], weight: ONE, factors: signed, to });
    }
    if (isSquare && form !== null) {
      return this.#append({ power: 2, entries: this.#merged(form), weight: productOf(weights), factors: signed, to });
    }
    // Sums of data times quantities: the weights are multiplied into the data.
    const whole = form === null ? null : multipliedOut({ ...form, weights });
    const column: Column = { data: productOf(weights), negative: false, quantity: productOf(signed) };
    const linear =
      whole === null
        ? { entries: this.#merged({ columns: [column], spans: [], weights: [], factors: [] }), factors: [] }
        : { entries: this.#merged(whole), factors: signed };
    return this.#append({ power: 1, weight: ONE, to, ...linear });
  }

  /** Adds the sum, with the entries that look up elements last. Only squares may have such entries. */
  #append({ entries, ...sum }: Omit<RowSum, 'alsoFinite' | 'own'>): boolean {
    const isOwn = (entry: Entry): boolean => entry.kind === 'single' && !this.#isInvariant(entry.quantity);
    const own = entries.filter(isOwn);
    for (const entry of own) if (entry.kind === 'single') this.#noteLookups(entry.quantity);
    this.sums.push({
      ...sum,
      entries: [...entries.filter((entry) => !isOwn(entry)), ...own],
      own: own.length,
      alsoFinite: [],
    });
    return own.length === 0 || (sum.power === 2 && this.lookups.length <= MOST_LOOKUPS);
  }

  #noteLookups(e: Expr, seen = new Set<Expr>()): void {
    if (seen.has(e) || this.#isInvariant(e)) return;
    seen.add(e);
    if (e.kind !== 'load') for (const operand of operandsOf(e)) this.#noteLookups(operand, seen);
    else if (this.lookupOf(e.index) < 0) this.lookups.push(e.index);
  }

  /** The position of an index among the lookups; -1 for others. */
  lookupOf(index: Expr): number {
    const number = this.#forms.numberOf(index);
    return this.lookups.findIndex((known) => this.#forms.numberOf(known) === number);
  }

  /** The entries of a form, with each quantity once. */
  #merged({ columns, spans }: Form): Entry[] {
    this.#columns += columns.length + spans.length;
    const singles = new Map<number, { readonly quantity: Expr; readonly data: Expr; readonly count: number }>();
    for (const { data, negative, quantity } of columns) {
      const number = this.#forms.numberOf(quantity);
      const known = singles.get(number);
      const signed = negative ? neg(data) : data;
      singles.set(number, {
        quantity,
        data: known === undefined ? signed : add(known.data, signed),
        count: (known?.count ?? 0) + 1,
      });
    }
    return [
      ...[...singles.values()].map(({ quantity, data }): Entry => ({ kind: 'single', quantity, data })),
      ...spans.map((span): Entry => ({ kind: 'span', span })),
    ];
  }

  /** Whether the bounds of the sums imply that everything is finite that must be. Call this last. */
  coverChecks(): boolean {
    return this.#finite.every((form) => {
      const whole = multipliedOut(form);
      return whole !== null && this.#cover(this.#merged(whole));
    });
  }

  #cover(entries: readonly Entry[]): boolean {
    return this.sums.some((sum) => {
      const matches = entries.map((entry) => sum.entries.findIndex((own) => this.#sameQuantity(own, entry)));
      if (matches.includes(-1)) return false;
      const others = entries.filter((entry, k) => !this.#sameData(entry, sum.entries[matches[k]]));
      if (others.some((entry) => entry.kind === 'span')) return false;
      if (others.length > 0) {
        sum.alsoFinite.push(
          sum.entries.map((own) => {
            const other = others.find((entry) => this.#sameQuantity(own, entry));
            return other?.kind === 'single' ? other.data : real(0);
          }),
        );
      }
      return true;
    });
  }

  #sameQuantity(a: Entry, b: Entry): boolean {
    if (a.kind === 'single')
      return b.kind === 'single' && this.#forms.numberOf(a.quantity) === this.#forms.numberOf(b.quantity);
    if (b.kind !== 'span' || a.span.elements !== b.span.elements) return false;
    return this.#same(a.span.count, b.span.count) && this.#same(a.span.offset, b.span.offset);
  }

  /** Whether the data are equal up to sign. */
  #sameData(a: Entry, b: Entry): boolean {
    const [first, second] = [a, b].map((entry) =>
      entry.kind === 'single' ? entry.data : entry.span.data(this.#probe),
    );
    return this.#same(first, second) || this.#same(neg(first), second) || this.#same(first, neg(second));
  }

  #same(a: Expr, b: Expr): boolean {
    return this.#forms.numberOf(a) === this.#forms.numberOf(b);
  }
}

/**
 * Range of the absolute values of all sums; the lower end applies to squares alone. Within this range, no product of data and quantities
 * over- or underflows.
 */
export const LEAST = 1e-90;
export const GREATEST = 1e90;

/** The form that a check requires to be finite. */
function finiteForm(condition: Expr, forms: DataForms): Form | null {
  if (condition.kind !== 'apply' || condition.op !== 'lt') return null;
  const [size, bound] = condition.args;
  if (!isValue(bound, Number.POSITIVE_INFINITY) || size.kind !== 'apply' || size.op !== 'abs') return null;
  return forms.formOf(toReal(size.args[0]));
}
