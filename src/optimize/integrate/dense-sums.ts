import type { Builder } from '../../ir/builder.js';
import { add, compare, get, int, load, mul, toReal } from '../../ir/expressions.js';
import type { Expr, Local, Ref } from '../../ir/nodes.js';
import type { Element } from './polynomial.js';
import { type Axis, fixedAxis } from './products.js';
import { addTerm, type Site } from './row-sums.js';
import type { Unit } from './units.js';

/**
 * The coefficients of dense and short parameters: all of their elements may depend on one another, and on those of long parameters. Matrices are
 * column-major.
 */
export class DenseSums {
  readonly units: readonly Unit[];
  /** Number of elements. */
  readonly size: Expr;
  /** Their linear coefficients, and the block of the precision matrix. */
  readonly linear: Ref;
  readonly square: Ref;
  readonly #builder: Builder;
  readonly #size: Local;
  readonly #offsets = new Map<Unit, Local>();
  readonly #borders = new Map<Unit, Ref>();

  constructor(builder: Builder, units: readonly Unit[]) {
    this.#builder = builder;
    this.units = units;
    for (const unit of units) this.#offsets.set(unit, builder.newLocal('int', `${unit.parameter.name}_offset`));
    this.#size = builder.newLocal('int', 'dense_size');
    this.size = get(this.#size);
    this.linear = builder.newRef('real', 1, 'dense_linear');
    this.square = builder.newRef('real', 1, 'dense_square');
  }

  /** Computes the places of elements, and sets all coefficients to 0. */
  start(): void {
    const builder = this.#builder;
    let offset: Expr = int(0);
    for (const [{ element, parameter }, local] of this.#offsets) {
      builder.assign(local, offset);
      offset = add(get(local), element === null ? parameter.size : int(1));
    }
    builder.assign(this.#size, offset);
    builder.check(compare('le', this.size, int(MAX_DENSE)), TOO_LARGE, [this.size], 'error');
    builder.allocateRef(this.linear, [this.size], 'zero');
    builder.allocateRef(this.square, [mul(this.size, this.size)], 'zero');
    for (const [{ parameter }, border] of this.#borders) {
      builder.allocateRef(border, [mul(parameter.size, this.size)], 'zero');
    }
  }

  /** The index of the first element of a unit. */
  offsetOf(unit: Unit): Expr {
    const found = this.#offsets.get(unit);
    if (found === undefined) throw new Error('integrate: each dense parameter has a place');
    return get(found);
  }

  /** The coefficients of a long parameter's elements (rows) and the dense ones (columns). Undefined if they are independent. */
  borderOf(unit: Unit): Ref | undefined {
    return this.#borders.get(unit);
  }

  axisOf(site: Site, unit: Unit, { index, of }: Element): Axis {
    const offset = this.offsetOf(unit);
    const product = site.productOf(of);
    const isFixed = unit.element !== null;
    if (product === undefined) {
      if (isFixed) return fixedAxis(offset);
      return { at: index, size: unit.parameter.size, product: null, place: (k) => add(offset, k) };
    }
    const place = (k: Expr): Expr => (isFixed ? offset : add(offset, product.index(k)));
    return { at: index, size: product.columns, product, place };
  }

  addLinear(site: Site, axis: Axis, coefficient: Expr): void {
    addTerm(site, [axis], coefficient, ([place], value) => this.#add(site.builder, this.linear, place, value));
  }

  addSquare(site: Site, axes: readonly Axis[], coefficient: Expr): void {
    const { builder } = site;
    addTerm(site, axes, coefficient, ([row, column], value) => {
      const held = builder.bind(value, 'value');
      this.#add(builder, this.square, add(row, mul(column, this.size)), held);
      this.#add(builder, this.square, add(column, mul(row, this.size)), held);
    });
  }

  addBorder(site: Site, unit: Unit, axes: readonly Axis[], coefficient: Expr): void {
    const border = this.#borders.get(unit) ?? this.#builder.newRef('real', 1, `${unit.parameter.name}_border`);
    this.#borders.set(unit, border);
    addTerm(site, axes, coefficient, ([row, column], value) =>
      this.#add(site.builder, border, add(row, mul(column, unit.parameter.size)), value),
    );
  }

  #add(builder: Builder, to: Ref, index: Expr, value: Expr): void {
    const at = builder.bind(index, 'at');
    builder.store(to, at, add(load(to, at), toReal(value)));
  }
}

/** Maximum number of elements: the work grows with the third power. */
const MAX_DENSE = 500;
const TOO_LARGE =
  'integrate: {0} elements of the parameters that are integrated out depend on one another, but at most 500 are supported. Set "integrate" to "none".';
