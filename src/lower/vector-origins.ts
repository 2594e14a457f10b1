/**
 * Conditional locations and scales of the elements of vectors with a covariance matrix Σ. With Σ = L L', element k of θ ~ N(μ, Σ) has,
 * given the elements before it,
 *
 *     location μ_k + Σ_{i<k} L_ki e_i  and scale  L_kk,    where e_i = (θ_i - location_i) / L_ii.
 *
 * With a precision matrix Σ⁻¹ = C C', element k has, given the elements after it,
 *
 *     location μ_k - Σ_{i>k} C_ik e_i / C_kk  and scale  1 / C_kk,    where e_i = θ_i - μ_i.
 *
 * The transform from coordinates is then triangular, and its determinant is the product of the elements' factors (`partial-centering.ts`).
 */
import { containerOf } from '../functions/broadcast.js';
import { count } from '../ir/builder.js';
import { add, compare, div, int, load, log, mul, neg, ONE, sub, toReal } from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import type { PlacedLeaf } from './leaves.js';
import { buildCall } from './library-calls.js';
import type { LocatedPart } from './location-scale.js';
import type { Lowering } from './lowering.js';
import { eachPart, ready } from './prior-parts.js';
import { givenElements, type Origin, type Stack } from './priors.js';
import { checkSize } from './sizes.js';

export interface OriginVisit {
  /** Checks a scale. */
  readonly checked: (scale: Expr) => Expr;
  /** The value of an element that was visited. */
  readonly read: (element: Expr) => Expr;
  readonly visit: (element: Expr, location: Expr, scale: Expr, logScale?: Expr) => void;
}

/** Visits the elements of a vector or of a container of vectors, each after those that its location depends on. */
export function visitVectors(
  lowering: Lowering,
  leaf: PlacedLeaf,
  part: LocatedPart,
  origin: Origin,
  { checked, read, visit }: OriginVisit,
): void {
  const { builder } = lowering;
  const isForward = origin.form !== 'precision';
  const prepare = {
    location: ([value]: readonly Value[], sizes: readonly Expr[]): ContainerValue => {
      const at = prepareLocation(lowering, leaf, lengthOf(sizes), value);
      if (at.sizes.length > 1) {
        const [own, found] = [sizes, at.sizes].map((each) => count(each.slice(0, -1)));
        checkSize(lowering, own, found, `Size of ${leaf.name}`, 'of its locations', isEmpty(leaf));
      }
      return at;
    },
    scale: (value: Value, sizes: readonly Expr[]): Scales =>
      prepareScales(lowering, leaf, origin, lengthOf(sizes), value, checked),
  };
  const residuals = builder.allocate('real', leaf.sizes, 'residuals');
  eachPart(lowering, leaf, part, origin, prepare, (slice, locations, { logs, matrix, own }) => {
    const length = lengthOf(slice.sizes);
    builder.each(count(slice.sizes.slice(0, -1)), (j) => {
      const start = builder.bind(mul(j, length), 'start');
      const indexOf = (k: Expr): Expr => slice.at(add(start, k));
      builder.each(length, (step) => {
        const k = isForward ? step : builder.bind(sub(sub(length, int(1)), step), 'k');
        const element = builder.bind(indexOf(k), 'element');
        const mean = builder.bind(toReal(locations.flat(locations.sizes.length > 1 ? add(start, k) : k)), 'mean');
        const scale = load(own, k);
        const sum = builder.sum(step, (before) => {
          if (isForward) return mul(toReal(matrix.at(k, before)), load(residuals, indexOf(before)));
          const after = builder.bind(add(add(k, int(1)), before), 'after');
          return mul(toReal(matrix.at(after, k)), load(residuals, indexOf(after)));
        });
        const conditional = builder.bind(isForward ? add(mean, sum) : sub(mean, mul(scale, sum)), 'location');
        visit(element, conditional, scale, load(logs, k));
        const value = read(element);
        builder.store(residuals, element, isForward ? div(sub(value, conditional), scale) : sub(value, mean));
      });
    });
  });
}

