import { type Interval, linearOf } from '../../dataflow/linear.js';
import { Builder, type Names } from '../../ir/builder.js';
import { add, get, isValue, load, mul, neg, real, ZERO } from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Block, BlockSizes, Expr, IntegratedParameter, Local, Ref } from '../../ir/nodes.js';
import { BlockSums } from './block-sums.js';
import { DenseSums } from './dense-sums.js';
import { NotQuadratic } from './not-quadratic.js';
import type { Element } from './polynomial.js';
import type { Axis } from './products.js';
import type { TermSink } from './quadratic-terms.js';
import { addTerm, type Site } from './row-sums.js';
import type { Group, Unit } from './units.js';

/** A sum of coefficients: a container with one for each index, or a local. */
type Sum = Ref | Local;

/**
 * The coefficients b and A of a log density b'θ - θ'Aθ / 2, where θ consists of long, short and dense parameters. An element of a long one can
 * depend on elements of other long ones with the same index, and on short and dense ones: A is block-diagonal with a border. The elements of a long
 * parameter that depends on no other long one can depend on those at most `MAX_WIDTH` before them, as in random walks: its block is a band.
 */
export class Precision {
  /** The elements of short parameters, if there are no dense ones. */
  readonly border: readonly Unit[];
  /** The coefficients of dense and short parameters; null if there are no dense ones. */
  readonly dense: DenseSums | null;
  /** The coefficients of parameters of blocks. */
  readonly blocks: ReadonlyMap<Unit, BlockSums>;
  readonly #builder: Builder;
  readonly #units: readonly Unit[];
  readonly #linear = new Map<Unit, Sum>();
  readonly #square = new Map<string, Sum>();
  /** For each difference of indexes, the sums of the pairs of elements, by the lower index. */
  readonly #bands = new Map<Unit, Map<number, Ref>>();
  readonly #groups: Set<Unit>[];
  readonly #squared = new Set<Unit>();

