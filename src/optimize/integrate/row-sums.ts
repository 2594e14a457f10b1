import type { Builder } from '../../ir/builder.js';
import { add, int, load, mul, ONE } from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import { type Axis, type Face, type Product, scaleOf } from './products.js';

/** The point of a log density where a term is added. */
export interface Site {
  readonly builder: Builder;
  /** The product whose rows are terms' elements of this name; undefined for the values of a parameter. */
  productOf(of: Ref): Product | undefined;
  /** The face whose elements have this name; undefined for the values of a parameter. */
  faceOf(of: Ref): Face | undefined;
  /**
   * The coefficient, summed over the iterations of the loop around the term, as a sum of products of a factor and a sum over the iterations that
   * reads only what does not change. Null if the term is not in a loop, or if it has another form.
   */
  rowsOf(coefficient: Expr, indexes: readonly Expr[]): Rows | null;
}

export interface Rows {
  readonly pieces: readonly { readonly factor: Expr; readonly data: Expr }[];
  /** Writes statements after the loop. */
  after(write: () => void): void;
  /** Writes a loop with the same iterations. `at` returns an expression of an iteration. */
  each(body: (at: (e: Expr) => Expr) => void): void;
}

/**
 * Adds a term to the coefficients of all elements of the axes: of all pairs of elements, for two axes. Where possible, the terms of all
 * iterations of a loop are added at once: statistics of the rows, which depend on data alone in most programs, times a factor.
 */
export function addTerm(
  { builder, rowsOf }: Site,
  axes: readonly Axis[],
  coefficient: Expr,
  addTo: (places: readonly Expr[], value: Expr) => void,
): void {
  const scaled = (value: Expr, ks: readonly Expr[]): Expr =>
    axes.reduce((product, axis, k) => mul(product, scaleOf(axis, ks[k])), value);
  const places = (ks: readonly Expr[]): readonly Expr[] => axes.map(({ place }, k) => place(ks[k]));
  const rows = rowsOf(
    coefficient,
    axes.map(({ at }) => at),
  );
  if (rows === null) {
    const held = builder.bind(coefficient, 'coefficient');
    eachElement(
      builder,
      axes,
      (at) => at,
      (ks, weight) => addTo(places(ks), scaled(mul(held, weight), ks)),
    );
    return;
  }
  rows.after(() => {
    const sizes = axes.map(({ size }) => builder.bind(size, 'size'));
    for (const { data, factor } of rows.pieces) {
      const statistic = builder.allocate('real', [sizes.reduce(mul, int(1))], 'statistic', 'zero');
      const positionOf = (ks: readonly Expr[]): Expr =>
        ks.reduceRight((position, k, axis) => add(k, mul(sizes[axis], position)), int(0));
      rows.each((at) =>
        eachElement(builder, axes, at, (ks, weight) => {
          const position = builder.bind(positionOf(ks), 'position');
          builder.store(statistic, position, add(load(statistic, position), mul(at(data), weight)));
        }),
      );
      const held = builder.bind(factor, 'factor');
      each(builder, sizes, (ks) => addTo(places(ks), scaled(mul(held, load(statistic, positionOf(ks))), ks)));
    }
  });
}

/** Writes loops over the elements of one iteration, for which `at` returns an expression. */
function eachElement(
  builder: Builder,
  axes: readonly Axis[],
  at: (e: Expr) => Expr,
  body: (ks: readonly Expr[], weight: Expr) => void,
): void {
  const visit = (ks: readonly Expr[], weight: Expr): void => {
    if (ks.length === axes.length) {
      body(ks, weight);
      return;
    }
    const { at: index, product } = axes[ks.length];
    const row = builder.bind(at(index), 'row');
    if (product === null) visit([...ks, row], weight);
    else {
      builder.each(product.columns, (k) =>
        visit([...ks, k], builder.bind(mul(weight, product.weight(row, k)), 'weight')),
      );
    }
  };
  visit([], ONE);
}

function each(
  builder: Builder,
  sizes: readonly Expr[],
  body: (ks: readonly Expr[]) => void,
  ks: readonly Expr[] = [],
): void {
  if (ks.length === sizes.length) body(ks);
  else builder.each(sizes[ks.length], (k) => each(builder, sizes, body, [...ks, k]));
}
