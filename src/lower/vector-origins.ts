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
import type { Typed, TypedExpression, Variable } from '../check/typed.js';
import { containerOf } from '../functions/broadcast.js';
import { count } from '../ir/builder.js';
import { add, compare, div, int, load, log, mul, neg, ONE, sub, toReal } from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { visitExpression } from '../syntax/walk.js';
import type { PlacedLeaf } from './leaves.js';
import { buildCall } from './library-calls.js';
import type { Located, ScaleForm } from './location-scale.js';
import type { Lowering } from './lowering.js';
import { checkSize } from './sizes.js';

interface LocatedVectors extends Located {
  readonly form: Exclude<ScaleForm, 'elementwise'>;
}

interface VectorVisit {
  /** Binds the loop's variable, if there is one, to the index of a vector. */
  readonly atIndex: (vector: Expr) => void;
  /** Checks a scale. */
  readonly checked: (scale: Expr) => Expr;
  /** The value of an element that was visited. */
  readonly read: (element: Expr) => Expr;
  readonly visit: (element: Expr, location: Expr, scale: Expr, logScale: Expr) => void;
}

/** Visits the elements of a vector or of an array of vectors, each after those that its location depends on. */
export function visitVectors(
  lowering: Lowering,
  leaf: PlacedLeaf,
  { form, index, location, scale }: LocatedVectors,
  { atIndex, checked, read, visit }: VectorVisit,
): void {
  const { builder } = lowering;
  const { sizes } = leaf;
  const length = sizes[sizes.length - 1];
  const vectors = count(sizes.slice(0, -1));
  const isEmpty = compare('eq', count(sizes), int(0));
  const check = (found: Expr): void =>
    checkSize(lowering, length, found, `Size of ${leaf.name}`, 'of its location or scale', isEmpty);

  const locations = (): ContainerValue => {
    const value = containerOf(ready(lowering, lowering.expression(location)));
    check(value.sizes[value.sizes.length - 1]);
    if (value.sizes.length > 1) {
      checkSize(lowering, vectors, value.sizes[0], `Size of ${leaf.name}`, 'of its locations');
    }
    return value;
  };
  const scales = (): Scales => {
    const value = lowering.expression(scale);
    const isFactor = form === 'factor';
    const { type } = value;
    const factor = ready(
      lowering,
      isFactor ? value : buildCall(lowering, 'cholesky_decompose', scale.span, [value], type),
    );
    const matrix = containerOf(factor);
    for (const size of matrix.sizes) check(size);
    const [own, logs] = ['scales', 'log_scales'].map((name) => builder.allocate('real', [length], name));
    builder.each(length, (k) => {
      const diagonal = checked(builder.bind(toReal(matrix.at(k, k)), 'scale'));
      builder.store(own, k, form === 'precision' ? div(ONE, diagonal) : diagonal);
      builder.store(logs, k, form === 'precision' ? neg(log(diagonal)) : log(diagonal));
    });
    return { matrix, own, logs };
  };
  const fixedLocations = reads(location, index) ? null : locations();
  const fixedScales = reads(scale, index) ? null : scales();

  const residuals = builder.allocate('real', sizes, 'residuals');
  builder.each(vectors, (j) => {
    atIndex(j);
    const at = fixedLocations ?? locations();
    const { matrix, own, logs } = fixedScales ?? scales();
    const start = builder.bind(mul(j, length), 'start');
    const residual = (i: Expr): Expr => load(residuals, add(start, i));
    const locationAt = (k: Expr): Expr => toReal(at.flat(at.sizes.length > 1 ? add(start, k) : k));
    builder.each(length, (step) => {
      const isForward = form !== 'precision';
      const k = isForward ? step : builder.bind(sub(sub(length, int(1)), step), 'k');
      const element = builder.bind(add(start, k), 'element');
      const mean = builder.bind(locationAt(k), 'mean');
      const scale = load(own, k);
      const sum = builder.sum(step, (before) => {
        if (isForward) return mul(toReal(matrix.at(k, before)), residual(before));
        const after = builder.bind(add(add(k, int(1)), before), 'after');
        return mul(toReal(matrix.at(after, k)), residual(after));
      });
      const conditional = builder.bind(isForward ? add(mean, sum) : sub(mean, mul(scale, sum)), 'location');
      visit(element, conditional, scale, load(logs, k));
      const value = read(element);
      builder.store(residuals, element, isForward ? div(sub(value, conditional), scale) : sub(value, mean));
    });
  });
}

/** Scales of the elements of a vector and their logarithms, and the factor that they belong to. */
interface Scales {
  readonly matrix: ContainerValue;
  readonly own: Ref;
  readonly logs: Ref;
}

function reads(expression: TypedExpression, index: Variable | null): boolean {
  let found = false;
  visitExpression<Typed>(expression, {
    statement: () => undefined,
    expression: (node) => {
      if (node.kind === 'variable' && node.symbol === index) found = true;
    },
  });
  return found;
}

/** The value in memory or in a local: it is read more than once. */
export function ready(lowering: Lowering, value: Value): Value {
  if (value.kind === 'scalar') return { ...value, value: lowering.hold(value.value, 'origin') };
  return value.kind === 'container' ? lowering.builder.materialize(value, 'origins') : value;
}