/** Visits the elements of a parameter each of which is an element of a vector with other parameters. */
export function visitStacked(
  lowering: Lowering,
  leaf: PlacedLeaf,
  part: LocatedPart,
  origin: Origin & { readonly stack: Stack },
  { checked, visit }: Pick<OriginVisit, 'checked' | 'visit'>,
): void {
  const { builder } = lowering;
  const { index } = origin.stack;
  const given = givenElements(origin);
  const length = int(origin.stack.elements.length);
  const prepare = {
    location: ([value]: readonly Value[]): ContainerValue => prepareLocation(lowering, leaf, length, value),
    scale: (value: Value): Scales => prepareScales(lowering, leaf, origin, length, value, checked),
  };
  eachPart(lowering, leaf, part, origin, prepare, ({ at }, locations, { logs, matrix, own }) => {
    const mean = (k: number): Expr => toReal(locations.flat(int(k)));
    const factor = (row: number, column: number): Expr => toReal(matrix.at(int(row), int(column)));
    const values = given.map((element) => builder.bind(toReal(lowering.scalar(element)), 'given'));
    const scale = builder.bind(load(own, int(index)), 'scale');
    let conditional = mean(index);
    if (origin.form === 'precision') {
      for (const [i, value] of values.entries()) {
        const k = index + 1 + i;
        conditional = sub(conditional, mul(scale, mul(factor(k, index), sub(value, mean(k)))));
      }
    } else {
      const residuals: Expr[] = [];
      const locationOf = (k: number): Expr =>
        residuals.reduce((sum, residual, i) => add(sum, mul(factor(k, i), residual)), mean(k));
      for (const [k, value] of values.entries()) {
        residuals.push(builder.bind(div(sub(value, locationOf(k)), load(own, int(k))), 'residual'));
      }
      conditional = locationOf(index);
    }
    visit(at(int(0)), builder.bind(conditional, 'location'), scale, load(logs, int(index)));
  });
}

/** Scales of the elements of a vector and their logarithms, and the factor that they belong to. */
interface Scales {
  readonly matrix: ContainerValue;
  readonly own: Ref;
  readonly logs: Ref;
}

function prepareLocation(lowering: Lowering, leaf: PlacedLeaf, length: Expr, value: Value): ContainerValue {
  const at = containerOf(ready(lowering, value));
  checkLength(lowering, leaf, length, lengthOf(at.sizes));
  return at;
}

function prepareScales(
  lowering: Lowering,
  leaf: PlacedLeaf,
  { form, scale }: Origin,
  length: Expr,
  value: Value,
  checked: (scale: Expr) => Expr,
): Scales {
  const { builder } = lowering;
  const isForward = form !== 'precision';
  const factor = form === 'factor' ? value : buildCall(lowering, 'cholesky_decompose', scale.span, [value], value.type);
  const matrix = containerOf(ready(lowering, factor));
  for (const size of matrix.sizes) checkLength(lowering, leaf, length, size);
  const [own, logs] = ['scales', 'log_scales'].map((name) => builder.allocate('real', [length], name));
  builder.each(length, (k) => {
    const diagonal = checked(builder.bind(toReal(matrix.at(k, k)), 'scale'));
    builder.store(own, k, isForward ? diagonal : div(ONE, diagonal));
    builder.store(logs, k, isForward ? log(diagonal) : neg(log(diagonal)));
  });
  return { matrix, own, logs };
}

function checkLength(lowering: Lowering, leaf: PlacedLeaf, length: Expr, found: Expr): void {
  checkSize(lowering, length, found, `Size of ${leaf.name}`, 'of its location or scale', isEmpty(leaf));
}

function isEmpty({ sizes }: PlacedLeaf): Expr {
  return compare('eq', count(sizes), int(0));
}

function lengthOf(sizes: readonly Expr[]): Expr {
  return sizes[sizes.length - 1];
}