  constructor(names: Names, parameters: readonly IntegratedParameter[]) {
    this.#builder = new Builder(names);
    this.#units = parameters.flatMap(unitsOf);
    const others = this.#units.filter((each) => !isLong(each) && blocksOf(each) === null);
    const isDense = others.length > 0 && parameters.some(({ form }) => form === 'dense' || form === 'blocks');
    this.border = isDense ? [] : others;
    this.dense = isDense ? new DenseSums(this.#builder, others) : null;
    this.blocks = new Map(
      this.#units.flatMap((each) => {
        const sizes = blocksOf(each);
        return sizes === null ? [] : [[each, new BlockSums(this.#builder, each.parameter, sizes, this.dense)]];
      }),
    );
    this.#groups = this.#units.filter(isLong).map((each) => new Set([each]));
    for (const each of this.#units) {
      if (isLong(each) || (!isDense && blocksOf(each) === null))
        this.#linear.set(each, this.#newSum(each, each.parameter.name));
    }
  }

  /** Adds terms of the log density. Refuses those that do not have this form. */
  get sink(): TermSink {
    return {
      linear: (site, element, coefficient) => {
        const unit = this.#unitOf(site, element);
        const blocks = this.blocks.get(unit);
        if (blocks !== undefined) blocks.addLinear(site, element, coefficient);
        else if (this.dense !== null && !isLong(unit))
          this.dense.addLinear(site, this.dense.axisOf(site, unit, element), coefficient);
        else this.#addTo(site, this.#sumOf(this.#linear, unit), axisOf(unit, element.index), coefficient);
      },
      square: (site, elements, coefficient, areSame) => {
        const [first, second] = elements;
        const [some, other] = elements.map((each) => this.#unitOf(site, each));
        const isOwn = some === other;
        if (isOwn) this.#squared.add(some);
        if (this.blocks.has(some) || this.blocks.has(other)) {
          this.#addBlocks(site, [some, other], elements, coefficient);
          return;
        }
        const { dense } = this;
        if (dense !== null && !(isLong(some) && isLong(other))) {
          const long = isLong(some) ? first : isLong(other) ? second : null;
          if (long === null) {
            const axes = [dense.axisOf(site, some, first), dense.axisOf(site, other, second)];
            dense.addSquare(site, axes, neg(coefficient));
          } else {
            const [unit, rest, element] = long === first ? [some, other, second] : [other, some, first];
            const axes = [axisOf(unit, long.index), dense.axisOf(site, rest, element)];
            dense.addBorder(site, unit, axes, neg(coefficient));
          }
          return;
        }
        const areLong = isLong(some) && isLong(other);
        const distance = distanceOf(first.index, second.index);
        const isEqual = (isOwn && areSame) || distance === 0;
        if (areLong && isOwn && !isEqual && distance !== undefined && Math.abs(distance) <= MAX_WIDTH) {
          const { index } = distance > 0 ? first : second;
          this.#addTo(site, this.#bandOf(some, Math.abs(distance)), axisOf(some, index), neg(coefficient));
          return;
        }
        if (areLong && !isEqual) {
          const whose = isOwn ? 'one another' : `those of ${this.#earlier(some, other)}`;
          throw new NotQuadratic(`its elements depend on ${whose}, given the other parameters`);
        }
        if (areLong && !isOwn) this.#join(some, other);
        const { index } = isLong(some) ? first : second;
        const unit = isLong(some) ? some : other;
        this.#addTo(site, this.#squareOf(some, other), axisOf(unit, index), mul(real(isOwn ? -2 : -1), coefficient));
      },
    };
  }

  /** Adds a term of an element of a block. */
  #addBlocks(
    site: Site,
    [some, other]: readonly [Unit, Unit],
    elements: readonly [Element, Element],
    coefficient: Expr,
  ): void {
    const [first, second] = elements;
    const [sums, rest] = this.blocks.has(some) ? [some, other] : [other, some];
    const [element, end] = sums === some ? [first, second] : [second, first];
    const blocks = this.blocks.get(sums);
    if (blocks === undefined) throw new Error('integrate: a parameter of blocks has sums');
    if (some === other) {
      if (!sameExpression(first.index, second.index)) {
        throw new NotQuadratic('elements of different blocks depend on one another, given the other parameters');
      }
      blocks.addSquare(site, elements, neg(coefficient));
    } else if (isLong(rest) || this.blocks.has(rest) || this.dense === null) {
      throw new NotQuadratic(
        `its elements depend on those of ${this.#earlier(some, other)}, given the other parameters`,
      );
    } else blocks.addBorder(site, element, this.dense.axisOf(site, rest, end), neg(coefficient));
  }

  get groups(): readonly Group[] {
    return this.#groups.map((set) => {
      const units = this.#units.filter((each) => set.has(each));
      return { units, size: units[0].parameter.size, width: Math.max(0, ...this.#widthsOf(units[0])) };
    });
  }

  /** Sets all sums to 0, before the statements that add to them. */
  start(): Block {
    const builder = this.#builder;
    return builder.capture(() => {
      for (const [unit, sum] of this.#linear) this.#clear(sum, unit);
      for (const [key, sum] of this.#square) {
        const [some, other] = key.split(' ').map((k) => this.#units[Number(k)]);
        this.#clear(sum, isLong(some) ? some : other);
      }
      for (const [unit, bands] of this.#bands) for (const sum of bands.values()) this.#clear(sum, unit);
      this.dense?.start();
      for (const blocks of this.blocks.values()) blocks.start();
    });
  }

  linear(unit: Unit, index: Expr): Expr {
    return this.#read(this.#sumOf(this.#linear, unit), index);
  }

  /** The coefficient of two units; 0 if they are independent. */
  square(some: Unit, other: Unit, index: Expr): Expr {
    const found = this.#square.get(this.#keyOf(some, other));
    return found === undefined ? ZERO : this.#read(found, index);
  }

  /** The coefficient of the elements `distance` apart, of which `index` is the lower index. */
  band(unit: Unit, distance: number, index: Expr): Expr {
    const found = this.#bands.get(unit)?.get(distance);
    return found === undefined ? ZERO : load(found, index);
  }

  /** Refuses a parameter without a square: it has no normal distribution. */
  check(): void {
    if (this.#units.some((each) => !this.#squared.has(each))) throw new NotQuadratic('it has no normal distribution');
    for (const set of this.#groups) {
      const isAlone = set.size === 1 && this.dense === null;
      if (!isAlone && [...set].some((each) => this.#bands.has(each))) {
        throw new NotQuadratic('elements with different indexes depend on one another, given the other parameters');
      }
    }
  }

  #unitOf(site: Site, { index, of }: Element): Unit {
    const factor = site.productOf(of)?.of ?? of;
    const values = site.faceOf(factor)?.of ?? factor;
    const units = this.#units.filter(({ parameter }) => parameter.values === values);
    if (units.length === 0) throw new Error('integrate: an element belongs to a parameter');
    if (units[0].parameter.form === 'blocks') return units[0];
    if (site.productOf(of) !== undefined) {
      const isFixed = units.length === 1 && units[0].element !== null;
      if (units[0].parameter.form !== 'dense' && !(isFixed && this.dense !== null)) {
        throw new NotQuadratic('a matrix operation reads it');
      }
      return units[0];
    }
    const found = units.find(({ element }) => element === null || isValue(index, element));
    if (found === undefined) throw new NotQuadratic('its elements depend on one another, given the other parameters');
    return found;
  }

  #widthsOf(unit: Unit): readonly number[] {
    return [...(this.#bands.get(unit)?.keys() ?? [])];
  }

  #bandOf(unit: Unit, distance: number): Ref {
    const bands = this.#bands.get(unit) ?? new Map<number, Ref>();
    this.#bands.set(unit, bands);
    const made = bands.get(distance) ?? this.#builder.newRef('real', 1, `${unit.parameter.name}_band`);
    bands.set(distance, made);
    return made;
  }

  #earlier(some: Unit, other: Unit): string {
    return (this.#units.indexOf(some) < this.#units.indexOf(other) ? some : other).parameter.name;
  }

  #join(some: Unit, other: Unit): void {
    const [own, joined] = [some, other].map((each) => this.#groups.findIndex((set) => set.has(each)));
    if (own === joined) return;
    if (!sameExpression(some.parameter.size, other.parameter.size)) {
      throw new NotQuadratic(`its elements depend on those of ${this.#earlier(some, other)}, which has another size`);
    }
    for (const each of this.#groups[joined]) this.#groups[own].add(each);
    this.#groups.splice(joined, 1);
  }

  #keyOf(some: Unit, other: Unit): string {
    const [a, b] = [some, other].map((each) => this.#units.indexOf(each));
    return a <= b ? `${a} ${b}` : `${b} ${a}`;
  }

  #squareOf(some: Unit, other: Unit): Sum {
    const key = this.#keyOf(some, other);
    const known = this.#square.get(key);
    if (known !== undefined) return known;
    const made = this.#newSum(isLong(some) ? some : other, `${some.parameter.name}_${other.parameter.name}`);
    this.#square.set(key, made);
    return made;
  }

  #newSum(unit: Unit, name: string): Sum {
    const builder = this.#builder;
    return isLong(unit) ? builder.newRef('real', 1, `${name}_sum`) : builder.newLocal('real', `${name}_sum`);
  }

  #clear(sum: Sum, { parameter }: Unit): void {
    if (sum.kind === 'local') this.#builder.assign(sum, ZERO);
    else this.#builder.allocateRef(sum, [parameter.size], 'zero');
  }

  #sumOf<K>(sums: ReadonlyMap<K, Sum>, key: K): Sum {
    const found = sums.get(key);
    if (found === undefined) throw new Error('integrate: each parameter has a sum');
    return found;
  }

  #read(sum: Sum, index: Expr): Expr {
    return sum.kind === 'local' ? get(sum) : load(sum, index);
  }

  #addTo(site: Site, sum: Sum, axis: Axis, value: Expr): void {
    const { builder } = site;
    if (sum.kind === 'local') builder.assign(sum, add(get(sum), value));
    else {
      addTerm(site, [axis], value, ([place], term) => {
        const at = builder.bind(place, 'at');
        builder.store(sum, at, add(load(sum, at), term));
      });
    }
  }
}

function isLong({ parameter }: Unit): boolean {
  return parameter.form === 'long';
}

function blocksOf({ parameter: { blocks, form } }: Unit): BlockSizes | null {
  return form === 'blocks' ? blocks : null;
}

function axisOf({ parameter }: Unit, index: Expr): Axis {
  return { at: index, size: parameter.size, product: null, place: (k) => k };
}

function unitsOf(parameter: IntegratedParameter): readonly Unit[] {
  const { form, size } = parameter;
  const count = form === 'short' && size.kind === 'const' ? size.value : null;
  return count === null
    ? [{ parameter, element: null }]
    : Array.from({ length: count }, (_, element) => ({ parameter, element }));
}

/** Maximum difference of the indexes of elements that depend on each other. */
const MAX_WIDTH = 4;

/** The difference of two indexes, if it is constant. */
function distanceOf(first: Expr, second: Expr): number | undefined {
  const [low, high] = [first, second].map((index) => linearOf(index, () => INDEX));
  const isShared = low.base === high.base || (low.base && high.base && sameExpression(low.base, high.base));
  return isShared ? high.offset - low.offset : undefined;
}

/** Indexes and their parts are far from the limits of integers. */
const INDEX: Interval = { low: -(2 ** 30), high: 2 ** 30 };
