/** Checks whether values in Stan's JSON format match the types of function arguments, and determines their sizes. */
import { countSizes } from '../../derive/callable.js';
import { isJsonObject, nonFiniteNumber, Real, type StanJson } from '../../formats/stan-json.js';
import { isComplex } from '../../language/promotion.js';
import { COMPLEX, COMPLEX_VECTOR, REAL, showType, type Type, unwindArray } from '../../language/types.js';

/** An argument that matches the type of its parameter. */
export interface FittingValue {
  /** Sizes in the order of `countSizes`. Sizes inside empty arrays are 0. */
  readonly sizes: readonly number[];
  /** Number of promotions: 1 for an int used as a real or a real used as a complex number, 2 for an int used as a complex number. */
  readonly cost: number;
}

/** The problem with an argument, as text that follows the name of the argument. */
export interface MisfitValue {
  readonly problem: string;
}

const INT_LIMIT = 2 ** 31;

/** Checks whether a value has a type. `name` is the argument's name in messages. */
export function fitValue(value: StanJson, type: Type, name: string): FittingValue | MisfitValue {
  const fitting = new Fitting();
  try {
    fitting.visit(value, type, name, 0);
  } catch (error) {
    if (error instanceof Unfit) return { problem: error.message };
    throw error;
  }
  const sizes = Array.from({ length: countSizes(type) }, (_, index) => fitting.sizes[index] ?? 0);
  return { sizes, cost: fitting.cost };
}

/** The value with numbers that are used as complex numbers converted to pairs. */
export function withPairs(value: StanJson, type: Type): StanJson {
  switch (type.kind) {
    case 'complex':
      return elementsOf(value) === undefined ? [value, 0] : value;
    case 'complex_vector':
    case 'complex_row_vector':
      return elementsOf(value)?.map((element) => withPairs(element, COMPLEX)) ?? value;
    case 'complex_matrix':
      return elementsOf(value)?.map((row) => withPairs(row, COMPLEX_VECTOR)) ?? value;
    case 'array':
      if (!isComplex(type) && unwindArray(type).element.kind !== 'tuple') return value;
      return elementsOf(value)?.map((element) => withPairs(element, type.element)) ?? value;
    case 'tuple':
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(
        type.elements.map((element, index) => [String(index + 1), withPairs(value[String(index + 1)], element)]),
      );
    default:
      return value;
  }
}

class Unfit extends Error {}

class Fitting {
  readonly sizes: number[] = [];
  /** Where each size was found. */
  private readonly places: string[] = [];
  private hasRealForReal = false;
  private hasPromotedInt = false;
  private complexCost = 0;

  get cost(): number {
    return (this.hasPromotedInt && !this.hasRealForReal ? 1 : 0) + this.complexCost;
  }

  /** `first` is the index of the value's first size. */
  visit(value: StanJson, type: Type, place: string, first: number): void {
    switch (type.kind) {
      case 'int':
        if (typeof value !== 'number') throw unfit(place, type, value);
        if (value < -INT_LIMIT || value >= INT_LIMIT)
          throw new Unfit(`${place} is ${value}, which is outside of the range of an int`);
        return;
      case 'real':
        this.visitReal(value, place, type);
        return;
      case 'complex':
        this.visitComplex(value, place);
        return;
      case 'vector':
      case 'row_vector':
        this.visitReals(value, place, first, type);
        return;
      case 'matrix':
        this.visitElements(value, type, place, first, (row, at) => this.visitReals(row, at, first + 1, type));
        return;
      case 'complex_vector':
      case 'complex_row_vector':
        this.visitElements(value, type, place, first, (element, at) => this.visitComplex(element, at));
        return;
      case 'complex_matrix':
        this.visitElements(value, type, place, first, (row, at) =>
          this.visitElements(row, type, at, first + 1, (element, inner) => this.visitComplex(element, inner)),
        );
        return;
      case 'array':
        this.visitElements(value, type, place, first, (element, at) =>
          this.visit(element, type.element, at, first + 1),
        );
        return;
      case 'tuple':
        this.visitTuple(value, type.elements, place, first, type);
        return;
      default:
        throw new Unfit(`${place} is of type ${showType(type)}, which JSON cannot represent`);
    }
  }

  private visitReals(value: StanJson, place: string, first: number, type: Type): void {
    // The elements of a Float64Array are numbers.
    if (value instanceof Float64Array) {
      this.note(first, value.length, place);
      if (value.length > 0) this.hasRealForReal = true;
    } else {
      this.visitElements(value, type, place, first, (element, at) => this.visitReal(element, at, REAL));
    }
  }

  private visitElements(
    value: StanJson,
    type: Type,
    place: string,
    first: number,
    visit: (element: StanJson, place: string) => void,
  ): void {
    const elements = elementsOf(value);
    if (elements === undefined) throw unfit(place, type, value);
    this.note(first, elements.length, place);
    for (const [index, element] of elements.entries()) visit(element, `${place}[${index + 1}]`);
  }

  private visitTuple(value: StanJson, elements: readonly Type[], place: string, first: number, type: Type): void {
    if (!isJsonObject(value)) throw unfit(place, type, value);
    const extra = Object.keys(value).find((key) => !elements.some((_, index) => key === String(index + 1)));
    if (extra !== undefined) throw new Unfit(`${place} has a member "${extra}", but is a ${showType(type)}`);
    let next = first;
    for (const [index, element] of elements.entries()) {
      const key = String(index + 1);
      if (!Object.hasOwn(value, key)) throw new Unfit(`${place} has no member "${key}", but is a ${showType(type)}`);
      this.visit(value[key], element, `${place}.${key}`, next);
      next += countSizes(element);
    }
  }

  private visitReal(value: StanJson, place: string, type: Type): void {
    if (typeof value === 'number') this.hasPromotedInt = true;
    else if (isReal(value)) this.hasRealForReal = true;
    else throw unfit(place, type, value);
  }

  private visitComplex(value: StanJson, place: string): void {
    if (typeof value === 'number' || isReal(value)) {
      this.complexCost = Math.max(this.complexCost, typeof value === 'number' ? 2 : 1);
      return;
    }
    const parts = elementsOf(value);
    if (parts?.length !== 2 || !parts.every((part) => typeof part === 'number' || isReal(part))) {
      throw new Unfit(`${place} must be a complex number, [real, imaginary], but is ${describe(value)}`);
    }
  }

  /** Containers are rectangular. */
  private note(index: number, size: number, place: string): void {
    if (this.sizes[index] === undefined) {
      this.sizes[index] = size;
      this.places[index] = place;
    } else if (this.sizes[index] !== size) {
      throw new Unfit(`${place} has ${size} elements, but ${this.places[index]} has ${this.sizes[index]}`);
    }
  }
}

function isReal(value: StanJson): boolean {
  return value instanceof Real || (typeof value === 'string' && nonFiniteNumber(value) !== undefined);
}

/** The elements of an array. All elements of a Float64Array are reals. */
function elementsOf(value: StanJson): readonly StanJson[] | undefined {
  if (value instanceof Float64Array) return Array.from(value, (each) => new Real(each));
  return Array.isArray(value) ? value : undefined;
}

function unfit(place: string, type: Type, value: StanJson): Unfit {
  return new Unfit(`${place} must be ${article(showType(type))}, but is ${describe(value)}`);
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function describe(value: StanJson): string {
  if (typeof value === 'number') return String(value);
  if (value instanceof Real) return Number.isInteger(value.value) ? `${value.value}.0` : String(value.value);
  if (value instanceof Float64Array || Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (isJsonObject(value)) return 'an object';
  return JSON.stringify(value);
}
