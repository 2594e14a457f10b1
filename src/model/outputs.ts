/** The outputs that a program declares: their names, their sizes, and the order of their values. */

import type { StanJson } from '../formats/stan-json.js';
import type { Artifact, OutputLayout, Stretch } from '../wasm/artifact.js';
import type { ValueError } from './errors.js';
import { elementCount, elementNames, type Leaf, outputOrder } from './shape.js';
import {
  type Declared,
  type FoundValue,
  halfOf,
  missingVariable,
  readValue,
  sizeError,
  toMemoryOrder,
} from './values.js';

export interface OutputParts {
  readonly transformedParameters?: boolean;
  readonly generatedQuantities?: boolean;
}

export interface Output {
  readonly name: string;
  readonly dims: readonly number[];
  readonly block: OutputLayout['block'];
}

/** An output with its sizes for the data. */
export interface SizedOutput extends Output {
  readonly leaf: Leaf;
  /** For a parameter: the leaf with its unconstrained sizes. */
  readonly unconstrained: Leaf;
  readonly declaredAt?: Stretch;
  /** Number of scalars in the output. */
  readonly count: number;
}

const STAGE = 'parameter initialization';

export class Outputs {
  /** In the order of their declarations. */
  readonly all: readonly SizedOutput[];
  readonly parameters: readonly SizedOutput[];
  /** Number of scalars of all outputs. */
  readonly count: number;
  /** Number of unconstrained scalars of the parameters. */
  readonly dimension: number;
  /** The memory index of each value of a draw in Stan's order, by choice of parts. */
  readonly #orders = new Map<number, Int32Array>();

  /** `memory` contains the sizes. */
  constructor(artifact: Artifact, memory: ArrayBuffer) {
    this.all = readOutputs(artifact, memory);
    this.parameters = this.all.filter(({ block }) => block === 'parameters');
    this.count = this.all.reduce((sum, { count }) => sum + count, 0);
    this.dimension = this.parameters.reduce((sum, { unconstrained }) => sum + elementCount(unconstrained), 0);
  }

  /** The parameters on the unconstrained scale. */
  get unconstrained(): readonly Leaf[] {
    return this.parameters.map(({ unconstrained }) => unconstrained);
  }

  /** Names of the values of a draw in Stan's order. `flags` selects the parts. */
  names(flags: number): string[] {
    return elementNames(this.#included(flags).map(({ leaf }) => leaf));
  }

  /** The position in memory of each value of a draw in Stan's order. */
  order(flags: number): Int32Array {
    const known = this.#orders.get(flags);
    if (known !== undefined) return known;
    const order: number[] = [];
    const starts = new Map<Leaf, number>();
    let offset = 0;
    for (const { leaf, count } of this.#included(flags)) {
      starts.set(leaf, offset);
      offset += count;
    }
    outputOrder([...starts.keys()], (leaf, position) => order.push((starts.get(leaf) ?? 0) + position));
    const result = Int32Array.from(order);
    this.#orders.set(flags, result);
    return result;
  }

  #included(flags: number): SizedOutput[] {
    return this.all.filter(({ block }) => isIncluded(block, flags));
  }
}

/** The flags of `generate` for these parts. */
export function partFlags({ transformedParameters = false, generatedQuantities = false }: OutputParts): number {
  return (transformedParameters ? 1 : 0) | (generatedQuantities ? 2 : 0);
}

/** The error for a parameter without a value. */
export function missingValue(parameter: SizedOutput): ValueError {
  return missingVariable(STAGE, declared(parameter));
}

/** Writes a given value of a parameter to `target` in memory order. Throws `ValueError` if its sizes or its type are wrong. */
export function writeGiven(parameter: SizedOutput, given: StanJson, target: Float64Array): void {
  const { count, dims, leaf } = parameter;
  const found = readValue(given, declared(parameter), STAGE);
  const error = sizeError(parameter, STAGE, dims, found.sizes);
  if (error !== undefined) throw error;
  const write = ({ sizes, elements }: FoundValue, start: number): void =>
    toMemoryOrder(elements, sizes, leaf.element, leaf.arrayDepth, (index, value) => {
      target[start + index] = value;
    });
  if (!leaf.isComplex) write(found, 0);
  else for (const part of [0, 1]) write(halfOf(found, part), (part * count) / 2);
}

function readOutputs(artifact: Artifact, memory: ArrayBuffer): SizedOutput[] {
  const view = new DataView(memory);
  const read = (address: number, count: number): number[] =>
    Array.from({ length: count }, (_, k) => view.getInt32(address + 4 * k, true));
  return artifact.outputs.map((layout) => {
    const dims = read(layout.sizes, layout.rank);
    const unconstrainedSizes = read(layout.sizes + 4 * layout.rank, layout.unconstrainedRank);
    const { name, block, arrayDepth, element, tupleAxes = [], isComplex = false, declaredAt } = layout;
    const leaf = { name, arrayDepth, element, tupleAxes, isComplex, sizes: dims };
    const unconstrained = { ...leaf, arrayDepth: 0, sizes: unconstrainedSizes };
    return { name, block, dims, count: elementCount(leaf), leaf, unconstrained, ...(declaredAt && { declaredAt }) };
  });
}

function declared({ declaredAt, name }: SizedOutput): Declared {
  return { name, type: 'real', ...(declaredAt && { declaredAt }) };
}

function isIncluded(block: Output['block'], flags: number): boolean {
  if (block === 'parameters') return true;
  return (flags & (block === 'transformed parameters' ? 1 : 2)) !== 0;
}
