import { type JsonData, nonFiniteNumber, Real, type StanJson } from '../formats/stan-json.js';
import type { ElementKind, Stretch } from '../wasm/artifact.js';
import { ValueError } from './errors.js';
import type { ValueFault } from './failure-detail.js';
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

/** The names of the inputs that are read at a stage. */
const INPUT_OF = { 'data initialization': 'data', 'parameter initialization': 'init' } as const;

/** The error for a variable without a value. */
export function missingVariable(stage: Stage, declared: Declared): ValueError {
  return variableError('missing-variable', 'variable does not exist', stage, declared);
}

/** The error for the value of a variable, with Stan's message and the location of the declaration. */
function variableError(
  code: ValueFault['code'],
  problem: string,
  stage: Stage,
  { declaredAt, name, type }: Declared,
): ValueError {
  const variable = `variable name=${name}; base type=${type === 'int' ? 'int' : 'double'}`;
  const message = `Exception: ${problem}; processing stage=${stage}; ${variable}${placeOf(declaredAt)}`;
  return new ValueError(message, { code, input: INPUT_OF[stage], variable: name }, declaredAt);
}

/** The location of a declaration, as at the end of Stan's messages; empty if the program does not declare the variable. */
function placeOf(declaredAt: Stretch | undefined): string {
  return declaredAt === undefined ? '' : stretchText(declaredAt);
}

/**
 * Reads a number or rectangular nested arrays of numbers. Strings that represent non-finite numbers count as reals. Throws `ValueError` for
 * other values, for ragged arrays, and for reals if an int is declared.
 */
export function readValue(json: StanJson, declared: Declared, stage: Stage): FoundValue {
  const sizes: number[] = [];
  for (let at = json; isArray(at); at = at.length > 0 ? at[0] : null) {
    sizes.push(at.length);
    if (at.length === 0) break;
  }
  const elements = new Float64Array(elementCount({ sizes }));
  const reader = new ElementReader(declared, stage, elements);
  reader.read(json, sizes, 0);
  if (declared.type === 'int' && !reader.isInt) {
    throw variableError('not-integer', 'int variable contained non-int values', stage, declared);
  }
  return { sizes, elements, isInt: reader.isInt };
}

/**
 * Throws `ValueError` for invalid values of members that the program does not declare. Stan rejects every value that does not consist of
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

/** The error for a value of the wrong sizes, with one of Stan's two messages; undefined if they match. Two empty values always match. */
export function sizeError(
  { declaredAt, name }: Pick<Declared, 'declaredAt' | 'name'>,
  stage: Stage,
  declared: readonly number[],
  found: readonly number[],
): ValueError | undefined {
  if (elementCount({ sizes: declared }) === 0 && elementCount({ sizes: found }) === 0) return undefined;
  const isRank = declared.length !== found.length;
  const position = declared.findIndex((size, axis) => size !== found[axis]);
  if (!isRank && position < 0) return undefined;
  const problem = `mismatch in ${isRank ? 'number dimensions' : 'dimension'} declared and found in context`;
  const variable = `processing stage=${stage}; variable name=${name}${isRank ? '' : `; position=${position}`}`;
  const dims = `dims declared=(${declared.join(',')}); dims found=(${found.join(',')})`;
  const fault = { code: 'wrong-size', input: INPUT_OF[stage], variable: name, declared, found } as const;
  return new ValueError(`Exception: ${problem}; ${variable}; ${dims}${placeOf(declaredAt)}`, fault, declaredAt);
}

function isArray(json: StanJson): json is Float64Array | readonly StanJson[] {
  return Array.isArray(json) || json instanceof Float64Array;
}

class ElementReader {
  isInt = true;
  readonly #declared: Declared;
  readonly #stage: Stage;
  readonly #elements: Float64Array;
  #next = 0;

  constructor(declared: Declared, stage: Stage, elements: Float64Array) {
    this.#declared = declared;
    this.#stage = stage;
    this.#elements = elements;
  }

  read(json: StanJson, sizes: readonly number[], axis: number): void {
    if (isArray(json)) {
      if (axis >= sizes.length || json.length !== sizes[axis])
        throw this.#error('ragged-array', 'non-rectangular array');
      if (json instanceof Float64Array) {
        if (axis + 1 !== sizes.length) throw this.#error('ragged-array', 'non-rectangular array');
        this.isInt = false;
        this.#elements.set(json, this.#next);
        this.#next += json.length;
      } else for (const item of json) this.read(item, sizes, axis + 1);
      return;
    }
    if (axis !== sizes.length) throw this.#error('ragged-array', 'non-rectangular array');
    this.#elements[this.#next++] = this.#number(json);
  }

  #number(json: StanJson): number {
    if (typeof json === 'number') {
      if (json < -(2 ** 31) || json >= 2 ** 31) {
        if (this.#declared.type === 'int') {
          throw this.#error('integer-out-of-range', `integer value ${json} is outside the range of int`);
        }
      }
      return json;
    }
    this.isInt = false;
    if (json instanceof Real) return json.value;
    if (typeof json === 'string') {
      const value = nonFiniteNumber(json);
      if (value !== undefined) return value;
      throw this.#error('not-a-number', 'string values not allowed');
    }
    if (json === null) throw this.#error('not-a-number', 'null values not allowed');
    throw this.#error(
      'not-a-number',
      typeof json === 'boolean' ? 'boolean values not allowed' : 'an object cannot be a value of this type',
    );
  }

  #error(code: ValueFault['code'], problem: string): ValueError {
    const { declaredAt, name } = this.#declared;
    const fault = { code, input: INPUT_OF[this.#stage], variable: name };
    return new ValueError(`Variable: ${name}, error: ${problem}.`, fault, declaredAt);
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
