import type { Builder } from '../../ir/builder.js';
import { add, load, mul } from '../../ir/expressions.js';
import type { BlockSizes, Expr, IntegratedParameter, Ref } from '../../ir/nodes.js';
import type { DenseSums } from './dense-sums.js';
import type { Element } from './polynomial.js';
import type { Axis, Face } from './products.js';
import { addTerm, type Site } from './row-sums.js';

/** Coefficients of a parameter's elements, block by block. Matrices are column-major, one after another. */
export interface BlockCoefficients {
  readonly linear: Ref;
  /** The precision of each block. */
  readonly square: Ref;
  /** The coefficients of all elements (rows) and the dense ones (columns); null if they are independent. */
  readonly border: Ref | null;
}

/** The parameter itself, or a face, which has blocks of another height. */
type Space = Face | null;

/**
 * The coefficients of a parameter whose elements depend on those of the same block, and on dense ones. Terms in a face are summed in the face,
 * because these sums often depend on data alone.
 */
export class BlockSums {
  readonly sizes: BlockSizes;
  readonly #builder: Builder;
  readonly #parameter: IntegratedParameter;
  readonly #dense: DenseSums | null;
  readonly #linear = new Map<Space, Ref>();
  readonly #border = new Map<Space, Ref>();
  readonly #square = new Map<Space, Map<Space, Ref>>();

  constructor(builder: Builder, parameter: IntegratedParameter, sizes: BlockSizes, dense: DenseSums | null) {
    this.#builder = builder;
    this.#parameter = parameter;
    this.#dense = dense;
    this.sizes = sizes;
  }

