/**
 * Partially centered coordinates, between centered and non-centered ones (M. I. Gorinova, D. Moore and M. D. Hoffman, ICML 2020): a
 * parameter θ with location μ and scale τ has the coordinate z with
 *
 *     θ = μ + r (z - λ μ),    r = (τ / τ₀)^(1 - λ),    log |dθ / dz| = log r,
 *
 * where λ in [0, 1] is the element's place: centered, z = θ, at 1 and non-centered, θ = μ + (τ / τ₀) z, at 0. The paper's form has τ₀ = 1, so that
 * it depends on the unit of θ: between 0 and 1, θ changes with μ by 1 - λ r, which is moderate only if r is. The posterior does not depend on λ and τ₀.
 *
 * A positive parameter has such a coordinate for its logarithm.
 *
 * The elements of a vector with a covariance matrix have conditional locations and scales, given the elements before (`vector-origins.ts`).
 */
import type { Variable } from '../check/typed.js';
import { containerOf } from '../functions/broadcast.js';
import { count } from '../ir/builder.js';
import { add, and, compare, div, exp, int, load, log, mul, ONE, real, sub, toReal, ZERO } from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { AutodiffLevel } from '../language/types.js';
import { evaluateConstraint } from './constrained.js';
import type { PlacedLeaf } from './leaves.js';
import type { Located, LocatedPart } from './location-scale.js';
import type { Lowering } from './lowering.js';
import { eachPart, eachSlice, reads, ready } from './prior-parts.js';
import type { Origin } from './priors.js';
import { checkSize } from './sizes.js';
import { scalarValue, storedContainer } from './values.js';
import { type OriginVisit, visitStacked, visitVectors } from './vector-origins.js';

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
interface ElementOrigin {
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
  const element = (i: Expr, { location, scale, place, factor, logFactor }: ElementOrigin): Expr => {
    jacobian?.(logFactor);
    if (lowering.scope.phase === 'generate') {
      const at = mul(int(3), add(centered.first, i));
      builder.store(centered.origins, at, location);
      builder.store(centered.origins, add(at, int(1)), scale);
      builder.store(centered.origins, add(at, int(2)), declaredAt(i));
    }
    const value = add(mul(factor, load(position, add(offset, i))), mul(location, sub(ONE, mul(place, factor))));
    if (!centered.located.isPositive) return value;
    const logarithm = builder.bind(value, 'logarithm');
    jacobian?.(logarithm);
    return exp(logarithm);
  };
  const declaredAt = lowering.scope.phase === 'generate' ? declaredDerivative(lowering, leaf) : () => ZERO;
  if (sizes.length === 0) {
    let value: Expr = ZERO;
    visitOrigins(
      lowering,
      leaf,
      centered,
      () => ZERO,
      (i, origin) => {
        value = lowering.hold(element(i, origin), name);
      },
    );
    return scalarValue(type, level, value);
  }
  const out = builder.allocate('real', sizes, name);
  const value = storedContainer(type, level, out, sizes);
  // Locations and scales may read earlier elements.
  lowering.bind(centered.located.variable, { value, storage: null });
  const read = (i: Expr): Expr => load(out, i);
  visitOrigins(lowering, leaf, centered, read, (i, origin) => builder.store(out, i, element(i, origin)));
  return value;
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
  const { offset } = leaf;
  const read = (i: Expr): Expr => toReal(value.kind === 'scalar' ? value.value : containerOf(value).flat(i));
  visitOrigins(lowering, leaf, centered, read, (i, { factor, location, place }) => {
    const own = centered.located.isPositive ? log(read(i)) : read(i);
    builder.store(position, add(offset, i), add(div(sub(own, location), factor), mul(place, location)));
  });
}

/**
 * Evaluates location and scale, once or for each element or part. Visits the elements in an order in which each follows those on which its
 * location depends; their values are then read with `read`.
 */
