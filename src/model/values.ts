import type { ElementKind, Stretch } from '../wasm/artifact.js';
import { ModelError } from './errors.js';
import { type JsonData, nonFiniteNumber, Real, type StanJson } from './json.js';
import { stretchText } from './report.js';
import { elementCount, memoryStrides } from './shape.js';

/** The value of a variable from JSON: its sizes, and its elements in row-major order. */
export interface FoundValue {
  readonly sizes: readonly number[];
  readonly elements: Float64Array;
  /** Whether every number was written as an integer. */
  readonly isInt: boolean;
}

export interface Declared {
  readonly name: string;
  readonly type: 'int' | 'real';
  /** Absent for a variable that the program does not declare. */
  readonly declaredAt?: Stretch;
}

/**
 * The value of a variable, or of the slot `a.1` of a tuple; for an array of tuples, the array of the slots of all elements. Undefined if a
 * value is missing.
 */
export function memberOf(data: JsonData, name: string): StanJson | undefined {
  return name.split('.').reduce<StanJson | undefined>(slotOf, data);
}

function slotOf(value: StanJson | undefined, key: string): StanJson | undefined {
  if (Array.isArray(value)) {
    const slots: StanJson[] = [];
    for (const item of value) {
      const slot = slotOf(item, key);
      if (slot === undefined) return undefined;
      slots.push(slot);
    }
    return slots;
  }
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isRecord(value: StanJson | undefined): value is JsonData {
  if (typeof value !== 'object' || value === null) return false;
  return !Array.isArray(value) && !ArrayBuffer.isView(value) && !(value instanceof Real);
}

/** The stage at which values are read, for Stan's messages. */
export type Stage = 'data initialization' | 'parameter initialization';

/** Stan's message for a problem with a variable, with the location of its declaration. */
export function variableProblem(problem: string, stage: Stage, { declaredAt, name, type }: Declared): string {
  const variable = `variable name=${name}; base type=${type === 'int' ? 'int' : 'double'}`;
  return `Exception: ${problem}; processing stage=${stage}; ${variable}${placeOf(declaredAt)}`;
}

/** The location of a declaration, as at the end of Stan's messages; empty if the program does not declare the variable. */
export function placeOf(declaredAt: Stretch | undefined): string {
  return declaredAt === undefined ? '' : stretchText(declaredAt);
}

/**
 * Reads a number or rectangular nested arrays of numbers. Strings that represent non-finite numbers count as reals. Throws `ModelError` for
 * other values, for ragged arrays, and for reals if an int is declared.
 */
export function readValue(json: StanJson, declared: Declared, stage: Stage): FoundValue {
  const sizes: number[] = [];
  for (let at = json; isArray(at); at = at.length > 0 ? at[0] : null) {
    sizes.push(at.length);
    if (at.length === 0) break;
  }
  const elements = new Float64Array(elementCount({ sizes }));
  const reader = new ElementReader(declared, elements);
  reader.read(json, sizes, 0);
  if (declared.type === 'int' && !reader.isInt) {
    throw new ModelError(variableProblem('int variable contained non-int values', stage, declared));
  }
  return { sizes, elements, isInt: reader.isInt };
}

/**
 * Throws `ModelError` for invalid values of members that the program does not declare. Stan rejects every value that does not consist of
 * numbers, unless its name cannot be that of a variable.
 */
export function refuseForeign(data: JsonData, names: Iterable<string>, stage: Stage): void {
  const known = new Set(Array.from(names, (name) => name.split('.')[0]));
  for (const [name, value] of Object.entries(data)) {
    if (!known.has(name) && VARIABLE_NAME.test(name)) refuseUnlessNumbers(value, name, stage);
  }
}

/** Names of variables. Members with other names may have any value. */
const VARIABLE_NAME = /^[a-zA-Z][a-zA-Z0-9_]*$/;

function refuseUnlessNumbers(value: StanJson, name: string, stage: Stage): void {
  if (isRecord(value)) {
    for (const [key, slot] of Object.entries(value)) refuseUnlessNumbers(slot, `${name}.${key}`, stage);
  } else if (Array.isArray(value) && value.some(holdsRecord)) {
    for (const item of value) refuseUnlessNumbers(item, name, stage);
  } else readValue(value, { name, type: 'real' }, stage);
}

function holdsRecord(value: StanJson): boolean {
  return isRecord(value) || (Array.isArray(value) && value.some(holdsRecord));
}

/** The first (0) or second (1) element of each pair. */
export function halfOf({ sizes, elements, isInt }: FoundValue, part: number): FoundValue {
  return { sizes: sizes.slice(0, -1), elements: elements.filter((_, k) => k % 2 === part), isInt };
}

/** Stan's two messages for values of the wrong shape, or undefined. Two empty shapes always match. */
export function dimsProblem(
  name: string,
  stage: Stage,
  expected: readonly number[],
  found: readonly number[],
): string | undefined {
  if (elementCount({ sizes: expected }) === 0 && elementCount({ sizes: found }) === 0) return undefined;
  const dims = `dims declared=(${expected.join(',')}); dims found=(${found.join(',')})`;
  const place = `processing stage=${stage}; variable name=${name}`;
  if (expected.length !== found.length) {
    return `Exception: mismatch in number dimensions declared and found in context; ${place}; ${dims}`;
  }
  const position = expected.findIndex((size, axis) => size !== found[axis]);
  if (position < 0) return undefined;
  return `Exception: mismatch in dimension declared and found in context; ${place}; position=${position}; ${dims}`;
}

function isArray(json: StanJson): json is Float64Array | readonly StanJson[] {
  return Array.isArray(json) || json instanceof Float64Array;
}

class ElementReader {
  isInt = true;
  readonly #declared: Declared;
  readonly #elements: Float64Array;
  #next = 0;

  constructor(declared: Declared, elements: Float64Array) {
    this.#declared = declared;
    this.#elements = elements;
  }

  read(json: StanJson, sizes: readonly number[], axis: number): void {
    if (isArray(json)) {
      if (axis >= sizes.length || json.length !== sizes[axis]) throw this.#problem('non-rectangular array');
      if (json instanceof Float64Array) {
        if (axis + 1 !== sizes.length) throw this.#problem('non-rectangular array');
        this.isInt = false;
        this.#elements.set(json, this.#next);
        this.#next += json.length;
      } else for (const item of json) this.read(item, sizes, axis + 1);
      return;
    }
    if (axis !== sizes.length) throw this.#problem('non-rectangular array');
    this.#elements[this.#next++] = this.#number(json);
  }

  #number(json: StanJson): number {
    if (typeof json === 'number') {
      if (json < -(2 ** 31) || json >= 2 ** 31) {
        if (this.#declared.type === 'int') throw this.#problem(`integer value ${json} is outside the range of int`);
      }
      return json;
    }
    this.isInt = false;
    if (json instanceof Real) return json.value;
    if (typeof json === 'string') {
      const value = nonFiniteNumber(json);
      if (value !== undefined) return value;
      throw this.#problem('string values not allowed');
    }
    if (json === null) throw this.#problem('null values not allowed');
    throw this.#problem(
      typeof json === 'boolean' ? 'boolean values not allowed' : 'an object cannot be a value of this type',
    );
  }

  #problem(what: string): ModelError {
    return new ModelError(`Variable: ${this.#declared.name}, error: ${what}.`);
  }
}

/** Copies elements from row-major order to memory order. */
export function toMemoryOrder(
  elements: Float64Array,
  sizes: readonly number[],
  element: ElementKind,
  arrayDepth: number,
  write: (position: number, value: number) => void,
): void {
  if (element !== 'matrix' || sizes.length < 2) {
    for (let k = 0; k < elements.length; k++) write(k, elements[k]);
    return;
  }
  const strides = memoryStrides({ arrayDepth, element, sizes });
  const rows = sizes[sizes.length - 2];
  const columns = sizes[sizes.length - 1];
  const matrices = rows * columns === 0 ? 0 : elements.length / (rows * columns);
  let k = 0;
  for (let matrix = 0; matrix < matrices; matrix++) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        write(matrix * rows * columns + column * strides[sizes.length - 1] + row, elements[k++]);
      }
    }
  }
}