  /** Sets all sums to 0. */
  start(): void {
    for (const [face, ref] of this.#linear) this.#clear(ref, [face]);
    for (const [some, others] of this.#square) {
      for (const [other, ref] of others) this.#clear(ref, [some, other]);
    }
    for (const [face, ref] of this.#border) {
      if (this.#dense !== null) this.#builder.allocateRef(ref, [mul(this.#sizeOf(face), this.#dense.size)], 'zero');
    }
  }

  addLinear(site: Site, element: Element, coefficient: Expr): void {
    const face = faceOf(site, element);
    const sums = this.#refOf(this.#linear, face);
    addTerm(site, [this.#blockAxis(element), this.#withinAxis(site, element)], coefficient, ([block, k], value) =>
      this.#add(site, sums, add(k, mul(this.#height(face), block)), value),
    );
  }

  /** Adds the coefficient of two elements of the same block. The sum of the precision and its transpose counts. */
  addSquare(site: Site, [first, second]: readonly [Element, Element], coefficient: Expr): void {
    const [some, other] = [first, second].map((each) => faceOf(site, each));
    const isSwapped = this.#square.get(some)?.has(other) !== true && this.#square.get(other)?.has(some) === true;
    const [a, b] = isSwapped ? [second, first] : [first, second];
    const [left, right] = isSwapped ? [other, some] : [some, other];
    const known = this.#square.get(left) ?? new Map<Space, Ref>();
    this.#square.set(left, known);
    const sums = this.#refOf(known, right);
    const [height, width] = [this.#height(left), this.#height(right)];
    const axes = [this.#blockAxis(a), this.#withinAxis(site, a), this.#withinAxis(site, b)];
    addTerm(site, axes, coefficient, ([block, k, l], value) =>
      this.#add(site, sums, add(k, mul(height, add(l, mul(width, block)))), value),
    );
  }

  addBorder(site: Site, element: Element, dense: Axis, coefficient: Expr): void {
    const face = faceOf(site, element);
    const sums = this.#refOf(this.#border, face);
    const axes = [this.#blockAxis(element), this.#withinAxis(site, element), dense];
    addTerm(site, axes, coefficient, ([block, k, column], value) =>
      this.#add(site, sums, add(add(k, mul(this.#height(face), block)), mul(column, this.#sizeOf(face))), value),
    );
  }

  /** Writes the coefficients of the parameter's elements, after all terms have been added. */
  coefficients(builder: Builder): BlockCoefficients {
    const { count, width } = this.sizes;
    const size = mul(count, width);
    const linear = builder.allocate('real', [size], 'linear', 'zero');
    for (const [face, sums] of this.#linear) {
      builder.each(count, (j) =>
        builder.each(width, (c) => {
          const value = this.#pulled(builder, face, c, (k) => load(sums, add(k, mul(this.#height(face), j))));
          addTo(builder, linear, add(c, mul(width, j)), value);
        }),
      );
    }
    const square = builder.allocate('real', [mul(size, width)], 'square', 'zero');
    for (const [some, others] of this.#square) {
      for (const [other, sums] of others) this.#addSquares(builder, square, [some, other], sums);
    }
    return { linear, square, border: this.#wholeBorder(builder, size) };
  }

  #addSquares(builder: Builder, square: Ref, [some, other]: readonly [Space, Space], sums: Ref): void {
    const { count, width } = this.sizes;
    const [rows, columns] = [this.#height(some), this.#height(other)];
    const half = builder.allocate('real', [mul(count, mul(rows, width))], 'half');
    builder.each(count, (j) => {
      builder.each(width, (c) =>
        builder.each(rows, (k) => {
          const value = this.#pulled(builder, other, c, (l) => load(sums, add(k, mul(rows, add(l, mul(columns, j))))));
          builder.store(half, add(k, mul(rows, add(c, mul(width, j)))), value);
        }),
      );
      builder.each(width, (c) =>
        builder.each(width, (r) => {
          const value = builder.bind(
            this.#pulled(builder, some, r, (k) => load(half, add(k, mul(rows, add(c, mul(width, j)))))),
            'value',
          );
          addTo(builder, square, add(r, mul(width, add(c, mul(width, j)))), value);
          addTo(builder, square, add(c, mul(width, add(r, mul(width, j)))), value);
        }),
      );
    });
  }

  #wholeBorder(builder: Builder, size: Expr): Ref | null {
    const dense = this.#dense;
    if (dense === null || this.#border.size === 0) return null;
    const { count, width } = this.sizes;
    const border = builder.allocate('real', [mul(size, dense.size)], 'border', 'zero');
    for (const [face, sums] of this.#border) {
      builder.each(dense.size, (column) =>
        builder.each(count, (j) =>
          builder.each(width, (c) => {
            const value = this.#pulled(builder, face, c, (k) =>
              load(sums, add(add(k, mul(this.#height(face), j)), mul(column, this.#sizeOf(face)))),
            );
            addTo(builder, border, add(add(c, mul(width, j)), mul(column, size)), value);
          }),
        ),
      );
    }
    return border;
  }

  /** The coefficient of element `c` of a block, given those of a face's elements. */
  #pulled(builder: Builder, face: Space, c: Expr, sumOf: (k: Expr) => Expr): Expr {
    if (face === null) return sumOf(c);
    return builder.sum(face.height, (k) => mul(load(face.matrix, add(k, mul(face.height, c))), sumOf(k)));
  }

  #height(face: Space): Expr {
    return face === null ? this.sizes.width : face.height;
  }

  #sizeOf(face: Space): Expr {
    return mul(this.sizes.count, this.#height(face));
  }

  #blockAxis({ index }: Element): Axis {
    return { at: index, size: this.sizes.count, product: null, place: (k) => k };
  }

  #withinAxis(site: Site, { of, within }: Element): Axis {
    if (within === undefined) throw new Error('integrate: an element of a block has a position in it');
    const product = site.productOf(of);
    if (product !== undefined) {
      return { at: within, size: product.columns, product, place: (k) => product.index(k) };
    }
    return { at: within, size: this.#height(site.faceOf(of) ?? null), product: null, place: (k) => k };
  }

  #refOf(refs: Map<Space, Ref>, face: Space): Ref {
    const made = refs.get(face) ?? this.#builder.newRef('real', 1, `${this.#parameter.name}_sums`);
    refs.set(face, made);
    return made;
  }

  #clear(ref: Ref, faces: readonly Space[]): void {
    const size = faces.reduce<Expr>((product, face) => mul(product, this.#height(face)), this.sizes.count);
    this.#builder.allocateRef(ref, [size], 'zero');
  }

  #add({ builder }: Site, to: Ref, index: Expr, value: Expr): void {
    addTo(builder, to, index, value);
  }
}

function faceOf(site: Site, { of }: Element): Space {
  return site.faceOf(site.productOf(of)?.of ?? of) ?? null;
}

function addTo(builder: Builder, to: Ref, index: Expr, value: Expr): void {
  const at = builder.bind(index, 'at');
  builder.store(to, at, add(load(to, at), value));
}