function visitOrigins(
  lowering: Lowering,
  leaf: PlacedLeaf,
  { first, located, places }: Centered,
  read: (i: Expr) => Expr,
  visit: (i: Expr, origin: ElementOrigin) => void,
): void {
  const { builder } = lowering;
  const checked = (x: Expr): Expr => {
    const isScale = and(compare('gt', x, ZERO), compare('lt', x, real(Number.POSITIVE_INFINITY)));
    builder.check(isScale, `The scale of ${leaf.name} is {0}, but must be positive finite!`, [x]);
    return x;
  };
  const visitAt = (i: Expr, at: Expr, of: Expr, logScale = log(of)): void => {
    const found = mul(int(2), add(first, i));
    const place = builder.bind(load(places, found), 'place');
    const reference = load(places, add(found, int(1)));
    const logFactor = builder.bind(mul(sub(ONE, place), sub(logScale, reference)), 'log_factor');
    visit(i, { location: at, scale: of, place, logFactor, factor: builder.bind(exp(logFactor), 'factor') });
  };
  for (const part of located.parts) {
    const { origin } = part;
    if (origin === null) {
      eachSlice(lowering, leaf, part, ({ at }) => visitAt(at(int(0)), ZERO, ONE, ZERO));
    } else if (origin.form === 'elementwise') {
      visitElements(lowering, leaf, { ...part, origin }, located.variable, { checked, visit: visitAt });
    } else if (origin.stack !== null) {
      visitStacked(lowering, leaf, part, { ...origin, stack: origin.stack }, { checked, visit: visitAt });
    } else visitVectors(lowering, leaf, part, origin, { checked, read, visit: visitAt });
  }
}

/** Visits the elements of a part, each with its own location and scale. */
function visitElements(
  lowering: Lowering,
  leaf: PlacedLeaf,
  part: LocatedPart & { readonly origin: Origin },
  variable: Variable,
  { checked, visit }: Pick<OriginVisit, 'checked' | 'visit'>,
): void {
  const { builder } = lowering;
  const { location: terms, ofLog } = part.origin;
  const own = new Set([variable]);
  const isSlice = part.slices.length > 0;
  const prepare = {
    // Terms that read earlier elements of the same slice are evaluated element by element.
    location: (values: readonly Value[]): readonly Value[] =>
      values.map((value, k) => (isSlice && reads(terms[k].value, own) ? value : ready(lowering, value))),
    scale: (value: Value): Value => {
      const found = ready(lowering, value);
      if (found.kind === 'scalar') checked(toReal(found.value));
      return found;
    },
  };
  eachPart(lowering, leaf, part, part.origin, prepare, ({ at, sizes }, location, scale) => {
    const elements = (value: Value): ((i: Expr) => Expr) => {
      if (value.kind === 'scalar') return () => toReal(value.value);
      const container = containerOf(value);
      checkSize(lowering, count(sizes), count(container.sizes), `Size of ${leaf.name}`, 'of its location or scale');
      return (i) => builder.bind(toReal(container.flat(i)), 'origin');
    };
    const locationsAt = location.map(elements);
    const locationAt = (i: Expr): Expr =>
      locationsAt
        .map((termAt) => termAt(i))
        .reduce((sum, term, k) => (terms[k].isSubtracted ? sub(sum, term) : add(sum, term)));
    const scaleAt = elements(scale);
    const visitElement = (i: Expr): void => {
      const given = { location: locationAt(i), scale: scaleAt(i) };
      if (scale.kind !== 'scalar') checked(given.scale);
      const origin = ofLog === null ? given : ofLog(given.location, given.scale);
      visit(at(i), builder.bind(origin.location, 'location'), builder.bind(origin.scale, 'scale'));
    };
    if (sizes.length === 0) visitElement(int(0));
    else builder.each(count(sizes), visitElement);
  });
}

/** The log derivative of the coordinate from an element's declaration: the logarithm of its multiplier. */
function declaredDerivative(lowering: Lowering, { constraint }: PlacedLeaf): (i: Expr) => Expr {
  const evaluated = evaluateConstraint(lowering, constraint);
  const multiplier = evaluated.kind === 'elementwise' ? evaluated.second : null;
  if (multiplier === null) return () => ZERO;
  if (multiplier.kind === 'scalar') return () => log(toReal(multiplier.value));
  return (i) => log(toReal(containerOf(multiplier).flat(i)));
}
