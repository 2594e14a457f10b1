/**
 * Partially centered coordinates, between centered and non-centered ones (M. I. Gorinova, D. Moore and M. D. Hoffman, ICML 2020): a
 * parameter θ with location μ and scale τ has the coordinate z with
 *
 *     θ = μ + r (z - λ μ),    r = (τ / τ₀)^(1 - λ),    log |dθ / dz| = log r,
 *
 * where λ in [0, 1] is the element's place: centered, z = θ, at 1 and non-centered, θ = μ + (τ / τ₀) z, at 0. The paper's form has τ₀ = 1, so that
 * it depends on the unit of θ: between 0 and 1, θ changes with μ by 1 - λ r, which is moderate only if r is. The posterior does not depend on λ and τ₀.
 */
import { containerOf } from '../functions/broadcast.js';
import { count } from '../ir/builder.js';
import { add, and, compare, div, exp, int, load, log, mul, ONE, real, sub, toReal, ZERO } from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { AutodiffLevel } from '../language/types.js';
import { evaluateConstraint } from './constrained.js';
import type { PlacedLeaf } from './leaves.js';
import type { Located } from './location-scale.js';
import type { Lowering } from './lowering.js';
import { checkSize } from './sizes.js';
import { scalarValue, storedContainer } from './values.js';

/** Where the host stores the places of elements, and where it reads their locations and scales. */
export interface Places {
  /** For each element of these parameters, its place λ and log τ₀. */
  readonly places: Ref;
  /** For each element, its location, its scale, and the log derivative of the coordinate from its declaration. */
  readonly origins: Ref;
}

/** A parameter and the index of its first place. */
export interface Centered extends Places {
  readonly located: Located;
  readonly first: Expr;
}

/** Location, scale, place, r and log r of an element. */
interface Origin {
  readonly location: Expr;
  readonly scale: Expr;
  readonly place: Expr;
  readonly factor: Expr;
  readonly logFactor: Expr;
}

/** Reads a parameter from the unconstrained position; writes locations and scales to where the host reads them. */
export function readCentered(
  lowering: Lowering,
  leaf: PlacedLeaf,
  centered: Centered,
  level: AutodiffLevel,
  position: Ref,
): Value {
  const { builder, jacobian } = lowering;
  const { name, sizes, type, offset } = leaf;
  const element = (i: Expr, { location, scale, place, factor, logFactor }: Origin): Expr => {
    jacobian?.(logFactor);
    if (lowering.scope.phase === 'generate') {
      const at = mul(int(3), add(centered.first, i));
      builder.store(centered.origins, at, location);
      builder.store(centered.origins, add(at, int(1)), scale);
      builder.store(centered.origins, add(at, int(2)), declaredAt(i));
    }
    return add(mul(factor, load(position, add(offset, i))), mul(location, sub(ONE, mul(place, factor))));
  };
  const originAt = origins(lowering, leaf, centered);
  const declaredAt = lowering.scope.phase === 'generate' ? declaredDerivative(lowering, leaf) : () => ZERO;
  if (sizes.length === 0) {
    const value = element(int(0), originAt(int(0)));
    return scalarValue(type, level, lowering.hold(value, name));
  }
  const out = builder.allocate('real', sizes, name);
  builder.each(count(sizes), (i) => builder.store(out, i, element(i, originAt(i))));
  return storedContainer(type, level, out, sizes);
}

/** Writes the coordinates of a parameter to the unconstrained position: the inverse of `readCentered`. */
export function writeCentered(
  lowering: Lowering,
  leaf: PlacedLeaf,
  centered: Centered,
  value: Value,
  position: Ref,
): void {
  const { builder } = lowering;
  const { offset, sizes } = leaf;
  const write = (i: Expr, x: Expr): void => {
    const { factor, location, place } = originAt(i);
    builder.store(position, add(offset, i), add(div(sub(x, location), factor), mul(place, location)));
  };
  const originAt = origins(lowering, leaf, centered);
  if (value.kind === 'scalar') write(int(0), toReal(value.value));
  else builder.each(count(sizes), (i) => write(i, toReal(containerOf(value).flat(i))));
}

/** Evaluates location and scale, once or for each element. */
function origins(lowering: Lowering, leaf: PlacedLeaf, { first, located, places }: Centered): (i: Expr) => Origin {
  const { builder } = lowering;
  const { definitions, index, location, scale } = located;
  for (const { identifier, value } of definitions) {
    lowering.bind(lowering.declared(identifier), { value: ready(lowering, lowering.expression(value)), storage: null });
  }
  const checked = (x: Expr): Expr => {
    const isScale = and(compare('gt', x, ZERO), compare('lt', x, real(Number.POSITIVE_INFINITY)));
    builder.check(isScale, `The scale of ${leaf.name} is {0}, but must be positive finite!`, [x]);
    return x;
  };
  const originOf = (i: Expr, at: Expr, of: Expr): Origin => {
    const found = mul(int(2), add(first, i));
    const place = builder.bind(load(places, found), 'place');
    const reference = load(places, add(found, int(1)));
    const logFactor = builder.bind(mul(sub(ONE, place), sub(log(of), reference)), 'log_factor');
    return { location: at, scale: of, place, logFactor, factor: builder.bind(exp(logFactor), 'factor') };
  };
  if (index !== null) {
    return (i) => {
      const value = scalarValue({ kind: 'int' }, 'data', builder.bind(add(i, int(1)), index.name));
      lowering.bind(index, { value, storage: null });
      const at = builder.bind(toReal(lowering.scalar(location)), 'location');
      return originOf(i, at, checked(builder.bind(toReal(lowering.scalar(scale)), 'scale')));
    };
  }
  const elements = (value: Value, prepare: (x: Expr) => Expr): ((i: Expr) => Expr) => {
    if (value.kind === 'scalar') {
      const once = prepare(toReal(value.value));
      return () => once;
    }
    const container = containerOf(value);
    const size = count(leaf.sizes);
    checkSize(lowering, size, count(container.sizes), `Size of ${leaf.name}`, 'of its location or scale');
    return (i) => prepare(builder.bind(toReal(container.flat(i)), 'origin'));
  };
  const locationAt = elements(ready(lowering, lowering.expression(location)), (x) => x);
  const scaleAt = elements(ready(lowering, lowering.expression(scale)), checked);
  return (i) => originOf(i, locationAt(i), scaleAt(i));
}

/** The log derivative of the coordinate from an element's declaration: the logarithm of its multiplier. */
function declaredDerivative(lowering: Lowering, { constraint }: PlacedLeaf): (i: Expr) => Expr {
  const evaluated = evaluateConstraint(lowering, constraint);
  const multiplier = evaluated.kind === 'elementwise' ? evaluated.second : null;
  if (multiplier === null) return () => ZERO;
  if (multiplier.kind === 'scalar') return () => log(toReal(multiplier.value));
  return (i) => log(toReal(containerOf(multiplier).flat(i)));
}

/** The value in memory or in a local: it is read more than once. */
function ready(lowering: Lowering, value: Value): Value {
  if (value.kind === 'scalar') return { ...value, value: lowering.hold(value.value, 'origin') };
  return value.kind === 'container' ? lowering.builder.materialize(value, 'origins') : value;
}
